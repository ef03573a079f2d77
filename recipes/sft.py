"""Supervised fine-tuning on exported episodes or on plans: loss on the assistant's text, and nothing else.

Run it with ``eops-traj train CONFIG`` or as it stands, ``python recipes/sft.py CONFIG``. It takes data of
format ``sft`` (whole conversations) and ``planner_sft`` (a request and the plan for it). A model is tuned
whole or through LoRA, or a small one is trained from scratch.
"""

import dataclasses
import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Literal

from pydantic import model_validator

from eops_traj.train.config import TrainingConfig
from eops_traj.train.copy_pretraining import pretrain_copying
from eops_traj.train.length_filter import RowSize
from eops_traj.train.load_model import (
    load_training_model,
    load_training_tokenizer,
    peft_config,
    set_chat_template,
)
from eops_traj.train.muon import split_optimizer
from eops_traj.train.name_augmentation import NameAugmentation
from eops_traj.train.ranks import speaks
from eops_traj.train.row_fit import fit_rows
from eops_traj.train.row_order import ordered
from eops_traj.train.run_folder import open_data
from eops_traj.train.run_trainer import run_trainer, trainer_errors, trl_arguments
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer
from eops_traj.train.slot_renumbering import SlotRenumbering
from eops_traj.train.small_sft_trainer import sft_trainer_class
from eops_traj.train.training_sequences import make_sequences, measure_sequences, messages_of
from eops_traj.train.trl_settings import make_trl_config

if TYPE_CHECKING:
    from datasets import Dataset
    from peft import PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    from eops_traj.train.run_folder import TrainingData

FORMATS = ("sft", "planner_sft")
SCRATCH = "the tokenizer"
"""What errors call the model that is made from scratch."""


class Config(TrainingConfig):
    """The settings of a run. Give ``model`` or ``scratch``."""

    TRL: ClassVar[str] = "trl.trainer.sft_config:SFTConfig"
    recipe: Literal["sft"]
    scratch: ScratchConfig | None = None
    packing: bool = False
    """Several rows in one sequence, kept apart by their positions; needs FlashAttention to be quick."""
    group_by_length: bool = False
    """Rows of about the same length in one batch: less padding, a little less chance in the order."""
    optimizer: Literal["adamw", "muon"] = "adamw"
    """AdamW, or Muon for the matrices of the layers: a model from scratch learns as much in fewer steps."""

    @model_validator(mode="after")
    def _one_model(self) -> "Config":
        problems = []
        if (self.model is None) == (self.scratch is None):
            problems.append("give model or scratch, one of them")
        if self.lora and self.scratch:
            problems.append("lora needs a trained model; with scratch, leave it out")
        if self.packing and self.scratch and self.scratch.renaming:
            problems.append("packing fixes the lengths of rows, and renaming changes them; give one of them")
        own = [f"trl.{name}" for name in self.trl if name.startswith(("optim", "adam_"))]
        if self.optimizer == "muon" and (others := ["lora"] * bool(self.lora) + own):
            problems.append(
                f"muon is for all weights of a model, by settings here; leave {', '.join(others)} out"
            )
        if self.packing and self.group_by_length:
            problems.append("packing makes all rows equally long; leave group_by_length out")
        if problems:
            raise ValueError("; ".join(problems))
        return self


def run(config: Config, *, resume: bool = False, dry_run: bool = False) -> dict[str, Any]:
    """Train as the config says and return the metrics. Raises InputError with nothing written.

    A dry run ends before any weight is loaded, and returns how many rows fit.
    """
    with open_data(config, FORMATS, resume) as data:
        tokenizer = make_tokenizer(config, data)
        sizes = row_sizes(data.rows, tokenizer, config)
        rows, counts = fit_rows(config, data.rows, sizes, data.certificate.format)
        if dry_run:
            return dataclasses.asdict(counts)
        trainer = make_trainer(config, tokenizer, rows)
        if config.scratch:
            add_copying_aids(trainer, tokenizer, config.scratch, first=data.checkpoint is None)
        return run_trainer(config, data, trainer, counts)


def make_tokenizer(config: Config, data: "TrainingData") -> "PreTrainedTokenizerBase":
    """Load the tokenizer of the checkpoint or the model, or train one on the rows; with its chat template."""
    if config.scratch is None or data.checkpoint:
        return load_training_tokenizer(config, data.checkpoint)
    conversations = ({"messages": messages_of(row), "tools": row.get("tools")} for row in data.rows)
    scratch = config.scratch
    tokenizer = train_tokenizer(conversations, scratch.vocabulary, pieces=scratch.pieces)
    return set_chat_template(tokenizer, config)


def row_sizes(rows: "Dataset", tokenizer: "PreTrainedTokenizerBase", config: Config) -> Iterator[RowSize]:
    """Measure each conversation."""
    return measure_sequences(rows, tokenizer, config.model or SCRATCH)


def make_trainer(config: Config, tokenizer: "PreTrainedTokenizerBase", rows: "Dataset") -> "SFTTrainer":
    """Make TRL's trainer for a model and rows. Raises InputError for settings that do not fit the model."""
    settings: SFTConfig = make_trl_config(
        config,
        **trl_arguments(config),
        max_length=config.max_length,
        packing=config.packing,
        train_sampling_strategy="group_by_length" if config.group_by_length else "random",
    )
    model = make_model(config, tokenizer)
    with trainer_errors():
        trainer: SFTTrainer = ordered(sft_trainer_class(model, settings))(
            model=model,
            args=settings,
            train_dataset=make_sequences(rows, tokenizer, config.model or SCRATCH),
            processing_class=tokenizer,
            peft_config=peft_config(config.lora),
            optimizer_cls_and_kwargs=optimizer_arguments(config),
        )
    return trainer


def optimizer_arguments(config: Config) -> tuple[Any, dict[str, Any]] | None:
    """Return the trainer's ``optimizer_cls_and_kwargs``, a factory here; None for the one that TRL makes."""
    if config.optimizer == "adamw":
        return None
    options = {name: getattr(config, name) for name in ("learning_rate", "beta2", "weight_decay")}
    return lambda: split_optimizer, options


def make_model(config: Config, tokenizer: "PreTrainedTokenizerBase") -> "PreTrainedModel | PeftModel":
    """Load the model of the config, or make a small one from scratch. Raises InputError for no model."""
    from transformers import set_seed

    if config.scratch is None:
        return load_training_model(config)
    set_seed(config.seed)
    return make_scratch_model(config.scratch, tokenizer, config.max_length)


def add_copying_aids(
    trainer: "SFTTrainer",
    tokenizer: "PreTrainedTokenizerBase",
    scratch: ScratchConfig,
    *,
    first: bool,
) -> None:
    """Teach a model from scratch to copy, before its first step, and keep it from learning names by heart."""
    if scratch.copying and first:
        result = pretrain_copying(trainer.model, scratch.copying, trainer.args.seed)
        if speaks():
            print(result, flush=True)
    if scratch.renaming:
        collate = trainer.data_collator
        renaming = SlotRenumbering if scratch.pieces == "slots" else NameAugmentation
        trainer.data_collator = renaming(collate, tokenizer, scratch.renaming, trainer.args.seed)


if __name__ == "__main__":
    from eops_traj.cli.main import main

    main(["train", *sys.argv[1:]])
