"""run: keep episodes of these runs."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import Names, RowRule

if TYPE_CHECKING:
    import polars as pl


class Run(RowRule):
    """Keep episodes of these runs. ``one_of``: a run's id, or a list of them."""

    one_of: Names

    def keep(self) -> "pl.Expr":
        """Keep a row whose ``run_id`` is one of ``one_of``."""
        import polars as pl

        return pl.col("run_id").is_in(self.one_of)
