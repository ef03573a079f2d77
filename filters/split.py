"""split: keep episodes of tasks from these splits, so that what is held out is never trained on."""

from typing import TYPE_CHECKING

from pydantic import field_validator

from eops_traj.errors import UnknownName
from eops_traj.filter.rules import Names, RowRule
from eops_traj.tasks.splits import NO_SPLIT, check_split_names

if TYPE_CHECKING:
    import polars as pl


class Split(RowRule):
    """Keep episodes from these splits. ``one_of``: a split (train, dev, test, test_ood), or a list.

    ``none`` is the name of no split: of the benchmark's own tasks, for one.
    """

    one_of: Names

    @field_validator("one_of")
    @classmethod
    def _known(cls, names: list[str]) -> list[str]:
        try:
            check_split_names(names)
        except UnknownName as error:
            raise ValueError(str(error)) from error
        return names

    def keep(self) -> "pl.Expr":
        """Keep a row whose task has a ``split`` that is one of ``one_of``."""
        import polars as pl

        return pl.col("split").fill_null(NO_SPLIT).is_in(self.one_of)
