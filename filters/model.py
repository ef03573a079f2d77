"""model: keep episodes of these models."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import Names, RowRule

if TYPE_CHECKING:
    import polars as pl


class Model(RowRule):
    """Keep episodes of these models. ``one_of``: a name as the endpoint has it, or a list of them."""

    one_of: Names

    def keep(self) -> "pl.Expr":
        """Keep a row whose ``model`` is one of ``one_of``."""
        import polars as pl

        return pl.col("model").is_in(self.one_of)
