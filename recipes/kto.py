"""Kahneman-Tversky optimisation: single plans, each known to pass or to fail, with no pairs needed.

Run it with ``eops-traj train CONFIG`` or as it stands, ``python recipes/kto.py CONFIG``. It takes data of
format ``kto``. It starts from a trained checkpoint, which is also the reference that it is held close to.
"""

import dataclasses
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import Field, PositiveFloat

from eops_traj.errors import InputError
from eops_traj.train.config import CheckpointConfig
from eops_traj.train.length_filter import RowSize, measure_replies
from eops_traj.train.load_model import load_training_model, load_training_tokenizer, peft_config
from eops_traj.train.row_fit import fit_rows
from eops_traj.train.run_folder import open_data
from eops_traj.train.run_trainer import run_trainer, trainer_errors, trl_arguments
from eops_traj.train.stop_token_collator import StopTokenCollator, padding_token
from eops_traj.train.training_sequences import servable_rows
from eops_traj.train.trl_settings import make_trl_config

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase
    from trl.trainer.kto_config import KTOConfig
    from trl.trainer.kto_trainer import KTOTrainer

FORMATS = ("kto",)


class Config(CheckpointConfig):
    """The settings of a run."""

    TRL: ClassVar[str] = "trl.trainer.kto_config:KTOConfig"
    recipe: Literal["kto"]
    batch_size: int = Field(2, ge=2)
    """At least 2: each reply is compared with its neighbour's prompt, to estimate how far the model moved."""
    beta: PositiveFloat = 0.1
    """How closely the model is held to the reference: more is closer."""
    balance: bool = True
    """Weigh plans that pass and plans that fail so that each kind counts the same in all."""


def run(config: Config, *, resume: bool = False, dry_run: bool = False) -> dict[str, Any]:
    """Train as the config says and return the metrics. Raises InputError with nothing written.

    A dry run ends before any weight is loaded, and returns how many rows fit.
    """
    with open_data(config, FORMATS, resume) as data:
        tokenizer = load_training_tokenizer(config, data.checkpoint)
        sizes = row_sizes(data.rows, tokenizer)
        rows, counts = fit_rows(config, data.rows, sizes, data.certificate.format)
        if dry_run:
            return dataclasses.asdict(counts)
        return run_trainer(config, data, make_trainer(config, tokenizer, rows), counts)


def row_sizes(rows: "Dataset", tokenizer: "PreTrainedTokenizerBase") -> Iterator[RowSize]:
    """Measure each row."""
    for row in servable_rows(rows, tokenizer):
        size = measure_replies(tokenizer, row["prompt"], [row["completion"]], [])
        yield size if row["label"] else size._replace(reply=0)


def make_trainer(config: Config, tokenizer: "PreTrainedTokenizerBase", rows: "Dataset") -> "KTOTrainer":
    """Make TRL's trainer for a model and rows. Raises InputError for settings that do not fit the model."""
    from trl.trainer.kto_trainer import DataCollatorForUnpairedPreference, KTOTrainer

    collator = DataCollatorForUnpairedPreference(padding_token(tokenizer), max_length=config.max_length)
    with trainer_errors():
        return KTOTrainer(
            args=trl_config(config, rows["label"]),
            model=load_training_model(config),
            data_collator=StopTokenCollator(collator, tokenizer.eos_token_id),
            # the trainer takes rows in this order, since it pairs each with its neighbour beforehand
            train_dataset=rows.select_columns(["prompt", "completion", "label"]).shuffle(seed=config.seed),
            processing_class=tokenizer,
            peft_config=peft_config(config.lora),
        )


def trl_config(config: Config, labels: list[bool]) -> "KTOConfig":
    """Return the settings in TRL's terms. Raises InputError where all plans pass, or all fail."""
    passed = sum(labels)
    failed = len(labels) - passed
    if not passed or not failed:
        raise InputError(f"of {len(labels)} rows that fit {passed} pass and {failed} fail; kto needs both")
    settings: KTOConfig = make_trl_config(
        config,
        **trl_arguments(config),
        max_length=config.max_length,
        beta=config.beta,
        desirable_weight=max(1.0, failed / passed) if config.balance else 1.0,
        undesirable_weight=max(1.0, passed / failed) if config.balance else 1.0,
        precompute_ref_log_probs=True,
    )
    return settings


if __name__ == "__main__":
    from eops_traj.cli.main import main

    main(["train", *sys.argv[1:]])
