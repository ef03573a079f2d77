"""exact_duplicates: of episodes with the same text to the letter, keep the best one."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import Rows, SetStep
from eops_traj.filter.similarity import PARTS, part
from eops_traj.hashing import digest

if TYPE_CHECKING:
    import polars as pl


class ExactDuplicates(SetStep):
    """Drop repeats of one system prompt, request, sequence of calls and final answer."""

    def drop(self, rows: Rows) -> dict[str, str]:
        """Drop every repeat, with the better episode that it repeats."""
        contents = {row.pop("episode_id"): digest(*row.values()) for row in rows.stream(**_content())}
        first: dict[str, str] = {}
        dropped = {}
        for i in rows.ids:
            kept = first.setdefault(contents[i], i)
            if kept != i:
                dropped[i] = f"the same as {kept}"
        return dropped


def _content() -> "dict[str, pl.Expr]":
    import polars as pl

    return {"prompt_hash": pl.col("prompt_hash"), **{name: part(name) for name in PARTS}}
