"""The trajectory store: a folder or object-store URL of Delta tables, fed through a crash-safe journal.

::

    STORE/episodes  prompts  toolsets  runs  selections     Delta tables, Parquet inside
    STORE/journal.sqlite                                     finished, not yet in Delta

:meth:`Store.append` returns once the records are durable in the journal. :meth:`Store.flush` moves them to
Delta in batches, one Delta commit each. Opening a store finishes what a crash left in the journal.
"""

import os
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import StoreError, UnknownName
from eops_traj.schema import SCHEMA_VERSION, Episode, Prompt, Run, Selection, ToolSet
from eops_traj.store.arrow import arrow_schema, from_row, row_from_json, to_json
from eops_traj.store.journal import Entry, Journal
from eops_traj.store.table import Table

if TYPE_CHECKING:
    import polars as pl

BATCH = 256
"""Journal entries moved to Delta in one commit: small enough for memory, large enough to compress."""

KINDS: dict[str, tuple[type, str]] = {
    "prompts": (Prompt, "prompt_hash"),
    "toolsets": (ToolSet, "toolset_hash"),
    "runs": (Run, "run_id"),
    "episodes": (Episode, "episode_id"),
}
"""What the journal carries, in the order of writing: what an episode refers to is there before it."""


class Store:
    """A trajectory store, open for reading and appending. Use it as a context manager."""

    def __init__(self, url: str, storage_options: Mapping[str, str] | None = None) -> None:
        """Name a store without touching it; :meth:`open` is what callers want."""
        self.url = url.rstrip("/")
        self._journal: Journal | None = None
        self._known: set[str] | None = None
        self.tables = {
            name: Table(f"{self.url}/{name}", key, arrow_schema(cls), storage_options)
            for name, (cls, key) in {**KINDS, "selections": (Selection, "name")}.items()
        }

    @classmethod
    def open(
        cls, url: str | Path, *, create: bool = False, storage_options: Mapping[str, str] | None = None
    ) -> "Store":
        """Open the store at a folder or URL; with ``create``, make it where there is none.

        Credentials of object stores come from the environment or ``storage_options`` (deltalake's names).
        Raises StoreError: no store there, not readable, or written by a newer schema version.
        """
        store = cls(str(url), storage_options)
        if create and not store.tables["episodes"].exists():
            store._create()
        store._check_version()
        if not store._remote and store._journal_path.exists() and len(store.journal):
            store.flush()
        return store

    def _create(self) -> None:
        """Make the tables, the episodes last: a store exists once they do."""
        if not self._remote and Path(self.url).exists() and not self._is_ours(Path(self.url)):
            raise StoreError(f"{self.url} is neither a store nor an empty folder")
        for name in ("prompts", "toolsets", "runs", "selections", "episodes"):
            self.tables[name].create(f"eops-traj schema {SCHEMA_VERSION}")

    def _is_ours(self, folder: Path) -> bool:
        """Check whether a folder holds nothing, or only what an interrupted creation left."""
        return folder.is_dir() and all(p.name in self.tables for p in folder.iterdir())

    def _check_version(self) -> None:
        words = self.tables["episodes"].description().split()
        if words[:2] != ["eops-traj", "schema"] or not words[-1].isdigit():
            raise StoreError(f"{self.url} is a Delta table, but no eops-traj store")
        if int(words[-1]) > SCHEMA_VERSION:
            raise StoreError(
                f"{self.url} has schema version {words[-1]}; this eops-traj reads up to {SCHEMA_VERSION}"
            )

    @property
    def _remote(self) -> bool:
        return "://" in self.url

    @property
    def journal(self) -> Journal:
        """The journal, opened at first use."""
        if self._journal is None:
            self._journal = Journal(self._journal_path)
        return self._journal

    @property
    def _journal_path(self) -> Path:
        """In the store's folder; an object store's in the user's state folder, by the table's id."""
        if not self._remote:
            return Path(self.url) / "journal.sqlite"
        state = Path(os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state")
        return state / "eops-traj" / f"{self.tables['episodes'].id()}.sqlite"

    def append(
        self,
        episodes: Iterable[Episode] = (),
        *,
        prompts: Iterable[Prompt] = (),
        toolsets: Iterable[ToolSet] = (),
        runs: Iterable[Run] = (),
    ) -> int:
        """Add records durably and return how many episodes were new; what the store has is left out."""
        known = self.known_ids()
        new = [e for e in episodes if e.episode_id not in known]
        entries = [Entry("prompts", p.prompt_hash, to_json(p)) for p in prompts]
        entries += [Entry("toolsets", t.toolset_hash, to_json(t)) for t in toolsets]
        entries += [Entry("runs", r.run_id, to_json(r)) for r in runs]
        entries += [Entry("episodes", e.episode_id, to_json(e)) for e in new]
        before = len(known)
        known.update(e.episode_id for e in new)
        self.journal.add(entries)
        if len(self.journal) >= BATCH:
            self.flush()
        return len(known) - before

    def known_ids(self) -> set[str]:
        """Return the ids of every episode stored or in the journal, as this writer last read them."""
        if self._known is None:
            self._known = self.tables["episodes"].keys() | self.journal.keys("episodes")
        return self._known

    def flush(self) -> int:
        """Move what waits in the journal to Delta; returns how many episodes were moved."""
        moved = 0
        while len(self.journal):
            with self.journal.exclusive():
                last, entries = self.journal.waiting(BATCH)
                moved += self._commit(entries)
                if not self._remote:
                    os.sync()  # Delta's files are on disk before the journal drops what they hold
                self.journal.forget(last)
        return moved

    def _commit(self, entries: list[Entry]) -> int:
        """Write one batch of entries, the new rows of each table in one commit; the episodes come last."""
        moved = 0
        for name, (cls, _) in KINDS.items():
            moved = self.tables[name].append(
                [row_from_json(cls, e.payload) for e in entries if e.kind == name]
            )
        return moved

    def scan(self, version: int | None = None, *, table: str = "episodes") -> "pl.LazyFrame":
        """Scan a table as a polars LazyFrame, now or as of an old version; columns are the record's fields.

        Raises UnknownName for a table or version that is not there.
        """
        if table not in self.tables:
            raise UnknownName("table", table, self.tables)
        return self.tables[table].scan(version)

    def episode(self, episode_id: str, version: int | None = None) -> Episode:
        """Return one whole episode. Raises StoreError where the store has none of that id."""
        for episode in self.episodes([episode_id], version):
            return episode
        raise StoreError(f"no episode {episode_id!r} in {self.url}")

    def episodes(self, ids: Iterable[str] | None = None, version: int | None = None) -> Iterator[Episode]:
        """Yield whole episodes in the store's order, a batch in memory at a time; all without ``ids``."""
        for row in self.tables["episodes"].rows(ids, version):
            yield from_row(Episode, row)

    def prompt(self, prompt_hash: str) -> str:
        """Return the text of a system prompt."""
        return from_row(Prompt, self.tables["prompts"].row(prompt_hash)).text

    def toolset(self, toolset_hash: str) -> ToolSet:
        """Return a tool set."""
        return from_row(ToolSet, self.tables["toolsets"].row(toolset_hash))

    def run(self, run_id: str) -> Run:
        """Return a run."""
        return from_row(Run, self.tables["runs"].row(run_id))

    def version(self) -> int:
        """Return the version of the episodes table: the number that names exactly this data."""
        return self.tables["episodes"].version()

    def history(self) -> list[dict[str, Any]]:
        """Return the commits of the episodes table, newest first: version, time, operation, rows added."""
        return self.tables["episodes"].history()

    def compact(self) -> list[dict[str, Any]]:
        """Merge small data files; return per table how many went and came. Old versions stay readable."""
        return [{"table": name, **table.compact()} for name, table in self.tables.items() if name in KINDS]

    def amend(self, episodes: Sequence[Episode]) -> None:
        """Replace the episodes with these ids, in one commit: a new version, the old one stays.

        For what can be computed again, such as verdicts. Raises StoreError where another process wrote
        meanwhile; nothing is amended then.
        """
        if episodes:
            self.tables["episodes"].replace(episodes)

    def save_selection(self, selection: Selection) -> None:
        """Save a selection under its name, replacing an older one."""
        self.tables["selections"].replace([selection])

    def selection(self, name: str) -> Selection:
        """Return a selection by name. Raises UnknownName listing the names there are."""
        names = self.tables["selections"].keys()
        if name not in names:
            raise UnknownName("selection", name, names)
        return from_row(Selection, self.tables["selections"].row(name))

    def close(self) -> None:
        """Move what waits to Delta and close the journal."""
        if self._journal is not None:
            self.flush()
            self._journal.close()
            self._journal = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
