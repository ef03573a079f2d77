"""A run from its first step to its card, the same for every trainer of TRL."""

import dataclasses
import time
from typing import TYPE_CHECKING, Any

from eops_traj.train.best_checkpoint import Best, evaluation
from eops_traj.train.config import TrainingConfig
from eops_traj.train.data import Data
from eops_traj.train.eval_callback import watch
from eops_traj.train.length_filter import Counts
from eops_traj.train.model_card import write_card
from eops_traj.train.plan_eval import Exam
from eops_traj.train.run_folder import claim, metrics_of, write_metrics

if TYPE_CHECKING:
    from transformers import Trainer


def trained(config: TrainingConfig, data: Data, trainer: "Trainer", counts: Counts) -> dict[str, Any]:
    """Train, save the model with its card, and return the metrics.

    Every process of a distributed run comes through here; only the main one writes. Raises InputError, with
    nothing written, where there are no tasks to evaluate on.
    """
    if config.evaluate:
        watch(trainer, config, Exam.of(config.evaluate, data.certificate))
    main = trainer.is_world_process_zero()
    if main:
        print(counts, flush=True)
        claim(config, data.certificate)
    started = time.monotonic()
    trainer.train(resume_from_checkpoint=str(data.checkpoint) if data.checkpoint else None)
    seconds = time.monotonic() - started
    if config.evaluate is None:
        trainer.save_model(str(config.output / "model"))
    found = {"rows": dataclasses.asdict(counts), **measured(trainer, seconds)}
    return _published(config, data, found) if main else metrics_of(config, data.certificate, found)


def _published(config: TrainingConfig, data: Data, found: dict[str, Any]) -> dict[str, Any]:
    """Write the card of the model and the metrics, then give the model its name."""
    best = Best(config.output)
    chosen = best.folder() if config.evaluate else None
    scores = evaluation(chosen) if chosen else None
    metrics = metrics_of(config, data.certificate, {**found, "best": scores})
    write_card(chosen or best.model, config, metrics)
    write_metrics(config, metrics)
    best.publish()
    return metrics


def measured(trainer: "Trainer", seconds: float) -> dict[str, Any]:
    """What a run came to, from the trainer's log."""
    logged = [entry for entry in trainer.state.log_history if "loss" in entry]
    scored = [entry for entry in trainer.state.log_history if "reward" in entry]
    weights = list(trainer.model.parameters()) if trainer.model else []
    return {
        "steps": trainer.state.global_step,
        "seconds": round(seconds, 1),
        "device": str(trainer.args.device),
        "losses": [{"step": entry["step"], "loss": entry["loss"]} for entry in logged],
        **({"rewards": [{"step": e["step"], "reward": e["reward"]} for e in scored]} if scored else {}),
        "parameters": sum(w.numel() for w in weights),
        "trained_parameters": sum(w.numel() for w in weights if w.requires_grad),
    }
