"""The tests on every Python that is promised: ``nox`` runs a core on each, and compares what they make.

On the oldest it runs with the oldest versions of what we depend on: a bound that is too low is a crash. Each
extra has an environment of its own, where nothing else brings what it forgot.

Interpreters that are not here are left out, but 3.13 must be: what changed last is what breaks first. The
core needs no extra: what lies above torch is tested on one Python, by ``pytest``.
"""

import hashlib
import shutil
from pathlib import Path

import nox

PYTHONS = ("3.11", "3.12", "3.13", "3.14")
REQUIRED = "3.13"
TOOLS = ("filelock>=3.12", "google-api-python-client>=2.180", "hypothesis[lark]>=6.120", "pytest>=8.3")
TOOLS += ("pytest-timeout>=2.4", "pytest-xdist>=3.6", "detect-secrets>=1.5")
CORE = (
    "tests/test_schema.py",
    "tests/cli/test_main.py",
    "tests/filter/test_near_rows.py",
    "tests/gym/test_contract.py",
    "tests/gym/tools",
    "tests/metrics/test_score.py",
    "tests/plan/test_functions.py",
    "tests/plan/test_parser.py",
    "tests/store/test_store.py",
    "tests/tasks/test_json_files.py",
    "tests/verify/test_verifiers.py",
    "tests/workspace/test_config_page.py",
)
"""What differs between Pythons: declarations in docstrings, types of configs, commands, the store."""
MAKE = ("tasks", "make", "--suite", "quick", "--tasks", "8", "--seed", "5", "--no-seeds", "--out")
EXTRAS = {
    "api": ("tests/collectors/clients/test_litellm_api.py",),
    "docker": ("tests/sandbox/test_fleet.py",),
    "exchange": ("tests/collectors/importers/test_atif.py",),
    "openenv": ("tests/environments/test_openenv.py", "tests/environments/test_serving.py"),
    "publish": (
        "tests/publish/test_hub.py",
        "tests/privacy/test_pii.py",
        "tests/privacy/test_national_numbers.py",
    ),
    "ray": ("tests/workers/test_ray_tasks.py", "-m", "slow", "-k", "in_order", "-n", "0"),
}
"""What needs an extra; `train` is what CI's own environment has, `verifiers` goes with none of the others."""
nox.options.default_venv_backend = "uv"  # an environment takes it seconds, and pip most of a minute
nox.options.download_python = "never"
nox.options.error_on_missing_interpreters = False
nox.options.sessions = [*(f"core-{version}" for version in PYTHONS[1:]), "lowest", "extras", "bytes"]


@nox.session(python=PYTHONS)
def core(session: nox.Session) -> None:
    """Run the core of the tests in an environment without any extra; by default not on the oldest Python."""
    session.install(".", *TOOLS)
    session.run("pytest", "-q", *(session.posargs or CORE))


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """Run the core with the oldest version of each dependency that ``pyproject.toml`` allows."""
    bounds = Path(session.create_tmp()) / "lowest.txt"
    command = ["uv", "pip", "compile", "--quiet", "--resolution", "lowest-direct", "--python-version"]
    session.run(*command, PYTHONS[0], "--output-file", str(bounds), "pyproject.toml", external=True)
    session.install("--requirement", str(bounds))
    session.install(*TOOLS, "--constraint", str(bounds))
    session.install("--no-deps", ".")
    session.run("pytest", "-q", *(session.posargs or CORE))


@nox.session(python=REQUIRED)
@nox.parametrize("extra", [*EXTRAS])
def extras(session: nox.Session, extra: str) -> None:
    """Run what needs an extra in an environment that has no other."""
    session.install(f".[{extra}]", *TOOLS)
    session.run("pytest", "-q", "--no-skips", *(session.posargs or EXTRAS[extra]))


@nox.session(python=False, name="bytes")
def same_bytes(session: nox.Session) -> None:
    """Make the same tasks with every Python of the core and with the one that is active, byte by byte."""
    programs = {version: _program(session, version) for version in PYTHONS} | {"active": "eops-traj"}
    if programs[REQUIRED] is None:
        session.error(f"Python {REQUIRED} is not here, or its core did not run: nox -s core-{REQUIRED}")
    digests = {name: _digest(session, name, program) for name, program in programs.items() if program}
    if len(set(digests.values())) > 1:
        session.error(f"the same seed made other bytes: {digests}")
    session.log(f"the same bytes: {', '.join(digests)}")


def _program(session: nox.Session, version: str) -> str | None:
    """Return our program in the environment of a core; None where that was not made."""
    path = Path(session.create_tmp()).parents[1] / f"core-{version.replace('.', '-')}" / "bin" / "eops-traj"
    return str(path) if path.exists() else None


def _digest(session: nox.Session, name: str, program: str) -> str:
    """Return the SHA-256 of a suite's files, but of those that name the library that wrote them (Parquet)."""
    folder = Path(session.create_tmp()) / name
    shutil.rmtree(folder, ignore_errors=True)
    session.run(program, *MAKE, str(folder), external=True, silent=True)
    whole = hashlib.sha256()
    for path in sorted(folder.rglob("*.json*")):
        whole.update(path.relative_to(folder).as_posix().encode() + b"\0" + path.read_bytes())
    return whole.hexdigest()
