"""The data of the pages: the index as it is now, whole episodes, prompts, selections."""

import functools
import threading
import time
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from eops_traj.errors import UnknownName
from eops_traj.schema import Episode, Label, Prompt, Run, Selection
from eops_traj.store.arrow import from_row, row_from_json
from eops_traj.store.store import Store
from eops_traj.view.index import Index
from eops_traj.view.latest_index import LatestIndex
from eops_traj.view.query import Query
from eops_traj.view.search import Search

if TYPE_CHECKING:
    import polars as pl

LABELS_EVERY = 1.0
"""Seconds for which labels are kept."""
MAX_ORDERS = 8
"""Lists that are kept in order: 4 bytes an episode each."""


class EpisodeSource:
    """A store as the viewer sees it; may be used from several threads."""

    def __init__(self, store: Store, reader: str | None = None) -> None:
        """Read the index. Raises StoreError where that cannot be done.

        ``reader`` is whose labels are taken in; without one, none are.
        """
        self.store, self.reader = store, reader
        self.search = Search(store)
        self._labels: tuple[float, list[Label]] = (0.0, [])
        self._lock = threading.Lock()
        self._orders: OrderedDict[tuple[int, int, int, int, int, Query], pl.Series] = OrderedDict()
        self._latest = LatestIndex(store, self.search.wake)
        self.prompt = functools.lru_cache(maxsize=64)(self._read_prompt)
        self._reasons = functools.lru_cache(maxsize=8)(self._read_reasons)

    def index(self) -> Index:
        """Return the index of all episodes of the latest version. Raises what :meth:`so_far` raises."""
        return self._latest.whole()

    def so_far(self) -> Index:
        """Return the index as far as it is read: for pages that say that more episodes are to come.

        Raises StoreError where it cannot be read further.
        """
        return self._latest.so_far()

    def matching_rows(self, index: Index, query: Query) -> "pl.Series":
        """Return the row numbers that a query asks for, in order. Raises UnknownName for a selection."""
        selections = self.store.tables["selections"].version() if query.selection else 0
        given = len(self.labels()) if query.label else 0
        texts = self.search.generation if query.asks_texts else 0
        key = (index.version, index.frame.height, selections, given, texts, replace(query, page=1))
        with self._lock:
            if key in self._orders:
                self._orders.move_to_end(key)
                return self._orders[key]
        reasons = self.reasons(index, query.selection) if query.selection else None
        found = self.search.find(query.text, query.part) if query.text else ()
        labels = self.labels() if query.label else ()
        rows = query.rows(index, reasons, labels, found, self._by_tools(query))
        with self._lock:
            self._orders[key] = rows
            if len(self._orders) > MAX_ORDERS:
                self._orders.popitem(last=False)
        return rows

    def _by_tools(self, query: Query) -> list[list[str]]:
        """Return the ids of the episodes that each filter by a tool leaves."""
        cause = dict(query.filters).get("cause", "")
        found = [self.search.at_tool(query.tool, cause)] if query.tool else []
        found += [self.search.calling(query.called)] if query.called else []
        return found + ([self.search.calling(query.failed, failed=True)] if query.failed else [])

    def reasons(self, index: Index, selection: str) -> "pl.DataFrame":
        """Return a selection's result for each row of the index, as ``reason`` and ``detail``.

        The reason is ``kept`` or the rule that dropped the episode; null where the selection never saw it.
        Raises UnknownName where there is no such selection.
        """
        return self._reasons(index, selection, self.store.tables["selections"].version())

    def _read_reasons(self, index: Index, selection: str, version: int) -> "pl.DataFrame":
        import polars as pl

        table = self.store.scan(version, table="selections")
        saved = table.filter(pl.col("name") == selection).select("rows").collect()
        if not saved.height:
            raise UnknownName("selection", selection, self.store.tables["selections"].keys())
        rows = (
            saved.explode("rows")
            .unnest("rows")
            .with_columns(pl.col("dropped_by").fill_null("kept").cast(pl.Categorical).alias("reason"))
        )
        joined = index.frame.select("episode_id").join(
            rows.unique("episode_id"), on="episode_id", how="left", maintain_order="left"
        )
        return joined.select("reason", "detail")

    def _read_prompt(self, prompt_hash: str) -> str:
        """Return a system prompt, of the table or of the journal. Raises UnknownName."""
        try:
            return self.store.prompt(prompt_hash)
        except UnknownName:
            waiting = self._waiting("prompts", prompt_hash)
            if waiting is None:  # it went to the table between the two looks, or there is none
                return self.store.prompt(prompt_hash)
            return from_row(Prompt, waiting).text

    def unlisted_row(self, episode_id: str) -> dict[str, Any] | None:
        """Return the row of an episode that an index lacks, of the journal or the table; None without one."""
        waiting = self._waiting("episodes", episode_id)  # first: from there it goes to the table
        return waiting or next(self.store.tables["episodes"].rows([episode_id]), None)

    def run(self, run_id: str) -> Run | None:
        """Return the record of a run, of the table or of the journal; None without one."""
        if (waiting := self._waiting("runs", run_id)) is not None:  # first: from there it goes to the table
            return from_row(Run, waiting)
        return self.store.run(run_id) if self.store.tables["runs"].known([run_id]) else None

    def _waiting(self, kind: str, key: str) -> dict[str, Any] | None:
        """Return the row of an entry of the journal that is on its way to a table."""
        record = {"episodes": Episode, "prompts": Prompt, "runs": Run}[kind]
        with self.store.reading_journal() as journal:
            entry = journal.entry(kind, key) if journal else None
        return None if entry is None else row_from_json(record, entry.payload)

    def waiting_rows(self, names: Sequence[str]) -> list[tuple[Any, ...]]:
        """Return id and these fields of each episode that waits in the journal, the oldest first."""
        with self.store.reading_journal() as journal:
            return journal.fields("episodes", names) if journal else []

    def labels(self) -> list[Label]:
        """Return what readers said, the oldest first; others' labels show within a second."""
        with self._lock:
            until, labels = self._labels
            if time.monotonic() > until:
                labels = self.store.labels()
                self._labels = (time.monotonic() + LABELS_EVERY, labels)
            return labels

    def add_label(self, label: Label) -> None:
        """Keep a label, on disk once this returns. Raises StoreError where that cannot be."""
        with self._lock:
            self.store.append(labels=[label])
            self._labels = (0.0, [])

    def selections(self) -> list[str]:
        """Return the names of the saved selections."""
        return sorted(self.store.tables["selections"].keys())

    def selection(self, name: str, episode_id: str | None = None) -> Selection:
        """Return a selection with the row of one episode alone, or with none: whole it may have a million."""
        return self.store.selection(name, () if episode_id is None else (episode_id,))
