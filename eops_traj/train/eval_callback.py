"""Evaluation during training: every so many steps the model sits an exam, and the best one is kept.

A loss says how well a model repeats plans; only a sandbox says whether its own plans do the work.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eops_traj.train.best_checkpoint import Best
from eops_traj.train.config import TrainingConfig
from eops_traj.train.plan_eval import Exam, Rates

if TYPE_CHECKING:
    from transformers import Trainer


def watch(trainer: "Trainer", config: TrainingConfig, exam: Exam) -> None:
    """Have a trainer's model examined as the config says, and once more at the end."""
    from transformers import TrainerCallback

    examiner = Examiner(trainer, config, exam)

    class Watching(TrainerCallback):
        """Tells the examiner of steps."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """After a step."""
            if state.global_step % examiner.steps == 0:
                examiner.examine(state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """After the last step."""
            if examiner.last != state.global_step:
                examiner.examine(state.global_step)

    trainer.add_callback(Watching())


class Examiner:
    """Who examines the model of a run and keeps the best one.

    In a distributed run every process writes the same plans and comes to the same rates, since the model may
    be in parts; the main one takes the notes.
    """

    def __init__(self, trainer: "Trainer", config: TrainingConfig, exam: Exam) -> None:
        """``config`` says how often, and where the run's output is."""
        assert config.evaluate is not None
        self.steps = config.evaluate.steps
        self.last: int | None = None
        self._exam, self._best = exam, Best(config.output)
        self._trainer: Any = trainer

    def examine(self, step: int) -> None:
        """Examine the model after a step, and keep it where it is better than any before."""
        trainer, best = self._trainer, self._best
        self.last, rates = step, self._rates()
        _log(trainer, {f"plans/{name}": value for name, value in asdict(rates).items() if value is not None})
        better = best.beaten_by(rates)
        trainer.accelerator.wait_for_everyone()  # all have looked before any writes
        saved = best.output / "best.tmp"
        if better:
            trainer.save_model(str(saved))
        if trainer.is_world_process_zero():
            best.note(step, rates)
            if better:
                best.keep(saved, step, rates)

    def _rates(self) -> Rates:
        from trl.models.utils import unwrap_model_for_generation

        trainer = self._trainer
        with unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model:
            training = model.training
            model.eval()
            rates = self._exam.rates(model, trainer.processing_class)
            model.train(training)
        return rates


def _log(trainer: Any, values: dict[str, Any]) -> None:
    """Log as any trainer does: TRL's way would add its averages here and leave them out of the losses."""
    from transformers import Trainer

    Trainer.log(trainer, values)
