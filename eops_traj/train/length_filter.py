"""Rows that fit into ``max_length`` whole; the others are dropped and counted, never cut.

Half a conversation teaches a model to stop anywhere, and half a plan to leave the work undone.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import Tools
from eops_traj.messages import Message

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase

LENGTH = "length"
"""The column of rows' lengths, by which batches can be grouped."""


class RowSize(NamedTuple):
    """The tokens of a row's longest text, and how many in all of its texts carry loss."""

    length: int
    with_loss: int


@dataclass(frozen=True)
class RowCounts:
    """Rows and tokens, by whether they fit into ``max_length``."""

    max_length: int
    kept: int
    dropped: int
    tokens: int
    tokens_with_loss: int

    def __str__(self) -> str:
        """Render the sentence that a run prints."""
        return f"rows: {self.kept} fit into {self.max_length} tokens, {self.dropped} dropped"


def drop_long_rows(
    rows: "Dataset", row_sizes: Iterable[RowSize], max_length: int
) -> "tuple[Dataset, RowCounts]":
    """Return the rows that fit, with a column of their lengths. Raises InputError where none does."""
    sizes = list(row_sizes)
    kept = [i for i, size in enumerate(sizes) if size.length <= max_length]
    if not sizes:
        raise InputError("there is no row to train on")
    if not kept:
        shortest = min(size.length for size in sizes)
        raise InputError(f"no row fits into max_length {max_length}; the shortest has {shortest} tokens")
    lengths = [sizes[i].length for i in kept]
    counts = RowCounts(
        max_length=max_length,
        kept=len(kept),
        dropped=len(sizes) - len(kept),
        tokens=sum(lengths),
        tokens_with_loss=sum(sizes[i].with_loss for i in kept),
    )
    return rows.select(kept).add_column(LENGTH, lengths), counts


def measure_replies(
    tokenizer: "PreTrainedTokenizerBase",
    prompt: list[Message],
    replies: Iterable[list[Message]],
    tools: Tools,
) -> RowSize:
    """Measure a prompt with each of several replies, where the whole reply carries loss."""
    start = count_tokens(tokenizer, prompt, tools, add_generation_prompt=True)
    lengths = [count_tokens(tokenizer, [*prompt, *reply], tools) for reply in replies]
    return RowSize(max(lengths), sum(lengths) - start * len(lengths))


def count_tokens(
    tokenizer: "PreTrainedTokenizerBase", messages: list[Message], tools: Tools, **options: Any
) -> int:
    """Count the tokens of a conversation, as the tokenizer's template renders it."""
    text = tokenizer.apply_chat_template(messages, tools=[*tools] or None, tokenize=False, **options)
    return len(tokenizer(str(text), add_special_tokens=False, verbose=False)["input_ids"])
