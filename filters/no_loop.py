"""no_loop: drop episodes that went round in circles, as eops_traj.verify.failure_modes finds them."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl

LOOP = "loop"
"""The failure mode's name in eops_traj.verify.failure_modes."""


class NoLoop(RowRule):
    """Keep episodes without the failure mode ``loop``."""

    def keep(self) -> "pl.Expr":
        """Keep a row without ``loop`` among its failure modes."""
        import polars as pl

        return ~pl.col("failure_modes").list.contains(LOOP)
