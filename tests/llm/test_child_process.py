"""An owned process ends with its owner, even one that is killed, and takes its own children along."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from eops_traj.llm.child_process import ChildProcess

FAMILY = "sleep 600 & echo $$ $!; wait"
"""A shell and its child, which tell their process ids."""
DEAF = "trap '' TERM; echo $$ $$; while :; do sleep 0.1; done"
LEAVING = "setsid sleep 600 & echo $$ $!; wait"
"""A shell whose child leaves its process group."""
OWNER = (
    "import sys, time; from pathlib import Path; from eops_traj.llm.child_process import ChildProcess\n"
    "ChildProcess(['sh', '-c', sys.argv[1]], Path(sys.argv[2]), {}); time.sleep(600)"
)


def told(log: Path) -> list[int]:
    """The process ids in a log, as soon as they are there."""
    until = time.monotonic() + 120
    while not (log.exists() and log.read_text().endswith("\n")):
        assert time.monotonic() < until
        time.sleep(0.02)
    return [int(pid) for pid in log.read_text().split()]


def gone(pids: list[int], seconds: float = 120) -> bool:
    """Whether all of these processes end in time; one that nobody has waited for yet has ended."""
    until = time.monotonic() + seconds
    while any(_runs(pid) for pid in pids):
        if time.monotonic() > until:
            return False
        time.sleep(0.02)
    return True


def _runs(pid: int) -> bool:
    state = subprocess.run(["ps", "-o", "stat=", "-p", str(pid)], capture_output=True, text=True).stdout
    return bool(state.strip()) and not state.startswith("Z")


def test_stopping_ends_the_command_and_its_children(tmp_path: Path) -> None:
    process = ChildProcess(["sh", "-c", FAMILY], tmp_path / "log", {})
    pids = told(process.log)
    assert process.code is None
    process.stop()
    process.stop()
    assert process.code == 128 + signal.SIGTERM and gone(pids)


@pytest.mark.parametrize("family", [FAMILY, LEAVING])
@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGTERM, signal.SIGINT])
def test_an_owner_that_is_killed_takes_it_along(tmp_path: Path, number: int, family: str) -> None:
    owner = subprocess.Popen([sys.executable, "-c", OWNER, family, str(tmp_path / "log")])
    pids = told(tmp_path / "log")
    os.kill(owner.pid, number)
    owner.wait()
    assert len(pids) == 2 and gone(pids)


@pytest.mark.skipif(sys.platform != "linux", reason="only Linux gives a guard the orphans of its command")
def test_what_outlives_a_command_that_left_its_group_is_gone(tmp_path: Path) -> None:
    process = ChildProcess(
        ["sh", "-c", "(setsid sh -c 'sleep 600; true' & echo $!); exit 4"], tmp_path / "log", {}
    )
    pids = told(process.log)
    assert process._guard.wait(120) == 4 and gone(pids)


def test_a_command_that_ignores_the_polite_signal_is_killed(tmp_path: Path) -> None:
    process = ChildProcess(["sh", "-c", DEAF], tmp_path / "log", {}, grace=0.2)
    pids = told(process.log)
    process.stop()
    assert process.code == 128 + signal.SIGKILL and gone(pids)


def test_the_guard_that_is_told_to_end_ends_the_command(tmp_path: Path) -> None:
    process = ChildProcess(["sh", "-c", FAMILY], tmp_path / "log", {})
    pids = told(process.log)
    process._guard.send_signal(signal.SIGTERM)
    assert gone(pids)
    process.stop()


def test_its_environment_its_code_and_the_end_of_its_log(tmp_path: Path) -> None:
    command = ["sh", "-c", "echo one; echo two; echo $WORD >&2; exit 3"]
    process = ChildProcess(command, tmp_path / "log", {"WORD": "three"})
    assert process._guard.wait(120) == 3 == process.code
    assert process.tail(2) == ["two", "three"]
