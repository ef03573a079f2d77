"""not_truncated: drop what a limit cut short, whether the episode as a whole or one reply of it."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl

CUT = ("length", "max_tokens", "max_output_tokens", "MAX_TOKENS")
"""How OpenAI's chat and responses APIs, Anthropic and Google name a reply that hit its token limit."""


class NotTruncated(RowRule):
    """Keep episodes that ended by themselves and in which no reply hit its token limit."""

    def keep(self) -> "pl.Expr":
        """Keep a row that completed with no reply cut; a reply without a finish reason counts as whole."""
        import polars as pl

        cut = _finish_reasons().list.eval(pl.element().is_in(CUT)).list.any()
        return (pl.col("stop_reason") == "completed") & ~cut

    def deciding_values(self) -> "dict[str, pl.Expr]":
        """Return the stop reason, and every finish reason there is."""
        import polars as pl

        reasons = _finish_reasons().list.unique(maintain_order=True)
        return {"stop_reason": pl.col("stop_reason"), "finish_reasons": reasons}


def _finish_reasons() -> "pl.Expr":
    import polars as pl

    return pl.col("turns").list.eval(pl.element().struct.field("finish_reason").drop_nulls())
