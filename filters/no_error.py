"""no_error: drop what the sandbox, the endpoint or the harness broke; the model is not to blame for it."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import RowRule

if TYPE_CHECKING:
    import polars as pl


class NoError(RowRule):
    """Keep episodes whose outcome is not ``error``."""

    def keep(self) -> "pl.Expr":
        """Keep a row whose outcome is known and no error."""
        import polars as pl

        return pl.col("outcome") != "error"

    def deciding_values(self) -> "dict[str, pl.Expr]":
        """Return the outcome, and what failed."""
        import polars as pl

        return {"outcome": pl.col("outcome"), "error": pl.col("error")}
