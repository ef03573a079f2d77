"""A process is gone when nobody has its number, or somebody who started at another time."""

import os
import subprocess
import sys

from eops_traj.sandbox.process_id import is_gone, owner


def test_who_runs_is_there_and_who_ended_is_gone() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        named = owner(other.pid)
        assert not is_gone(named) and not is_gone(owner()) and owner() == owner(os.getpid())
    assert is_gone(named)


def test_a_number_used_again_is_another_process() -> None:
    machine, number, started = owner().rsplit(":", 2)
    assert is_gone(f"{machine}:{number}:{int(started) - 1}")


def test_of_another_machine_nothing_is_known() -> None:
    _, number, started = owner().rsplit(":", 2)
    assert not is_gone(f"elsewhere:{number}:{int(started) - 1}") and not is_gone("") and not is_gone("x:y:z")
