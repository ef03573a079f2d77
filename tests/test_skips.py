"""In CI a test that is skipped for no good reason fails the run, by its name."""

import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[1]
TESTS = """
import pytest

def test_runs():
    pass

@pytest.mark.skip(reason="no chromium on the PATH")
def test_in_a_browser():
    pass

@pytest.mark.skip(reason="EOPS_TRAJ_HARNESS names no checkout")
def test_of_another_project():
    pass
"""


ONE_WORKER = ("-p", "xdist", "-n", "1")


@pytest.mark.parametrize(
    ("options", "code"),
    [
        ((), 0),
        (("--no-skips", *ONE_WORKER), 1),
        (("--no-skips", "--may-skip", "no chromium"), 0),
    ],
)
def test_a_test_that_should_have_run_is_named(options: tuple[str, ...], code: int, tmp_path: Path) -> None:
    (tmp_path / "test_some.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-c",
        "/dev/null",
        "--rootdir",
        str(tmp_path),
        "-p",
        "tests.skips",
    ]
    ran = subprocess.run(
        [*command, *options, tmp_path / "test_some.py"], cwd=ROOT, capture_output=True, text=True
    )
    named = [line for line in ran.stdout.splitlines() if line.startswith("SHOULD HAVE RUN")]
    assert ran.returncode == code and len(named) == code, ran.stdout + ran.stderr
    assert all("test_in_a_browser: Skipped: no chromium" in line for line in named)
