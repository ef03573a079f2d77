"""Evaluation during training: every so many steps the model's plans are run, and the best model is kept.

A loss says how well a model repeats plans; only a sandbox says whether its own plans do the work.
"""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import asdict
from typing import TYPE_CHECKING, Any, Protocol

from eops_traj.train.best_checkpoint import BestCheckpoint
from eops_traj.train.config import TrainingConfig
from eops_traj.train.plan_eval import Rates
from eops_traj.train.ranks import Ranks
from eops_traj.train.sharded_generation import generating_whole

if TYPE_CHECKING:
    from transformers import PreTrainedModel, PreTrainedTokenizerBase, Trainer


class Exam(Protocol):
    """Held-out tasks that a model is examined on."""

    def rates(
        self, model: "PreTrainedModel", tokenizer: "PreTrainedTokenizerBase", ranks: Ranks = ...
    ) -> Rates:
        """Return on every rank how a model fares on all tasks, each of them done by one rank."""


def add_eval_callback(trainer: "Trainer", config: TrainingConfig, exam: Exam) -> "EvalRunner":
    """Have a trainer's model evaluated as the config says, and once more at the end."""
    assert config.evaluate is not None
    first = config.evaluate.first
    from transformers import TrainerCallback

    runner = EvalRunner(trainer, config, exam)

    class EvalCallback(TrainerCallback):
        """Has the runner evaluate before and after steps."""

        def on_train_begin(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Evaluate before the first step, where the config says so and none was made yet."""
            if first and state.global_step == 0:
                runner.evaluate(0)

        def on_step_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Evaluate after every so many steps."""
            if state.global_step % runner.steps == 0:
                runner.evaluate(state.global_step)

        def on_train_end(self, args: Any, state: Any, control: Any, **_: Any) -> None:
            """Evaluate after the last step."""
            if runner.last != state.global_step:
                runner.evaluate(state.global_step)

    trainer.add_callback(EvalCallback())
    return runner


class EvalRunner:
    """Evaluates the model of a run and keeps the best one.

    In a distributed run every rank does its share of the tasks. The first one decides from the rates of all
    whether the model is the best so far, keeps it and writes the log.
    """

    def __init__(self, trainer: "Trainer", config: TrainingConfig, exam: Exam) -> None:
        """Take from ``config`` how often to evaluate, and where the run's output is."""
        assert config.evaluate is not None
        self.steps = config.evaluate.steps
        self.last: int | None = None
        self.seconds = 0.0
        """The time that evaluations took so far."""
        self._exam, self._best = exam, BestCheckpoint(config.output)
        self._trainer: Any = trainer
        self._ranks = Ranks(trainer.accelerator.process_index, trainer.accelerator.num_processes)

    def evaluate(self, step: int) -> None:
        """Evaluate the model after a step, and keep it where it is better than any before.

        Before the first step, 0, it is no model of this run, and not kept.
        """
        from transformers import Trainer

        started, trainer, best = time.monotonic(), self._trainer, self._best
        self.last, rates = step, self._rates()
        what = getattr(self._exam, "what", "plans")
        logged = {f"{what}/{name}": value for name, value in asdict(rates).items() if value is not None}
        due = trainer.control.should_log
        Trainer.log(trainer, logged)  # TRL's own way adds its averages here and leaves them out of the losses
        trainer.control.should_log = due  # which logging ends, and this step's loss is still to come
        better = self._ranks.from_first(lambda: step > 0 and best.beaten_by(rates))
        saved = best.output / "best.tmp"
        if better:
            trainer.save_model(str(saved))  # by all ranks, since each may hold a part of it
        if self._ranks.first:
            print(f"step {step}: {rates}", flush=True)
            best.log(step, rates)
            if better:
                best.keep(saved, step, rates)
        self.seconds += time.monotonic() - started

    def _rates(self) -> Rates:
        from trl.models.utils import unwrap_model_for_generation

        trainer = self._trainer
        with (
            checkpointing_kept(trainer.model),
            unwrap_model_for_generation(trainer.model_wrapped, trainer.accelerator) as model,
            generating_whole(model),
        ):
            training = model.training
            model.eval()
            rates = self._exam.rates(model, trainer.processing_class, self._ranks)
            model.train(training)
        return rates


@contextmanager
def checkpointing_kept(model: Any) -> Iterator[None]:
    """Leave activation checkpointing as it was, which TRL switches off to generate and on with its defaults.

    Each module has a switch and the function that it is called through, which holds ``use_reentrant`` and
    whatever else the run's ``activation_checkpointing_kwargs`` say.
    """
    names = ("gradient_checkpointing", "_gradient_checkpointing_func")
    switched = [module for module in model.modules() if hasattr(module, names[0])]
    before = [{name: vars(module)[name] for name in names if name in vars(module)} for module in switched]
    try:
        yield
    finally:
        for module, settings in zip(switched, before, strict=True):
            vars(module).update(settings)
