"""cause: keep episodes by why they failed, as eops_traj.causes finds it."""

from typing import TYPE_CHECKING, Self

from pydantic import field_validator, model_validator

from eops_traj.causes.cause import KINDS
from eops_traj.errors import UnknownName
from eops_traj.filter.rules import Names, RowRule

if TYPE_CHECKING:
    import polars as pl


class Cause(RowRule):
    """Keep what failed for a cause of ``one_of``, and for none of ``none_of``; at least one is given.

    ``first`` looks at the first error alone, not at its consequences. What passed failed for nothing, and of
    episodes that an older program stored nothing is known: ``one_of`` drops both, ``none_of`` the latter.
    """

    one_of: Names | None = None
    none_of: Names | None = None
    first: bool = False

    @field_validator("one_of", "none_of")
    @classmethod
    def _known(cls, kinds: list[str] | None) -> list[str] | None:
        for kind in kinds or ():
            if kind not in KINDS:
                raise ValueError(str(UnknownName("cause", kind, KINDS)))
        return kinds

    @model_validator(mode="after")
    def _asks(self) -> Self:
        if self.one_of is None and self.none_of is None:
            raise ValueError("give one_of or none_of, a cause or a list of causes")
        return self

    def keep(self) -> "pl.Expr":
        """Keep a row whose ``causes`` have one of those wanted and none of those unwanted."""
        import polars as pl

        causes = pl.col("causes").list.head(1) if self.first else pl.col("causes")
        kept = causes.is_not_null()
        if self.one_of is not None:
            kept &= causes.list.eval(pl.element().is_in(self.one_of)).list.any()
        if self.none_of is not None:
            kept &= ~causes.list.eval(pl.element().is_in(self.none_of)).list.any()
        return kept
