"""The other side's own package, in an environment of its own: made once, kept under the temporary folder."""

import fcntl
import functools
import json
import os
import shutil
import subprocess
import sys
import tempfile
import tomllib
from collections.abc import Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any

import pytest
from uv import find_uv_bin

ROOT = Path(__file__).parents[2]
SCRIPTS = Path(__file__).parent / "scripts"
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))["project"]
OPENENV = ("openenv>=0.10,<0.11",)
NEMO_GYM = ("nemo-gym==0.7.0",)
VERIFIERS = (*PROJECT["dependencies"], *PROJECT["optional-dependencies"]["verifiers"])
"""What `pip install 'eops-traj[verifiers]'` would install beside our package."""
NEMO_GYM_PYTHON = "3.13"


def python_with(requirements: Sequence[str], python: str = sys.executable, *flags: str) -> str:
    """The interpreter of an environment with these packages; a skip where uv cannot get them."""
    key = sha256(json.dumps([list(requirements), python, sys.version, *flags]).encode()).hexdigest()[:12]
    folder = Path(tempfile.gettempdir()) / "eops-traj-other-sides" / key
    folder.parent.mkdir(exist_ok=True)
    with (folder.parent / f"{key}.lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not (folder / "whole").exists():
            shutil.rmtree(folder, ignore_errors=True)
            subprocess.run([python, "-m", "venv", "--without-pip", folder], check=True)
            _install(folder / "bin" / "python", requirements, flags)
            (folder / "whole").touch()
    return str(folder / "bin" / "python")


def _install(python: Path, requirements: Sequence[str], flags: Sequence[str]) -> None:
    command = [find_uv_bin(), "pip", "install", "--quiet", "--python", python, *flags, *requirements]
    ran = subprocess.run(command, capture_output=True, text=True)
    if ran.returncode and "No solution found" in ran.stderr:
        pytest.fail(f"{requirements} do not go together: {ran.stderr[-2000:]}")
    if ran.returncode:
        pytest.skip(f"uv cannot install {requirements[-1]}: {ran.stderr.strip().splitlines()[-1]}")


@functools.cache
def interpreter(version: str) -> str:
    """A Python of this version; the test is skipped where there is none."""
    for settings in ({}, {"PYENV_VERSION": version}):
        environment = {**os.environ, **settings}
        found = shutil.which(f"python{version}")
        command = [str(found), "-c", "import sys; print(sys.executable)"]
        ran = found and subprocess.run(command, capture_output=True, text=True, env=environment)
        if ran and ran.returncode == 0:
            return ran.stdout.strip()
    pytest.skip(f"needs Python {version}")


def run_script(python: str, script: str, *arguments: object, **environment: str) -> list[dict[str, Any]]:
    """Run a script of the folder beside this file; what it printed, line by line."""
    command = [python, SCRIPTS / script, *map(str, arguments)]
    ran = subprocess.run(
        command, capture_output=True, text=True, timeout=300, env={**os.environ, **environment}
    )
    assert ran.returncode == 0, ran.stdout[-2000:] + ran.stderr[-4000:]
    return [json.loads(line) for line in ran.stdout.splitlines() if line.startswith("{")]
