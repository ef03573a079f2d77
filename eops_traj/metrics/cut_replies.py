"""Replies that their limit ended and not the model: what they have in common is the reason that is noted."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

CUT = ("length", "max_tokens", "max_output_tokens", "MAX_TOKENS")
"""How OpenAI's chat and responses APIs, Anthropic and Google name a reply that hit its token limit."""


def finish_reasons() -> "pl.Expr":
    """Return the reasons for which the replies of an episode ended, where they are known."""
    import polars as pl

    return pl.col("turns").list.eval(pl.element().struct.field("finish_reason").drop_nulls())


def reply_counts() -> "tuple[pl.Expr, pl.Expr]":
    """Return how many replies of an episode ended for a reason known (``replies``) and were cut (``cut``)."""
    import polars as pl

    was_cut = finish_reasons().list.eval(pl.element().filter(pl.element().is_in(CUT)))
    return finish_reasons().list.len().alias("replies"), was_cut.list.len().alias("cut")


def cut_share(episodes: "pl.DataFrame") -> float | None:
    """Return the share of the replies that were cut, of those that ended for a reason known; None of none.

    ``episodes`` have the columns of :func:`reply_counts`.
    """
    replies = int(episodes["replies"].sum())
    return int(episodes["cut"].sum()) / replies if replies else None
