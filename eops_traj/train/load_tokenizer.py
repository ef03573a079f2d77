"""The tokenizer of a run, with the chat template that its rows are rendered by."""

from pathlib import Path
from typing import TYPE_CHECKING

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import load_tokenizer, read_template
from eops_traj.train.config import TrainingConfig

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase


def make_tokenizer(config: TrainingConfig, checkpoint: Path | None) -> "PreTrainedTokenizerBase":
    """The tokenizer of the checkpoint that a run goes on from, else of its model, with its chat template.

    Raises InputError where there is no tokenizer, or none that renders conversations.
    """
    return with_template(load_tokenizer(str(checkpoint or config.model)), config)


def with_template(tokenizer: "PreTrainedTokenizerBase", config: TrainingConfig) -> "PreTrainedTokenizerBase":
    """The tokenizer with the template of the config, where it names one. Raises InputError without any."""
    if config.chat_template:
        tokenizer.chat_template = read_template(config.chat_template)
    if not tokenizer.chat_template:
        raise InputError(
            f"{config.model}: the tokenizer has no chat template; give one as chat_template: FILE.jinja"
        )
    return tokenizer
