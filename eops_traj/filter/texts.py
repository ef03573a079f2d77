"""What an episode says, as text to compare: its parts as polars expressions, and a normal form of words."""

import re
import unicodedata
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    import polars as pl

Part = Literal["request", "calls", "answer"]
"""The user's request; the tool calls, a line each, as name and arguments; the final answer."""

PARTS: list[Part] = ["request", "calls", "answer"]


def part(name: Part) -> "pl.Expr":
    """A part of an episode as one text. Tool results and the system prompt belong to none."""
    import polars as pl

    columns = {"request": pl.col("user_prompt"), "calls": _calls(), "answer": _answer()}
    return columns[name]


def _calls() -> "pl.Expr":
    import polars as pl

    calls = pl.element().struct.field("tool_calls").explode().drop_nulls()
    line = pl.concat_str(calls.struct.field("name"), calls.struct.field("arguments"), separator=" ")
    return pl.col("turns").list.eval(line).list.join("\n")


def _answer() -> "pl.Expr":
    """What :attr:`eops_traj.schema.Episode.response` says."""
    import polars as pl

    last = pl.col("turns").list.last().struct
    said = pl.when(last.field("tool_calls").list.len() == 0).then(last.field("text"))
    return said.fill_null("")


def words(text: str) -> list[str]:
    """The words and numbers of a text, without case and punctuation, in one Unicode form."""
    return re.findall(r"\w+", unicodedata.normalize("NFKC", text).casefold())


def shingles(text: str, length: int) -> set[bytes]:
    """Every run of ``length`` words of a text; of a shorter text, all its words as one run."""
    found = words(text)
    last = max(1, len(found) - length + 1)
    return {" ".join(found[i : i + length]).encode() for i in range(last)}
