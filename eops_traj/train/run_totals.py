"""What a run counts: seconds, tokens, tries. Its checkpoints keep them, so that a resumed run has them all.

What was done after the last checkpoint and is done again counts once, as its steps do.
"""

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import Trainer

Counts = Mapping[str, float]
"""Counts by their names, over all processes of a run."""


class RunTotals:
    """The counts of a run: those of this part, and of the parts before it was resumed."""

    def __init__(self, count: Callable[[], Counts]) -> None:
        """Take what counts this part; every process comes there together."""
        self.before: Counts = {}
        self._count = count

    def whole(self) -> dict[str, float]:
        """Return the counts of the whole run so far; every process comes here."""
        return {name: self.before.get(name, 0) + value for name, value in self._count().items()}


def keep_totals(trainer: "Trainer", count: Callable[[], Counts]) -> RunTotals:
    """Have the checkpoints of a trainer keep what its run counts, and a resumed run go on from there."""
    from transformers import TrainerCallback
    from transformers.trainer_callback import ExportableState

    totals = RunTotals(count)

    class TotalsCallback(TrainerCallback, ExportableState):
        """Counts before each checkpoint, while all processes are there: only the first one writes."""

        def __init__(self) -> None:
            self.kept: Counts = {}

        def state(self) -> dict[str, Any]:
            """Return what a checkpoint keeps."""
            return {"args": {}, "attributes": {"totals": self.kept}}

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Go on from the counts of the checkpoint that is resumed, where there is one."""
            kept = state.stateful_callbacks.setdefault(type(self).__name__, self.state())
            totals.before = self.kept = kept["attributes"]["totals"]

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Count, where a checkpoint follows."""
            if control.should_save:
                self.kept = totals.whole()

        on_epoch_end = on_step_end

    trainer.add_callback(TotalsCallback())
    return totals
