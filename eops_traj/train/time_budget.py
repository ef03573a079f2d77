"""A run of so many seconds, whatever its rows: its schedule goes by the clock.

So two ways of training can be compared at the same cost, however long the steps of each are.
"""

import time
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from eops_traj.train.ranks import Ranks

if TYPE_CHECKING:
    from transformers import Trainer

ENDLESS = 10_000_000
"""The steps of a schedule that ends by the clock; none is so quick."""


def keep_time(trainer: "Trainer", seconds: float, clock: Callable[[], float] = time.monotonic) -> None:
    """End the trainer's run after so many seconds, exams included, at the end of its schedule.

    The learning rate is that of the share of the seconds which have passed. All ranks go by the clock of the
    first; a resumed run goes on with the seconds that its checkpoint was written after.
    """
    from transformers import PrinterCallback, ProgressCallback, TrainerCallback
    from transformers.trainer_callback import ExportableState

    ranks = Ranks(trainer.accelerator.process_index, trainer.accelerator.num_processes)

    class TimeBudget(TrainerCallback, ExportableState):
        """Keeps the time of one run."""

        def __init__(self) -> None:
            self.before = self.spent = 0.0
            self.begun = clock()

        def state(self) -> dict[str, Any]:
            """Return what a checkpoint keeps."""
            return {"args": {}, "attributes": {"spent": self.spent}}

        def on_train_begin(self, args: Any, state: Any, control: Any, **given: Any) -> None:
            """Start the clock, where it was left, and have the schedule go by it."""
            kept = state.stateful_callbacks.get(type(self).__name__, self.state())
            self.before, self.begun = kept["attributes"]["spent"], clock()
            self.spent = self.before
            schedule = given["lr_scheduler"]
            schedule.lr_lambdas = [self._by_time(shape) for shape in schedule.lr_lambdas]

        def _by_time(self, shape: Any) -> Any:
            return lambda _: shape(min(self.spent / seconds, 1.0) * ENDLESS)

        def on_pre_optimizer_step(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Read the clock, for the rate of the next step."""
            self.spent = ranks.from_first(lambda: self.before + clock() - self.begun)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """End the run where the time is over; until then say how many steps it will be at this pace."""
            pace = state.global_step / max(self.spent, 1e-9)
            state.max_steps = max(state.global_step + 2, round(pace * seconds))  # where it ends by itself
            control.should_training_stop = control.should_training_stop or self.spent >= seconds

    trainer.remove_callback(ProgressCallback)  # whose bar would count up to the last step there could be
    trainer.add_callback(PrinterCallback)
    trainer.add_callback(TimeBudget())
