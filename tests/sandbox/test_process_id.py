"""A process is gone when nobody has its number, or somebody who started at another time."""

import os
import subprocess
import sys

from eops_traj.sandbox.docker import has_ended, process_label


def test_who_runs_is_there_and_who_ended_has_ended() -> None:
    with subprocess.Popen([sys.executable, "-c", "input()"], stdin=subprocess.PIPE) as other:
        named = process_label(other.pid)
        assert (
            not has_ended(named)
            and not has_ended(process_label())
            and process_label() == process_label(os.getpid())
        )
    assert has_ended(named)


def test_a_number_used_again_is_another_process() -> None:
    machine, number, started = process_label().rsplit(":", 2)
    assert has_ended(f"{machine}:{number}:{int(started) - 1}")


def test_of_another_machine_nothing_is_known() -> None:
    _, number, started = process_label().rsplit(":", 2)
    assert (
        not has_ended(f"elsewhere:{number}:{int(started) - 1}")
        and not has_ended("")
        and not has_ended("x:y:z")
    )
