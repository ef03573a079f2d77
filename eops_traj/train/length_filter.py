"""Rows that fit into ``max_length`` whole; the others are dropped and counted, never cut.

Half a conversation teaches a model to stop anywhere, and half a plan to leave the work undone.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from itertools import accumulate, repeat, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.errors import InputError
from eops_traj.llm.chat_template import Tools
from eops_traj.messages import Message
from eops_traj.train.stop_token_collator import end_at

if TYPE_CHECKING:
    from datasets import Dataset
    from transformers import PreTrainedTokenizerBase

LENGTH = "length"
"""The column of rows' lengths, by which batches can be grouped."""

SHORTEST_SHOWN = 2048
"""The first of the lengths, each twice the one before, whose rows a run prints."""


class RowSize(NamedTuple):
    """The tokens of a row's longest text, how many in all of its texts carry loss, and those of its reply."""

    length: int
    with_loss: int
    reply: int = 0
    """The longest reply that a model is to write, its end included; 0 where the row has none."""


@dataclass(frozen=True)
class RowCounts:
    """Rows and tokens, by whether they fit into ``max_length``."""

    max_length: int
    kept: int
    dropped: int
    tokens: int
    tokens_with_loss: int
    longest: int = 0
    """Tokens of the longest row, dropped ones among them."""
    longest_reply: int = 0
    """Tokens of the longest reply of the rows that fit."""
    by_length: dict[int, int] = field(default_factory=dict)
    """How many rows each of several lengths would keep."""

    def __str__(self) -> str:
        """Render what a run prints: a sentence, and a table where ``max_length`` is a choice worth a look."""
        sentence = f"rows: {self.kept} fit into {self.max_length} tokens, {self.dropped} dropped"
        return "\n".join([sentence, *self._table()])

    def _table(self) -> list[str]:
        if self.longest <= SHORTEST_SHOWN:
            return []
        whole = self.kept + self.dropped
        lines = [
            f"  max_length={length:<7} keeps {kept:>6}  {kept / whole:6.1%}{self._mark(length)}"
            for length, kept in self.by_length.items()
        ]
        longest = f"  the longest row has {self.longest} tokens, the longest reply {self.longest_reply}"
        return [*lines, longest]

    def _mark(self, length: int) -> str:
        return "  <- this run" if length == self.max_length else ""


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
    return rows.select(kept).add_column(LENGTH, lengths), count_rows(sizes, max_length)


def count_rows(sizes: Sequence[RowSize], max_length: int) -> RowCounts:
    """Count rows and tokens, those that fit and those that other lengths would keep."""
    fit = [size for size in sizes if size.length <= max_length]
    longest = max(size.length for size in sizes)
    shown = sorted({*_lengths_shown(longest), max_length})
    return RowCounts(
        max_length=max_length,
        kept=len(fit),
        dropped=len(sizes) - len(fit),
        tokens=sum(size.length for size in fit),
        tokens_with_loss=sum(size.with_loss for size in fit),
        longest=longest,
        longest_reply=max(size.reply for size in fit),
        by_length={length: sum(size.length <= length for size in sizes) for length in shown},
    )


def _lengths_shown(longest: int) -> list[int]:
    """Return lengths from the first shown to the first that keeps every row."""
    doubled = accumulate(repeat(2), lambda length, times: length * times, initial=SHORTEST_SHOWN)
    return list(takewhile(lambda length: length < 2 * max(longest, SHORTEST_SHOWN), doubled))


def measure_replies(
    tokenizer: "PreTrainedTokenizerBase",
    prompt: list[Message],
    replies: Iterable[list[Message]],
    tools: Tools,
) -> RowSize:
    """Measure a prompt with each of several replies, where the whole reply carries loss.

    The first is the one that a model is to write.
    """
    start = count_tokens(tokenizer, prompt, tools, add_generation_prompt=True)
    texts = [_tokens(tokenizer, [*prompt, *reply], tools) for reply in replies]
    lengths = [len(ids) for ids in texts]
    first = end_at(texts[0][start:], int(tokenizer.eos_token_id))
    return RowSize(max(lengths), sum(lengths) - start * len(lengths), len(first))


def count_tokens(
    tokenizer: "PreTrainedTokenizerBase", messages: list[Message], tools: Tools, **options: Any
) -> int:
    """Count the tokens of a conversation, as the tokenizer's template renders it."""
    return len(_tokens(tokenizer, messages, tools, **options))


def _tokens(
    tokenizer: "PreTrainedTokenizerBase", messages: list[Message], tools: Tools, **options: Any
) -> list[int]:
    text = tokenizer.apply_chat_template(messages, tools=[*tools] or None, tokenize=False, **options)
    return list(tokenizer(str(text), add_special_tokens=False, verbose=False)["input_ids"])
