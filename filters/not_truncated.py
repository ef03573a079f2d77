"""not_truncated: drop what a limit cut short, whether the episode as a whole or one reply of it."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import RowRule
from eops_traj.metrics.cut_replies import CUT, finish_reasons

if TYPE_CHECKING:
    import polars as pl


class NotTruncated(RowRule):
    """Keep episodes that ended by themselves and in which no reply hit its token limit."""

    def keep(self) -> "pl.Expr":
        """Keep a row that completed with no reply cut; a reply without a finish reason counts as whole."""
        import polars as pl

        cut = finish_reasons().list.eval(pl.element().is_in(CUT)).list.any()
        return (pl.col("stop_reason") == "completed") & ~cut

    def deciding_values(self) -> "dict[str, pl.Expr]":
        """Return the stop reason, and every finish reason there is."""
        import polars as pl

        reasons = finish_reasons().list.unique(maintain_order=True)
        return {"stop_reason": pl.col("stop_reason"), "finish_reasons": reasons}
