"""domain: keep episodes from these domains."""

from typing import TYPE_CHECKING

from eops_traj.filter.rules import Names, RowRule

if TYPE_CHECKING:
    import polars as pl


class Domain(RowRule):
    """Keep episodes from these domains. ``one_of``: a domain (csm, itsm, hr ...), or a list of them."""

    one_of: Names

    def keep(self) -> "pl.Expr":
        """Keep a row whose ``domain`` is one of ``one_of``."""
        import polars as pl

        return pl.col("domain").is_in(self.one_of)
