"""The query of a list of episodes, read from a URL and written to one: every view has an address."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING
from urllib.parse import urlencode

from eops_traj.errors import InputError, UnknownName
from eops_traj.review.labels import latest
from eops_traj.schema import LABELS, Label
from eops_traj.view.columns import COLUMNS, USUAL
from eops_traj.view.index import NONE, WORD_LISTS
from eops_traj.view.text_columns import PARTS
from eops_traj.view.times import instant

if TYPE_CHECKING:
    import polars as pl

    from eops_traj.view.index import Index

PAGE_SIZE = 100
"""Rows of a page."""

FILTERS = {
    "run": "run_id",
    "task": "task_hash",
    "domain": "domain",
    "model": "model",
    "mode": "mode",
    "outcome": "outcome",
    "split": "split",
    "standing": "standing",
    "failure_mode": "failure_modes",
    "cause": "causes",
}
"""The filters by their name in the URL, with the column of the index that each looks at."""
UNLISTED = ("task", "standing")
"""Filters that links alone ask for: the form of the list carries them, and has no choice of them."""
SORTS = ("task_id", *COLUMNS)
UNLABELLED, DISPUTED = "none", "disputed"
LABEL_CHOICES = (*LABELS, UNLABELLED, DISPUTED)
"""What readers said, that none said anything, or that they said several things."""


@dataclass(frozen=True)
class Query:
    """Filters, order, page and columns of a list of episodes; the defaults list all in the table's order."""

    filters: tuple[tuple[str, str], ...] = ()
    """Names of :data:`FILTERS`, each with the value asked for."""
    text: str = ""
    """A part of the task's id, in upper or lower case, or words of the conversation."""
    part: str = ""
    """One of :data:`.text_columns.PARTS`, where the words are to be in that alone."""
    tool: str = ""
    """A tool at whose call the episode went wrong; for the cause asked for, if any."""
    called: str = ""
    """A tool that the episode called, by its exact name."""
    failed: str = ""
    """A tool of which a call failed."""
    selection: str = ""
    reason: str = ""
    """With a selection: ``kept``, or the rule that dropped the episode."""
    sort: str = ""
    """A column of :data:`SORTS`, with a minus before it for the largest first."""
    page: int = 1
    label: str = ""
    """What readers said: a value of :data:`LABEL_CHOICES`."""
    columns: tuple[str, ...] = USUAL
    """Names of :data:`.columns.COLUMNS`, in that order."""

    @classmethod
    def of(cls, parameters: Mapping[str, str]) -> "Query":
        """Read the query from a URL's parameters. Raises UnknownName for a column, InputError for a page."""
        sort, page = parameters.get("sort", ""), parameters.get("page", "1")
        if sort and sort.removeprefix("-") not in SORTS:
            raise UnknownName("column", sort.removeprefix("-"), SORTS)
        label = parameters.get("label", "")
        if label and label not in LABEL_CHOICES:
            raise UnknownName("label", label, LABEL_CHOICES)
        if (part := parameters.get("in", "")) and part not in PARTS:
            raise UnknownName("part", part, PARTS)
        if not (page.isascii() and page.isdigit() and int(page[:9]) > 0 and len(page) < 10):
            raise InputError(f"a page is a number from 1, not {page[:40]!r}")
        return cls(
            filters=tuple((name, parameters[name]) for name in FILTERS if parameters.get(name)),
            text=parameters.get("q", ""),
            part=part,
            tool=parameters.get("tool", ""),
            called=parameters.get("called", ""),
            failed=parameters.get("failed", ""),
            selection=parameters.get("selection", ""),
            reason=_reason(parameters),
            sort=sort,
            page=int(page),
            label=label,
            columns=_columns(parameters.get("columns", "")),
        )

    def url(self, path: str = "/episodes", **changes: object) -> str:
        """Return the address of this query with some fields changed, at a path; on page 1 unless given."""
        changed = replace(self, **{"page": 1, **changes})  # type: ignore[arg-type]
        parts = {
            **dict(changed.filters),
            "q": changed.text,
            "in": changed.part,
            "tool": changed.tool,
            "called": changed.called,
            "failed": changed.failed,
            "selection": changed.selection,
            "reason": changed.reason,
            "label": changed.label,
            "sort": changed.sort,
            "page": changed.page if changed.page > 1 else "",
            "columns": ",".join(changed.columns) if changed.columns != USUAL else "",
        }
        encoded = urlencode({name: value for name, value in parts.items() if value}, safe=",")
        return f"{path}?{encoded}" if encoded else path

    @property
    def asks_texts(self) -> bool:
        """Whether the index of texts has to be asked, which may still lack episodes."""
        return bool(self.text or self.tool or self.called or self.failed)

    def filter_url(self, **values: str) -> str:
        """Return the address of this list with these filters beside its own."""
        return self.url(filters=tuple({**dict(self.filters), **values}.items()))

    def tool_url(self, tool: str, cause: str) -> str:
        """Return the address of those of this list that went wrong at a tool for a cause."""
        return self.url(tool=tool, filters=tuple({**dict(self.filters), "cause": cause}.items()))

    def sort_url(self, column: str) -> str:
        """Return the address of this list sorted by a column: smallest first, or largest if it is so now."""
        return self.url(sort=f"-{column}" if self.sort == column else column)

    def rows(
        self,
        index: "Index",
        reasons: "pl.DataFrame | None" = None,
        labels: Iterable[Label] = (),
        found: Sequence[str] = (),
        by_tools: Sequence[Sequence[str]] = (),
    ) -> "pl.Series":
        """Return the matching row numbers, in order, over all pages.

        ``reasons`` are the selection's; ``labels`` are read where one is asked for. ``found`` are the ids of
        the episodes that have the words of the text, ``by_tools`` of those that each filter by a tool leaves.
        """
        import polars as pl

        frame = index.frame if reasons is None else pl.concat([index.frame, reasons], how="horizontal")
        rows = (
            frame.lazy()
            .with_row_index("row")
            .filter(*self._conditions(index), *self._said(labels), *self._found(found), *_among(by_tools))
        )
        if self.sort:
            column, descending = self.sort.removeprefix("-"), self.sort.startswith("-")
            key = instant(column) if column == "started_at" else pl.col(column)
            rows = rows.select("row", key=key).sort(
                "key", descending=descending, nulls_last=True, maintain_order=True
            )
        return rows.select("row").collect().to_series()

    def _found(self, ids: Sequence[str]) -> "list[pl.Expr]":
        """Return the condition that the text stands in the task's id, or its words in the conversation."""
        import polars as pl

        if not self.text:
            return []
        [in_texts] = _among([ids])
        if self.part:
            return [in_texts]
        named = pl.col("task_id").str.to_lowercase().str.contains(self.text.lower(), literal=True)
        return [named | in_texts]

    def _said(self, labels: Iterable[Label]) -> "list[pl.Expr]":
        """Return the condition on what readers said of an episode or its turns."""
        import polars as pl

        if not self.label:
            return []
        values = defaultdict(set)
        for label in latest(labels):
            values[label.episode_id, label.turn].add(label.value)
        if self.label == UNLABELLED:
            return [~pl.col("episode_id").is_in([episode_id for episode_id, _ in values])]
        disputed = self.label == DISPUTED
        ids = [key[0] for key, said in values.items() if (len(said) > 1 if disputed else self.label in said)]
        return [pl.col("episode_id").is_in(ids)]

    def _conditions(self, index: "Index") -> "list[pl.Expr]":
        import polars as pl

        equal = {FILTERS[name]: value for name, value in self.filters}
        listed = {column: equal.pop(column) for column in WORD_LISTS if column in equal}
        conditions = [_is(column, value) for column, value in equal.items()]
        for column, word in listed.items():
            texts = [t for t in index.frame[column].unique().drop_nulls() if word in t.split()]
            conditions.append(pl.col(column).is_in(texts))
        if self.selection:
            seen = pl.col("reason").is_not_null()
            conditions.append(pl.col("reason") == self.reason if self.reason else seen)
        return conditions or [pl.lit(True)]


def _among(lists: Sequence[Sequence[str]]) -> "list[pl.Expr]":
    """Return for each list of ids the condition that an episode is in it."""
    import polars as pl

    return [pl.col("episode_id").is_in(pl.Series(ids, dtype=pl.String).implode()) for ids in lists]


def _is(column: str, value: str) -> "pl.Expr":
    """Return the condition that a column has a value, be it none."""
    import polars as pl

    return pl.col(column).is_null() | (pl.col(column) == value) if value == NONE else pl.col(column) == value


def _reason(parameters: Mapping[str, str]) -> str:
    """Return the reason asked for; a form says of which selection it is, and another one may lack it."""
    selection = parameters.get("selection", "")
    return parameters.get("reason", "") if parameters.get("reason_of", selection) == selection else ""


def _columns(names: str) -> tuple[str, ...]:
    """Return the columns of a list of names, the usual ones without any. Raises UnknownName."""
    asked = names.split(",") if names else USUAL
    for name in asked:
        if name not in COLUMNS:
            raise UnknownName("column", name, COLUMNS)
    return tuple(name for name in COLUMNS if name in asked)
