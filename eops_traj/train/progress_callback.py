"""The bar of a training run, in the place of the trainer's own, with the last loss beside it."""

import sys
from collections.abc import Iterator
from contextlib import ExitStack, contextmanager
from typing import TYPE_CHECKING, Any

from eops_traj.progress.display import make_bar, short

if TYPE_CHECKING:
    from rich.console import Console
    from transformers import Trainer


@contextmanager
def show_steps(trainer: "Trainer", console: "Console | None" = None) -> Iterator[None]:
    """Have a trainer show its steps on the bar of all long work; where that shows nothing, its log stays."""
    from rich.console import Console
    from transformers import PrinterCallback, ProgressCallback, TrainerCallback

    console = console or Console(file=sys.stderr, emoji=False)
    if not console.is_terminal:
        yield
        return
    bar, shown = make_bar(console), ExitStack()

    class StepsCallback(TrainerCallback):
        """Moves the bar on."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Show the bar; a resumed run begins where it was left."""
            if state.is_world_process_zero:
                shown.enter_context(bar)
                bar.add_task("training", total=state.max_steps, completed=state.global_step)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Count a step; of a run by the clock, how many there will be is only estimated."""
            for task in bar.task_ids:
                bar.update(task, completed=state.global_step, total=state.max_steps)

        def on_log(self, args: Any, state: Any, control: Any, logs: Any = None, **_: Any) -> None:
            """Tell the loss."""
            for task in bar.task_ids if "loss" in (logs or {}) else ():
                bar.update(task, description=short(f"training, loss {float(logs['loss']):.3g}"))

    for shown_otherwise in (ProgressCallback, PrinterCallback):
        trainer.remove_callback(shown_otherwise)
    trainer.add_callback(StepsCallback())
    with shown:  # whatever ends the training, the bar goes and the cursor is back
        yield
