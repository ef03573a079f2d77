"""Evaluation during training: every so many steps the model's plans are run, and the best model is kept.

A loss says how well a model repeats plans; only a sandbox says whether its own plans do the work.
"""

from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from eops_traj.train.best_checkpoint import BestCheckpoint
from eops_traj.train.config import TrainingConfig
from eops_traj.train.plan_eval import PlanEval, Rates

if TYPE_CHECKING:
    from transformers import Trainer


def add_eval_callback(trainer: "Trainer", config: TrainingConfig, plan_eval: PlanEval) -> None:
    """Have a trainer's model evaluated as the config says, and once more at the end."""
    from transformers import TrainerCallback

    runner = EvalRunner(trainer, config, plan_eval)

    class EvalCallback(TrainerCallback):
        """Has the runner evaluate after steps."""

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Evaluate after every so many steps."""
            if state.global_step % runner.steps == 0:
                runner.evaluate(state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Evaluate after the last step."""
            if runner.last != state.global_step:
                runner.evaluate(state.global_step)

    trainer.add_callback(EvalCallback())


class EvalRunner:
    """Evaluates the model of a run and keeps the best one.

    In a distributed run every process writes the same plans and comes to the same rates, since the model may
    be in parts; the main one writes the log.
    """

    def __init__(self, trainer: "Trainer", config: TrainingConfig, plan_eval: PlanEval) -> None:
        """Take from ``config`` how often to evaluate, and where the run's output is."""
        assert config.evaluate is not None
        self.steps = config.evaluate.steps
        self.last: int | None = None
        self._plan_eval, self._best = plan_eval, BestCheckpoint(config.output)
        self._trainer: Any = trainer

    def evaluate(self, step: int) -> None:
        """Evaluate the model after a step, and keep it where it is better than any before."""
        from transformers import Trainer

        trainer, best = self._trainer, self._best
        self.last, rates = step, self._rates()
        logged = {f"plans/{name}": value for name, value in asdict(rates).items() if value is not None}
        Trainer.log(trainer, logged)  # TRL's own way adds its averages here and leaves them out of the losses
        better = best.beaten_by(rates)
        trainer.accelerator.wait_for_everyone()  # all have looked before any writes
        saved = best.output / "best.tmp"
        if better:
            trainer.save_model(str(saved))
        if trainer.is_world_process_zero():
            best.log(step, rates)
            if better:
                best.keep(saved, step, rates)

    def _rates(self) -> Rates:
        from trl.models.utils import unwrap_model_for_generation

        trainer = self._trainer
        with unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model:
            training = model.training
            model.eval()
            rates = self._plan_eval.rates(model, trainer.processing_class)
            model.train(training)
        return rates
