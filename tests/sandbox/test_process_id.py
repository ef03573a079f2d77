"""A process is gone when nobody has its number, or somebody who started at another time."""

import os
import subprocess
import sys

import pytest

from eops_traj.sandbox import docker
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


def test_who_runs_has_not_ended_where_nobody_tells_when_it_started(monkeypatch: pytest.MonkeyPatch) -> None:
    """As for another user's process where /proc hides those: its containers were taken for left behind."""
    label = process_label()
    monkeypatch.setattr(docker, "_started", lambda process: "running")
    assert not has_ended(label) and not has_ended(process_label())
    monkeypatch.setattr(docker, "_started", lambda process: "ended")
    assert has_ended(label)


def test_of_another_machine_nothing_is_known() -> None:
    _, number, started = process_label().rsplit(":", 2)
    assert (
        not has_ended(f"elsewhere:{number}:{int(started) - 1}")
        and not has_ended("")
        and not has_ended("x:y:z")
    )
