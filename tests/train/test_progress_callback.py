"""Training shows the bar of all long work on a terminal, and leaves the trainer's log where there is none."""

import io
from types import SimpleNamespace
from typing import Any

import pytest
from rich.console import Console

from eops_traj.train.progress_callback import show_steps


class Recorder:
    """What is asked of a trainer."""

    def __init__(self) -> None:
        self.added: list[Any] = []
        self.removed: list[Any] = []

    def add_callback(self, callback: Any) -> None:
        self.added.append(callback)

    def remove_callback(self, callback: Any) -> None:
        self.removed.append(callback)


def test_a_terminal_shows_steps_and_loss_and_has_its_cursor_back_after_an_interruption() -> None:
    trainer: Any = Recorder()
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80)
    with pytest.raises(KeyboardInterrupt), show_steps(trainer, console):
        (callback,) = trainer.added
        state = SimpleNamespace(is_world_process_zero=True, max_steps=7, global_step=0)
        callback.on_train_begin(None, state, None)
        state.global_step = 3
        callback.on_step_end(None, state, None)
        callback.on_log(None, state, None, logs={"loss": 0.5})
        state.global_step, state.max_steps = 4, 9  # as a run by the clock estimates them
        callback.on_step_end(None, state, None)
        raise KeyboardInterrupt
    assert "4/9" in file.getvalue() and "loss 0.5" in file.getvalue() and len(trainer.removed) == 2
    assert file.getvalue().rindex("\x1b[?25h") > file.getvalue().rindex("\x1b[?25l")


def test_a_log_keeps_what_the_trainer_says() -> None:
    trainer: Any = Recorder()
    with show_steps(trainer, Console(file=io.StringIO())):
        assert trainer.added == trainer.removed == []
