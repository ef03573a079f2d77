"""outcome: keep episodes by their label, for example successes and safe refusals."""

from typing import TYPE_CHECKING

from pydantic import field_validator

from eops_traj.errors import UnknownName
from eops_traj.filter.rules import Names, RowRule
from eops_traj.schema import OUTCOMES

if TYPE_CHECKING:
    import polars as pl


class Outcome(RowRule):
    """Keep these outcomes. ``one_of``: an outcome or a list of them."""

    one_of: Names

    @field_validator("one_of")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        for name in names:
            if name not in OUTCOMES:
                raise ValueError(str(UnknownName("outcome", name, OUTCOMES)))
        return names

    def keep(self) -> "pl.Expr":
        """Keep a row whose outcome is one of ``one_of``."""
        import polars as pl

        return pl.col("outcome").is_in(self.one_of)
