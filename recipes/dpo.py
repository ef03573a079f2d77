"""Direct preference optimisation: of two replies to one prompt, the one that was verified is made likelier.

Run it with ``eops-traj train CONFIG`` or as it stands, ``python recipes/dpo.py CONFIG``. It takes data of
format ``planner_dpo`` (two plans of one task), ``step_dpo`` and ``corrections`` (two next steps of one
conversation, each a single message, so that no tool result carries loss). It starts from a trained
checkpoint, which is also the reference that it is held close to.
"""

import dataclasses
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Literal

from pydantic import Field, PositiveFloat, model_validator

from eops_traj.train.config import CheckpointConfig
from eops_traj.train.length_filter import LENGTH, RowSize, measure_replies
from eops_traj.train.load_model import load_training_model, load_training_tokenizer, peft_config
from eops_traj.train.row_fit import fit_rows
from eops_traj.train.row_order import ordered
from eops_traj.train.run_folder import open_data
from eops_traj.train.run_trainer import keep_columns, run_trainer, trainer_errors, trl_arguments
from eops_traj.train.stop_token_collator import StopTokenCollator, padding_token
from eops_traj.train.training_sequences import servable_rows
from eops_traj.train.trl_settings import make_trl_config

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase
    from trl.trainer.dpo_config import DPOConfig
    from trl.trainer.dpo_trainer import DPOTrainer

FORMATS = ("planner_dpo", "step_dpo", "corrections")
COLUMNS = ("prompt", "chosen", "rejected", "tools", LENGTH)
BATCHED = ("prompt_ids", "chosen_ids", "rejected_ids", "ref_chosen_logps", "ref_rejected_logps", LENGTH)
"""The columns of a tokenized row that batches are made of."""


class Config(CheckpointConfig):
    """The settings of a run."""

    TRL: ClassVar[str] = "trl.trainer.dpo_config:DPOConfig"
    recipe: Literal["dpo"]
    beta: PositiveFloat = 0.1
    """How closely the model is held to the reference: more is closer."""
    loss: Literal["sigmoid", "ipo", "hinge", "robust", "sigmoid_norm"] = "sigmoid"
    label_smoothing: Annotated[float, Field(ge=0, lt=0.5)] = 0.0
    """The share of pairs that may be the wrong way round, for the robust loss; other losses take none."""
    sft_weight: Annotated[float, Field(ge=0)] = 0.0
    """How much the loss of the chosen reply counts besides; it keeps that reply itself from getting rarer."""
    group_by_length: bool = False
    """Pairs of about the same length in one batch: less padding, a little less chance in the order."""

    @model_validator(mode="after")
    def _smoothing_that_counts(self) -> "Config":
        """Refuse a smoothing that TRL would leave unread: of the losses here robust alone reads it."""
        if self.label_smoothing and self.loss != "robust":
            raise ValueError(
                f"label_smoothing: of the losses robust alone reads it, not {self.loss}; give loss=robust, or"
                " leave label_smoothing out"
            )
        return self


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
    """Measure each pair: a pair fits where both its replies do."""
    for row in servable_rows(rows, tokenizer):
        replies = (row["chosen"], row["rejected"])
        yield measure_replies(tokenizer, row["prompt"], replies, row.get("tools") or [])


def make_trainer(config: Config, tokenizer: "PreTrainedTokenizerBase", rows: "Dataset") -> "DPOTrainer":
    """Make TRL's trainer for a model and rows. Raises InputError for settings that do not fit the model."""
    from trl.trainer.dpo_trainer import DataCollatorForPreference, DPOTrainer

    collator = DataCollatorForPreference(padding_token(tokenizer), max_length=config.max_length)
    with trainer_errors():
        trainer: DPOTrainer = ordered(DPOTrainer)(
            args=trl_config(config),
            model=load_training_model(config),
            data_collator=StopTokenCollator(collator, tokenizer.eos_token_id),
            train_dataset=keep_columns(rows, COLUMNS),
            processing_class=tokenizer,
            peft_config=peft_config(config.lora),
        )
    tokenized: Any = trainer.train_dataset
    trainer.train_dataset = keep_columns(tokenized, BATCHED)
    return trainer


def trl_config(config: Config) -> "DPOConfig":
    """Return the settings in TRL's terms.

    The reference's log-probabilities are computed once, before the first step: the reference then needs no
    memory, and an epoch no second forward pass.
    """
    weighted = {"loss_type": [config.loss, "sft"], "loss_weights": [1.0, config.sft_weight]}
    settings: DPOConfig = make_trl_config(
        config,
        **trl_arguments(config),
        **(weighted if config.sft_weight else {"loss_type": [config.loss]}),
        max_length=config.max_length,
        beta=config.beta,
        label_smoothing=config.label_smoothing,
        precompute_ref_log_probs=True,
        train_sampling_strategy="group_by_length" if config.group_by_length else "random",
        remove_unused_columns=False,  # the lengths would go; make_trainer keeps what is needed
    )
    return settings


if __name__ == "__main__":
    from eops_traj.cli.main import main

    main(["train", *sys.argv[1:]])
