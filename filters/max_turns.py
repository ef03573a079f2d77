"""max_turns: drop long conversations, which cost context and are seldom worth imitating."""

from typing import TYPE_CHECKING

from pydantic import NonNegativeInt

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl


class MaxTurns(RowRule):
    """Keep episodes of at most ``most`` model replies."""

    most: NonNegativeInt

    def keep(self) -> "pl.Expr":
        """Keep a row with few enough model replies."""
        import polars as pl

        return pl.col("n_turns") <= self.most
