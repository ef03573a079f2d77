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


def cut_share(episodes: "pl.DataFrame") -> float | None:
    """Return the share of the replies that were cut, of those that ended for a reason known; None of none.

    ``episodes`` have the reasons in the column ``finish_reasons``.
    """
    reasons = episodes["finish_reasons"].explode().drop_nulls()
    return float(reasons.is_in(CUT).mean()) if len(reasons) else None  # type: ignore[arg-type]
