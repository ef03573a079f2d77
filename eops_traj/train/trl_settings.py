"""TRL's own arguments in a training config, under ``trl``: checked by name and type before anything is read.

Those that a setting of ours governs are refused with its name, so that a config says each thing once; those
that a recipe relies on are refused too.
"""

import dataclasses
import difflib
import typing
from collections.abc import Iterator, Mapping
from pkgutil import resolve_name
from typing import Any

from pydantic import TypeAdapter, ValidationError

from eops_traj.errors import ConfigError, InputError
from eops_traj.train.config import TrainingConfig
from eops_traj.untrusted.json_text import shorten_value

GOVERNED = {
    "output_dir": "output", "num_train_epochs": "epochs", "per_device_train_batch_size": "batch_size",
    "gradient_accumulation_steps": "accumulate", "lr_scheduler_type": "schedule", "warmup_steps": "warmup",
    "warmup_ratio": "warmup", "adam_beta2": "beta2", "activation_checkpointing": "recompute",
    "gradient_checkpointing": "recompute", "logging_steps": "log_steps",
    "save_total_limit": "keep_checkpoints", "chat_template_path": "chat_template",
    "train_sampling_strategy": "group_by_length", "loss_type": "loss", "loss_weights": "sft_weight",
    "desirable_weight": "balance", "undesirable_weight": "balance", "num_generations": "generations",
    "max_completion_length": "max_new_tokens", "max_tool_calling_iterations": "max_turns",
}  # fmt: skip
"""Our setting in the place of an argument, where their names differ; most others are called alike."""

FIXED = {
    "assistant_only_loss": "loss is on the assistant's text alone",
    "completion_only_loss": "loss is on the assistant's text alone",
    "precompute_ref_log_probs": "the reference is asked once, before the first step",
    "remove_unused_columns": "the recipe keeps the columns that it needs",
    "resume_from_checkpoint": "give --resume",
    "use_cpu": "a GPU is used where there is one",
    "ddp_timeout": "processes are connected before a config is read, and wait half an hour for one another",
    "ddp_backend": "processes are connected before a config is read",
    "trust_remote_code": "code that comes with a checkpoint is never run",
    "hub_token": "a config is recorded with all that is in it; `hf auth login` keeps a token",
}
"""Arguments that the recipes rely on, and why."""

DEFAULTS = ("report_to", "logging_first_step", "dataloader_pin_memory")
"""Arguments that every run gives and a config may give otherwise."""


def check_trl(config: TrainingConfig, where: str) -> dict[str, Any]:
    """Return the values of a config's ``trl``, as their types have them.

    Raises ConfigError with every problem: names that the recipe's TRL config lacks, with those that are near;
    names that another setting governs; values of another type; and places to report to that are not there.
    """
    if not config.trl:
        return {}
    arguments = _arguments(resolve_name(config.TRL))
    values: dict[str, Any] = {}
    problems = []
    for name, value in config.trl.items():
        if problem := _name_problem(name, config, arguments):
            problems.append(problem)
            continue
        try:
            values[name] = TypeAdapter(arguments[name]).validate_python(value)
        except ValidationError as error:
            problems.append(f"trl.{name}: {error.errors()[0]['msg']}, not {shorten_value(value)}")
    if problems := [*problems, *_report_problems(values.get("report_to"))]:
        raise ConfigError(where, problems)
    return values


def make_trl_config(config: TrainingConfig, **given: Any) -> Any:
    """Make the recipe's TRL config from what the other settings come to, and ``trl``.

    Raises ConfigError for what :func:`check_trl` refuses, InputError for values that TRL itself does.
    """
    own = check_trl(config, config.recipe)
    if taken := [name for name in own if name in given and name not in DEFAULTS]:
        raise ConfigError(config.recipe, [f"trl.{name}: the recipe sets it by itself" for name in taken])
    try:
        return resolve_name(config.TRL)(**{**given, **own})
    except (ValueError, TypeError, ImportError) as error:
        raise InputError(f"cannot train so: {error}") from error


def _arguments(cls: Any) -> dict[str, Any]:
    """Return the arguments of a TRL config, with their types."""
    hints = typing.get_type_hints(cls)
    return {field.name: hints[field.name] for field in dataclasses.fields(cls) if field.init}


def _name_problem(name: str, config: TrainingConfig, arguments: Mapping[str, Any]) -> str | None:
    settings = type(config).model_fields
    if (key := GOVERNED.get(name, name)) in settings:
        return f"trl.{name}: give {key} instead, which sets it"
    if name.startswith("vllm_") and "vllm" in settings:
        return f"trl.{name}: give it under vllm"
    if name in FIXED:
        return f"trl.{name}: it stays as it is: {FIXED[name]}"
    if name in arguments:
        return None
    near = difflib.get_close_matches(name, arguments, n=3)
    there = f"choose from {', '.join(near)}" if near else f"{config.TRL.partition(':')[2]} has none like it"
    return f"unknown key 'trl.{name}'; {there}"


def _report_problems(report_to: Any) -> Iterator[str]:
    """Yield what is wrong with the places that losses are reported to."""
    from transformers.integrations import integration_utils

    known = integration_utils.INTEGRATION_TO_CALLBACK
    installed = integration_utils.get_available_reporting_integrations()  # type: ignore[no-untyped-call]
    named = [report_to] if isinstance(report_to, str) else report_to or []
    for name in named:
        if name in ("none", "all"):
            continue
        if name not in known:
            yield f"trl.report_to: there is no {name!r}; choose from {', '.join(sorted(known))}"
        elif name not in installed:
            yield f"trl.report_to: {name} is not installed: `pip install {name}`"
