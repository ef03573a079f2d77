"""max_tool_errors: drop episodes that stumbled; a model trained on them learns to stumble."""

from typing import TYPE_CHECKING

from pydantic import NonNegativeInt

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl


class MaxToolErrors(RowRule):
    """Keep episodes with at most ``most`` tool calls answered with an error."""

    most: NonNegativeInt = 0

    def keep(self) -> "pl.Expr":
        """Keep a row with few enough failed calls."""
        import polars as pl

        return pl.col("n_tool_errors") <= self.most
