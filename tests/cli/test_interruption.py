"""Ctrl-C ends a command with a line that says what is kept and how to go on."""

import builtins
import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.cli import entry
from eops_traj.cli.interruption import KEPT, says_what_is_kept
from eops_traj.collect.stats import RunStats
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.pipeline.runner import STATE
from eops_traj.pipeline.stages import Stage
from tests.cli.test_main import COMMANDS
from tests.conftest import Ran
from tests.made import made_workspace
from tests.waiting import eventually

COLLECT = ("collect", "collect_expert", "--store", "s", "tasks.source={}/suite", "attempts=1")
OPENED = EpisodeWriter.__enter__


def stopped(config: str, overrides: list[str] | None) -> None:
    raise KeyboardInterrupt


def test_training_names_the_command_that_goes_on(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit) as stop:
        says_what_is_kept("train", stopped)(config="train_tiny", overrides=["seed=1", "output=my runs"])
    assert stop.value.code == 130
    assert "`eops-traj train train_tiny seed=1 'output=my runs' --resume` goes on" in capsys.readouterr().err


def test_every_command_has_something_to_say_and_no_other_is_named() -> None:
    assert set(KEPT) <= {" ".join(path) for path in COMMANDS}


def test_a_server_is_stopped_without_a_word(capsys: pytest.CaptureFixture[str]) -> None:
    run: Callable[..., None] = says_what_is_kept("view", stopped)
    with pytest.raises(SystemExit) as stop:
        run(config="", overrides=None)
    assert stop.value.code == 0 and capsys.readouterr().err == ""


@pytest.mark.parametrize("words", [COLLECT, ("train", "train_tiny")], ids=lambda words: words[0])
def test_in_a_loop_the_loops_line_is_the_only_one(
    words: tuple[str, ...], cli: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What its commands say of themselves is not the way to go on with it."""
    monkeypatch.chdir(tmp_path)
    stages = [Stage("one", "first", (tuple(word.format(made_workspace()) for word in words),))]
    monkeypatch.setattr("eops_traj.pipeline.stages.stages", lambda *_: stages)
    monkeypatch.setattr("eops_traj.train.run.train", lambda *_, **__: stopped("", None))
    monkeypatch.setattr(EpisodeWriter, "__enter__", opened_and_stopped)
    ran = cli("loop", "--work", "w")
    said = [line for line in ran.err.splitlines() if "interrupted" in line]
    assert (ran.code, said) == (130, [f"interrupted: {KEPT['loop']}"]) and "next" not in ran.err
    assert list(json.loads((tmp_path / "w" / STATE).read_text())["left"]) == ["one"]


def test_in_a_loop_that_is_stopped_at_once_it_is_the_loops_line_too(
    cli: Callable[..., Ran], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """After a second Ctrl-C the process ends before the loop could say it."""
    monkeypatch.chdir(tmp_path)
    stages = [Stage("one", "first", (tuple(word.format(made_workspace()) for word in COLLECT),))]
    abandoned = RunStats(attempts=2, interrupted=True, abandoned=True)
    monkeypatch.setattr("eops_traj.pipeline.stages.stages", lambda *_: stages)
    monkeypatch.setattr("eops_traj.collect.run.collect", lambda *_, **__: abandoned)
    monkeypatch.setattr("os._exit", sys.exit)
    ran = cli("loop", "--work", "w")
    said = {line for line in ran.err.splitlines() if "interrupted" in line}
    assert (ran.code, said) == (130, {f"interrupted: {KEPT['loop']}"})


def opened_and_stopped(writer: EpisodeWriter) -> EpisodeWriter:
    """Press Ctrl-C as the first episodes are about to be made."""
    os.kill(os.getpid(), signal.SIGINT)
    return OPENED(writer)


def seconds_of_children(process: int) -> float:
    """Return the processor time that the processes of one have used by now, in seconds."""
    children = Path(f"/proc/{process}/task/{process}/children").read_text().split()
    stats = [Path(f"/proc/{child}/stat").read_text().rpartition(")")[2].split() for child in children]
    return sum(int(stat[11]) + int(stat[12]) for stat in stats) / os.sysconf("SC_CLK_TCK")


def test_making_tasks_is_stopped_by_one_line_and_leaves_nothing(tmp_path: Path) -> None:
    words = ("tasks", "make", "--workers", "2", "--out", str(tmp_path / "tasks"))
    command = (sys.executable, "-m", "eops_traj.cli", *words)
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, start_new_session=True) as process:
        assert eventually(lambda: seconds_of_children(process.pid) > 3.5, 300)  # they are past their imports
        os.killpg(process.pid, signal.SIGINT)  # as a terminal does: every process of the group
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and "Traceback" not in errors, errors
    assert errors.strip().splitlines()[-1].startswith("interrupted: nothing is kept; the same command")
    assert not (tmp_path / "tasks").exists()


def test_while_the_program_begins_it_is_one_line_too(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupted(name: str, *rest: object, **options: object) -> object:
        if name == "eops_traj.cli.main":
            raise KeyboardInterrupt
        return imported(name, *rest, **options)

    imported = builtins.__import__
    monkeypatch.setattr(builtins, "__import__", interrupted)
    with pytest.raises(SystemExit) as stop:
        entry.main()
    assert stop.value.code == 130 and capsys.readouterr().err == "interrupted: nothing was begun\n"
