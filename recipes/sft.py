"""Supervised fine-tuning on exported episodes or on plans: loss on what the assistant says, and nothing else.

Run it with ``eops-traj train CONFIG`` or as it stands, ``python recipes/sft.py CONFIG``. It takes data of
format ``sft`` (whole conversations) and ``planner_sft`` (a request and the plan for it). A model is tuned
whole or through LoRA, or a small one is trained from scratch.
"""

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Literal

from pydantic import model_validator

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.train import load_tokenizer
from eops_traj.train.config import TrainingConfig
from eops_traj.train.copy_pretraining import learn_to_copy
from eops_traj.train.data import opened
from eops_traj.train.length_filter import Counts, Size
from eops_traj.train.length_filter import fitting as fitting_rows
from eops_traj.train.load_model import adapters
from eops_traj.train.load_model import make_model as load_model
from eops_traj.train.name_augmentation import Renaming
from eops_traj.train.run_trainer import trained
from eops_traj.train.scratch_model import Scratch, make_scratch, train_tokenizer
from eops_traj.train.trl_arguments import arguments

if TYPE_CHECKING:
    from datasets import Dataset
    from peft import PeftModel
    from transformers import PreTrainedModel, PreTrainedTokenizerBase
    from trl.trainer.sft_trainer import SFTTrainer

    from eops_traj.train.data import Data

FORMATS = ("sft", "planner_sft")
COLUMNS = ("messages", "prompt", "completion", "tools", "length")
"""The columns that training reads; the rest says where a row comes from."""


class Config(TrainingConfig):
    """The settings of a run. Give ``model`` or ``scratch``."""

    recipe: Literal["sft"]
    scratch: Scratch | None = None
    packing: bool = False
    """Several rows in one sequence, kept apart by their positions; wants FlashAttention to be quick."""
    group_by_length: bool = False
    """Rows of about the same length in one batch: less padding, a little less chance in the order."""

    @model_validator(mode="after")
    def _one_model(self) -> "Config":
        problems = []
        if (self.model is None) == (self.scratch is None):
            problems.append("give model or scratch, one of them")
        if self.lora and self.scratch:
            problems.append("lora needs a trained model; with scratch, leave it out")
        if self.packing and self.scratch and self.scratch.renaming:
            problems.append("packing fixes the lengths of rows, and renaming changes them; give one of them")
        if self.packing and self.group_by_length:
            problems.append("packing makes all rows equally long; leave group_by_length out")
        if problems:
            raise ValueError("; ".join(problems))
        return self


def run(config: Config, *, resume: bool = False) -> dict[str, Any]:
    """Train as the config says and return the metrics. Raises InputError with nothing written."""
    with opened(config, FORMATS, resume) as data:
        tokenizer = make_tokenizer(config, data)
        rows, counts = fitting(data.rows, tokenizer, config)
        trainer = make_trainer(config, tokenizer, rows)
        if config.scratch:
            helped_to_copy(trainer, tokenizer, config.scratch, first=data.checkpoint is None)
        return trained(config, data, trainer, counts)


def make_tokenizer(config: Config, data: "Data") -> "PreTrainedTokenizerBase":
    """The tokenizer of the checkpoint or the model, or one trained on the rows; with its chat template."""
    if config.scratch is None or data.checkpoint:
        return load_tokenizer.make_tokenizer(config, data.checkpoint)
    conversations = ({"messages": said(row), "tools": row.get("tools")} for row in data.rows)
    scratch = config.scratch
    made = train_tokenizer(conversations, scratch.vocabulary, pieces=scratch.pieces)
    return load_tokenizer.with_template(made, config)


def fitting(
    rows: "Dataset", tokenizer: "PreTrainedTokenizerBase", config: Config
) -> "tuple[Dataset, Counts]":
    """The rows that fit into ``max_length`` whole. Raises InputError where none does."""
    template = ChatTemplate.of(tokenizer, config.model or "the tokenizer")
    return fitting_rows(rows, _sizes(rows, template), config.max_length)


def _sizes(rows: "Dataset", template: ChatTemplate) -> Iterator[Size]:
    for row in rows:
        tokens = template.encode(said(row), row.get("tools") or [])
        yield Size(len(tokens.ids), sum(tokens.mask))


def said(row: dict[str, Any]) -> list[dict[str, Any]]:
    """A row as one conversation."""
    messages: list[dict[str, Any]] = (
        row["messages"] if "messages" in row else row["prompt"] + row["completion"]
    )
    return messages


def make_trainer(config: Config, tokenizer: "PreTrainedTokenizerBase", rows: "Dataset") -> "SFTTrainer":
    """TRL's trainer for a model and rows. Raises InputError for settings that do not fit the model."""
    from trl.trainer.sft_config import SFTConfig
    from trl.trainer.sft_trainer import SFTTrainer

    settings = SFTConfig(
        **arguments(config),
        max_length=config.max_length,
        packing=config.packing,
        assistant_only_loss=True,
        completion_only_loss="completion" in rows.column_names,
        train_sampling_strategy="group_by_length" if config.group_by_length else "random",
    )
    try:
        return SFTTrainer(
            model=make_model(config, tokenizer),
            args=settings,
            train_dataset=rows.select_columns([name for name in COLUMNS if name in rows.column_names]),
            processing_class=tokenizer,
            peft_config=adapters(config.lora),
        )
    except ValueError as error:
        raise InputError(f"cannot train this model so: {error}") from error


def make_model(config: Config, tokenizer: "PreTrainedTokenizerBase") -> "PreTrainedModel | PeftModel":
    """The model of the config, or a small one from scratch. Raises InputError for no model."""
    from transformers import set_seed

    if config.scratch is None:
        return load_model(config)
    set_seed(config.seed)
    return make_scratch(config.scratch, tokenizer, config.max_length)


def helped_to_copy(
    trainer: "SFTTrainer",
    tokenizer: "PreTrainedTokenizerBase",
    scratch: Scratch,
    *,
    first: bool,
) -> None:
    """Teach a model from scratch to copy, before its first step, and keep it from learning names by heart."""
    if scratch.copying and first:
        print(learn_to_copy(trainer.model, scratch.copying, trainer.args.seed), flush=True)
    if scratch.renaming:
        collate = trainer.data_collator
        trainer.data_collator = Renaming(collate, tokenizer, scratch.renaming, trainer.args.seed)


if __name__ == "__main__":
    from eops_traj.cli.main import main

    main(["train", *sys.argv[1:]])
