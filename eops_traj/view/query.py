"""What a list of episodes is asked for, read from a URL and written to one: every view has an address."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from eops_traj.errors import InputError, UnknownName

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.view.index import Index

PAGE = 100
"""Rows of a page."""

FILTERS = {
    "run": "run_id",
    "domain": "domain",
    "model": "model",
    "mode": "mode",
    "outcome": "outcome",
    "split": "split",
    "failure_mode": "failure_modes",
}
"""The filters by their name in the URL, with the column of the index that each looks at."""

SORTS = (
    "task_id", "domain", "model", "mode", "attempt", "outcome", "verifier_pass_strict", "n_turns", "n_steps",
    "n_tool_errors", "output_tokens", "cost", "duration_ms", "started_at", "failure_modes",
)  # fmt: skip


@dataclass(frozen=True)
class Query:
    """Filters, order and page of a list of episodes; the defaults list all in the table's order."""

    filters: tuple[tuple[str, str], ...] = ()
    """Names of :data:`FILTERS`, each with the value asked for."""
    text: str = ""
    """What the task's id has in it, whatever the case."""
    selection: str = ""
    reason: str = ""
    """With a selection: ``kept``, or the rule that dropped the episode."""
    sort: str = ""
    """A column of :data:`SORTS`, with a minus before it for the largest first."""
    page: int = 1

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "Query":
        """The query that a URL's parameters ask. Raises UnknownName for a column, InputError for a page."""
        sort, page = parameters.get("sort", ""), parameters.get("page", "1")
        if sort and sort.removeprefix("-") not in SORTS:
            raise UnknownName("column", sort.removeprefix("-"), SORTS)
        if not (page.isascii() and page.isdigit() and int(page[:9]) > 0 and len(page) < 10):
            raise InputError(f"a page is a number from 1, not {page[:40]!r}")
        return cls(
            filters=tuple((name, parameters[name]) for name in FILTERS if parameters.get(name)),
            text=parameters.get("q", ""),
            selection=parameters.get("selection", ""),
            reason=parameters.get("reason", ""),
            sort=sort,
            page=int(page),
        )

    def url(self, path: str = "/episodes", **changes: object) -> str:
        """The address of this query with some fields changed, at a path; back on page 1 but where it says."""
        changed = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        parts = {
            **dict(changed.filters),
            "q": changed.text,
            "selection": changed.selection,
            "reason": changed.reason,
            "sort": changed.sort,
            "page": changed.page if changed.page > 1 else "",
        }
        said = urlencode({name: value for name, value in parts.items() if value})
        return f"{path}?{said}" if said else path

    def sorted_by(self, column: str) -> str:
        """The address of this list sorted by a column: the smallest first, and the other way at once more."""
        return self.url(sort=f"-{column}" if self.sort == column else column)

    def rows(self, index: "Index", reasons: "pl.DataFrame | None" = None) -> "pl.Series":
        """The places of the episodes asked for, in order, over all pages. ``reasons`` as of the selection."""
        import polars as pl

        frame = (
            index.frame.lazy()
            if reasons is None
            else pl.concat([index.frame, reasons], how="horizontal").lazy()
        )
        found = frame.with_row_index("row").filter(*self._conditions(index))
        if self.sort:
            column = self.sort.removeprefix("-")
            found = found.select("row", column).sort(
                column, descending=self.sort.startswith("-"), nulls_last=True, maintain_order=True
            )
        return found.select("row").collect().to_series()

    def _conditions(self, index: "Index") -> "list[pl.Expr]":
        import polars as pl

        equal = {FILTERS[name]: value for name, value in self.filters}
        mode = equal.pop("failure_modes", None)
        conditions = [pl.col(column).cast(pl.String) == value for column, value in equal.items()]
        if mode is not None:
            shown = [s for s in index.frame["failure_modes"].unique().drop_nulls() if mode in s.split()]
            conditions.append(pl.col("failure_modes").cast(pl.String).is_in(shown))
        if self.text:
            conditions.append(
                pl.col("task_id").str.to_lowercase().str.contains(self.text.lower(), literal=True)
            )
        if self.selection:
            seen = pl.col("reason").is_not_null()
            conditions.append(pl.col("reason").cast(pl.String) == self.reason if self.reason else seen)
        return conditions or [pl.lit(True)]
