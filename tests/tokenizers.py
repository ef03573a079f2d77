"""A small tokenizer, trained once, with any chat template."""

import functools
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.messages import function_tools, messages
from eops_traj.train.scratch_model import chat_template, train_tokenizer
from tests.episodes import PROMPT, TOOLS
from tests.selected import calling

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

EPISODE = calling("e0", {"name": "Odile Prat", "limit": 3}, {"name": "Bram"}, answer="Odile is user 7.")


def row() -> dict[str, Any]:
    """Build a conversation with two calls."""
    return {"messages": messages(EPISODE, PROMPT.text), "tools": function_tools(TOOLS)}


@functools.cache
def _trained() -> "PreTrainedTokenizerBase":
    return train_tokenizer([row()], 400)


def tokenizer(template: str | None = None) -> "PreTrainedTokenizerBase":
    """Return the tokenizer with a chat template: its own, or the argument."""
    trained = _trained()
    trained.chat_template = chat_template() if template is None else template
    return trained


def save_tokenizer(folder: Path, template: str | None = None) -> str:
    """Save the tokenizer in a folder, and return that."""
    tokenizer(template).save_pretrained(folder)
    return str(folder)
