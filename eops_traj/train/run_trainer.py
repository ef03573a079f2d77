"""A run of any of TRL's trainers, from its arguments to its card."""

import contextlib
import dataclasses
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.files import write_json
from eops_traj.train.best_checkpoint import BestCheckpoint, read_evaluation
from eops_traj.train.config import TrainingConfig
from eops_traj.train.eval_callback import EvalRunner, Exam, add_eval_callback
from eops_traj.train.kept_memory import is_small, keep_freed_memory
from eops_traj.train.length_filter import RowCounts
from eops_traj.train.model_card import write_card
from eops_traj.train.plan_eval import PlanEval
from eops_traj.train.precision import computes_in_bfloat16
from eops_traj.train.progress_callback import show_steps
from eops_traj.train.run_folder import METRICS, TrainingData, build_metrics, claim_output
from eops_traj.train.run_totals import Counts, keep_totals
from eops_traj.train.throughput import TokenMeter, throughput
from eops_traj.train.time_budget import ENDLESS, keep_time

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import Trainer


def trl_arguments(config: TrainingConfig) -> dict[str, Any]:
    """Return the arguments that every TRL trainer has in common. Nothing is reported or pushed anywhere."""
    import torch

    return {
        "output_dir": str(config.output),
        "num_train_epochs": config.epochs,
        "max_steps": ENDLESS if config.seconds else config.max_steps or -1,
        "per_device_train_batch_size": config.batch_size,
        "gradient_accumulation_steps": config.accumulate,
        "learning_rate": config.learning_rate,
        "lr_scheduler_type": config.schedule,
        "warmup_steps": config.warmup,
        "weight_decay": config.weight_decay,
        "adam_beta2": config.beta2,
        "bf16": config.bf16 and computes_in_bfloat16(),
        "activation_checkpointing": config.recompute,
        "logging_steps": config.log_steps,
        "logging_first_step": True,
        "save_steps": config.save_steps,
        "save_total_limit": config.keep_checkpoints,
        "seed": config.seed,
        "report_to": "none",
        "use_cpu": not torch.cuda.is_available(),
        "dataloader_pin_memory": torch.cuda.is_available(),
    }


def keep_columns(rows: "Dataset", names: Iterable[str]) -> "Dataset":
    """Keep those of the named columns that rows have."""
    return rows.select_columns([name for name in names if name in rows.column_names])


@contextlib.contextmanager
def trainer_errors() -> Iterator[None]:
    """Raise InputError for settings that TRL or peft refuse, since they do not fit the model."""
    try:
        yield
    except ValueError as error:
        raise InputError(f"cannot train this model so: {error}") from error


def run_trainer(
    config: TrainingConfig,
    data: TrainingData,
    trainer: "Trainer",
    counts: RowCounts,
    *,
    exam: Exam | None = None,
    count: Callable[[], Counts] = dict,
    report: Callable[[Counts], Mapping[str, Any]] = lambda counts: {},
) -> dict[str, Any]:
    """Train, save the model with its card, and return the metrics, those of ``report`` among them.

    Every process of a distributed run comes through here; only the main one writes. An evaluation is one of
    plans where no other ``exam`` is given. What ``count`` counts, over all processes, ``report`` gets for the
    whole run, the parts before it was resumed included. Raises InputError, with nothing written, where there
    are no tasks to evaluate on.
    """
    if config.evaluate:
        exam = exam or PlanEval.of(config.evaluate, data.certificate.options)
    examiner = add_eval_callback(trainer, config, exam) if exam else None
    if config.seconds:
        keep_time(trainer, config.seconds)
    main, meter = trainer.is_world_process_zero(), TokenMeter.on(trainer)
    if main:
        claim_output(config, data.certificate, data.processes, data.leaks.left_out)
    if trainer.model and is_small(trainer.model, trainer.args.device.type):
        keep_freed_memory()
    totals = keep_totals(trainer, partial(_count, trainer, meter, examiner, time.monotonic(), count))
    with show_steps(trainer):
        trainer.train(resume_from_checkpoint=str(data.checkpoint) if data.checkpoint else None)
    whole = totals.whole()
    _save_last(config, trainer)
    origin = {"rows_by": data.certificate.rows_by, "leaks": dataclasses.asdict(data.leaks)}
    counted = {"rows": dataclasses.asdict(counts), "processes": data.processes}
    measured = {**counted, **origin, **_measure(trainer, whole), **report(whole)}
    return _publish(config, data, measured) if main else build_metrics(config, data.certificate, measured)


def _save_last(config: TrainingConfig, trainer: "Trainer") -> None:
    """Save the model as it is in the end: as ``model``, or as ``last`` where an exam chooses ``model``."""
    trainer.save_model(str(config.output / ("last" if config.evaluate else "model")))


def _publish(config: TrainingConfig, data: TrainingData, measured: dict[str, Any]) -> dict[str, Any]:
    """Write the card of the model and the metrics, then give the model its name."""
    best = BestCheckpoint(config.output)
    folder = best.folder() if config.evaluate else None
    evaluation = read_evaluation(folder) if folder else None
    metrics = build_metrics(config, data.certificate, {**measured, "best": evaluation})
    write_card(folder or best.model, config, metrics)
    write_json(config.output / METRICS, metrics)
    best.publish()
    return metrics


def _count(
    trainer: "Trainer", meter: TokenMeter, examiner: EvalRunner | None, started: float,
    more: Callable[[], Counts],
) -> Counts:  # fmt: skip
    """Count the seconds so far, those ``aside`` from learning among them, and the tokens of all processes."""
    aside = (examiner.seconds if examiner else 0.0) + getattr(trainer, "seconds_before", 0.0)
    return {"seconds": time.monotonic() - started, "aside": aside, **meter.of_all(trainer), **more()}


def _measure(trainer: "Trainer", whole: Counts) -> dict[str, Any]:
    """Collect losses, rewards, sizes and the pace from the trainer, its log and what the run counted."""
    logged = [entry for entry in trainer.state.log_history if "loss" in entry]
    scored = [entry for entry in trainer.state.log_history if "reward" in entry]
    weights = list(trainer.model.parameters()) if trainer.model else []
    return {
        "steps": trainer.state.global_step,
        "seconds": round(whole["seconds"], 1),
        "device": str(trainer.args.device),
        "losses": [{"step": entry["step"], "loss": entry["loss"]} for entry in logged],
        **({"rewards": [{"step": e["step"], "reward": e["reward"]} for e in scored]} if scored else {}),
        "parameters": sum(w.numel() for w in weights),
        "trained_parameters": sum(w.numel() for w in weights if w.requires_grad),
        "throughput": dataclasses.asdict(throughput(trainer, whole)),
    }
