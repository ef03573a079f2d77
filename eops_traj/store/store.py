"""The trajectory store: a folder or object-store URL of Delta tables, fed through a crash-safe journal.

::

    STORE/episodes  prompts  toolsets  runs  selections     Delta tables, Parquet inside
    STORE/labels                                             made with the first label of a reader
    STORE/journal.sqlite                                     finished, not yet in Delta

:meth:`Store.append` returns once the records are durable in the journal. :meth:`Store.flush` moves them to
Delta in batches, one Delta commit each. Opening a store finishes what a crash left in the journal, and checks
of one in a folder that every table is the one that was last written.
"""

import contextlib
import fcntl
import os
import warnings
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from functools import cached_property, partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import DamagedStore, InputError, StoreError, StoreWarning, UnknownName
from eops_traj.schema import SCHEMA_VERSION, Episode, Label, Prompt, Run, Selection, ToolSet
from eops_traj.store import batches, selection_rows, upkeep
from eops_traj.store.arrow import arrow_schema, from_row, row_from_json, to_json
from eops_traj.store.batches import KINDS, Rejected, Row
from eops_traj.store.heads import JournalHeads
from eops_traj.store.journal import Entry, Journal, is_writable, waiting_by_mark
from eops_traj.store.key_index import KeyedFile
from eops_traj.store.named_versions import named_versions
from eops_traj.store.place import one_spelling, require_place
from eops_traj.store.table import Table

if TYPE_CHECKING:
    import polars as pl

BATCH = 256
"""Journal entries moved to Delta in one commit: small enough for memory, large enough to compress."""
_MADE_IN_ORDER = ("prompts", "toolsets", "runs", "selections", "episodes")
"""The tables; a store exists by the last of them."""
_MADE_AT_NEED = frozenset({"labels"})
"""The tables that many stores do without."""


class Store:
    """A trajectory store, open for reading and appending. Use it as a context manager."""

    def __init__(self, url: str, storage_options: Mapping[str, str] | None = None) -> None:
        """Name a store without touching it; :meth:`open` is what callers want.

        Raises StoreError for a URL at which no store can be.
        """
        self.url = one_spelling(url).rstrip("/")
        self._journal: Journal | None = None
        self._files: list[KeyedFile] | None = None
        self._appended, self._without_journal = False, False
        self.tables = {
            name: Table(f"{self.url}/{name}", key, arrow_schema(cls), storage_options)
            for name, (cls, key) in {**KINDS, "selections": (Selection, "name")}.items()
        }
        if not self.remote:
            heads = JournalHeads(self.journal_path, lambda: self.journal)
            for table in self.tables.values():
                table.heads = heads

    @classmethod
    def open(
        cls, url: str | Path, *, create: bool = False, storage_options: Mapping[str, str] | None = None
    ) -> "Store":
        """Open the store at a folder or URL; with ``create``, make it where there is none.

        Credentials of object stores come from the environment or ``storage_options`` (deltalake's names).
        Raises StoreError: no store there, not readable, or written by a newer schema version. Behind a URL a
        journal that lost records is warned of where nothing is to be made: others write the tables, too.
        """
        store = cls(str(url), storage_options)
        has_journal = not store.remote and store.journal_path.exists()  # which comes after the tables
        if not store.tables["episodes"].exists():
            if has_journal:
                raise DamagedStore(store.url, "it has no episodes")
            if create:
                store._create()
        store.check_version()
        if not store.remote:
            store._check_tables()
        store._finish(writes=create)
        return store

    def _create(self) -> None:
        """Make the tables, in a folder alone: two that create one table at once would both give it an id."""
        folder = Path(self.url)
        if not self.remote:
            require_place(folder)
        with contextlib.nullcontext() if self.remote else _alone(folder):
            if self.tables["episodes"].exists():
                return
            if not self.remote and not self.is_ours(folder):
                raise StoreError(f"{self.url} is neither a store nor an empty folder")
            for name in _MADE_IN_ORDER:
                self.tables[name].create(f"eops-traj schema {SCHEMA_VERSION}")

    def _check_tables(self) -> None:
        """Check that every table is there and lists what was last written. Raises StoreError otherwise."""
        for name, table in self.present().items():
            if not table.exists():
                raise DamagedStore(self.url, f"it has no {name}")
            loaded, files = table.checked(None)
            if table.head() is None and not files:  # a crash came between its creation and its mark
                table.write_head(loaded)

    def present(self) -> dict[str, Table]:
        """Return the tables that a store has: those that are made at need only where they were."""
        return {n: t for n, t in self.tables.items() if n not in _MADE_AT_NEED or _was_made(t)}

    def _finish(self, writes: bool) -> None:
        """Move to Delta what a crash left in the journal; warn where that cannot be.

        Raises StoreError where the journal is not whole, but behind a URL only for who ``writes``.
        """
        exists = self.journal_path.exists()
        if exists and not is_writable(self.journal_path):
            self._warn_of_waiting("it cannot be written")
            return
        try:
            self._check_journal()
        except StoreError as error:
            if writes or not self.remote:
                raise
            self._without_journal = True
            self._warn(f"read without its journal: {error}")
            return
        if exists:
            self._move_waiting()

    def _check_journal(self) -> None:
        """Check that the journal lost nothing. Raises StoreError where it did, or cannot be read."""
        lost = waiting_by_mark(self.journal_path)  # first: one that is made now is there before its mark
        if self.journal_path.exists():
            lost = self.journal.lost()
        if lost:
            raise DamagedStore(self.url, f"{lost} records that waited in its journal are gone")

    def _move_waiting(self) -> None:
        """Move what waits to Delta, or warn why it still waits. Raises DamagedStore."""
        if (count := self.journal.quarantined()) and not self.journal.others():
            self._warn_of_rejected(count)
        try:
            self.flush()
        except DamagedStore:
            raise
        except StoreError as error:
            self._warn_of_waiting(str(error))

    def _warn_of_waiting(self, why: str) -> None:
        """Warn of what waits in a journal that may not be writable: a copy of it is asked."""
        with Journal.readable(self.journal_path) as journal:
            count = len(journal)
        if count:
            self._warn(f"{count} records wait in the journal and are not part of the answer: {why}")

    def _warn_of_rejected(self, count: int) -> None:
        self._warn(
            f"{count} records that no table can take are set aside; `eops-traj check {self.url}` lists them"
        )

    def _warn(self, text: str) -> None:
        warnings.warn(f"{self.url}: {text}", StoreWarning, stacklevel=3)

    def is_ours(self, folder: Path) -> bool:
        """Check whether a folder holds nothing, or only what an interrupted creation left."""
        return folder.is_dir() and all(p.name in self.tables for p in folder.iterdir())

    def check_version(self) -> None:
        """Check that the store is of a schema that this program reads. Raises StoreError otherwise."""
        words = self.tables["episodes"].description().split()
        if words[:2] != ["eops-traj", "schema"] or not words[-1].isdigit():
            raise StoreError(f"{self.url} is a Delta table, but no eops-traj store")
        if int(words[-1]) > SCHEMA_VERSION:
            raise StoreError(
                f"{self.url} has schema version {words[-1]}; this eops-traj reads up to {SCHEMA_VERSION}"
            )

    @property
    def remote(self) -> bool:
        """Whether the tables are behind a URL; the journal is on this machine all the same."""
        return "://" in self.url

    @property
    def journal(self) -> Journal:
        """The journal, opened at first use."""
        if self._journal is None:
            self._journal = Journal(self.journal_path, self.journal_url)
        return self._journal

    @property
    def journal_url(self) -> str | None:
        """The URL that its journal is kept for; a folder has its own in it, and needs none."""
        return self.url if self.remote else None

    @contextlib.contextmanager
    def reading_journal(self) -> Iterator[Journal | None]:
        """Open the journal to be read; None where there is none of this store's, or it is read without it."""
        if self._without_journal or not self.journal_path.exists():
            yield None
            return
        with Journal.readable(self.journal_path, self.journal_url) as journal:
            yield None if journal.others() else journal

    @cached_property
    def journal_path(self) -> Path:
        """In the store's folder; an object store's in the user's state folder, by the table's id."""
        if not self.remote:
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
        labels: Iterable[Label] = (),
    ) -> int:
        """Add records durably and return how many episodes were new; what the store has is left out.

        Raises FormatError, with nothing added, where a record is none that the tables could hold, and
        StoreError where the journal is not whole: the next entry would hide what it lost.
        """
        if self.remote and not self._appended:  # that of a folder stops who opens it
            self._check_journal()
        offered = {episode.episode_id: episode for episode in episodes}
        known = self._known(offered)
        new = [episode for id_, episode in offered.items() if id_ not in known]
        entries = [_entry("prompts", prompt) for prompt in prompts]
        entries += [_entry("toolsets", toolset) for toolset in toolsets]
        entries += [_entry("runs", run) for run in runs]
        entries += [_entry("episodes", episode) for episode in new]
        entries += [_entry("labels", label) for label in labels]
        self._appended = True
        self.journal.add(entries)
        if len(self.journal) >= BATCH:
            self.flush()
        return len(new)

    def known(self, ids: Collection[str]) -> set[str]:
        """Return those of these ids that are stored or wait in the journal now."""
        self._files = None
        return self._known(ids)

    def _known(self, ids: Collection[str]) -> set[str]:
        """Return those of these ids that are stored, as this writer last looked, or wait in the journal."""
        waiting = self.journal.holds("episodes", ids)  # first: from there they go to the table
        if self._files is None:
            self._files = self.tables["episodes"].snapshot()
        return waiting | self.tables["episodes"].known_in(self._files, ids)

    def flush(self) -> int:
        """Move what waits in the journal to Delta; returns how many episodes were moved.

        What no table can take is set aside in the journal's quarantine, with a warning. Raises StoreError
        where Delta cannot be written: all that waits stays in the journal then.
        """
        moved, rejected = 0, 0
        while len(self.journal):
            self.journal.check_place()
            with self.journal.exclusive():
                self.journal.claim()
                waiting = self.journal.waiting(BATCH)
                counts, refused = self._commit(waiting.entries)
                refused += [Rejected(entry, "its checksum differs") for entry in waiting.damaged]
                if not self.remote:
                    os.sync()  # Delta's files are on disk before the journal drops what they hold
                self.journal.set_aside(refused)
                self.journal.forget(waiting.last)
            moved, rejected = moved + counts["episodes"], rejected + len(refused)
            self.journal.write_mark()
        self._files = None
        if rejected:
            self._warn_of_rejected(rejected)
        return moved

    def _commit(self, entries: Iterable[Entry]) -> tuple[dict[str, int], list[Rejected]]:
        """Write one batch of entries, the new rows of each table in one commit; the episodes come last."""
        parsed = list(batches.parse(entries))
        for name in _MADE_AT_NEED & {row.entry.kind for row in parsed}:
            if not _was_made(self.tables[name]):  # one that is gone is not begun anew as if it were the first
                self.tables[name].create(f"eops-traj schema {SCHEMA_VERSION}")
        counts, refused = batches.append(self.tables, [row for row in parsed if isinstance(row, Row)])
        return counts, refused + [row for row in parsed if isinstance(row, Rejected)]

    def readmit(self) -> int:
        """Try what was set aside again; what a table takes now leaves the quarantine. Return how many did."""
        with self.journal.exclusive():
            self.journal.claim()
            aside = self.journal.quarantine()
            sound = [item for item in aside if item.sound]
            _, refused = self._commit(item.entry for item in sound)
            os.sync()
            stuck = {rejected.entry for rejected in refused}
            numbers = [item.number for item in sound if item.entry not in stuck]
            self.journal.release(numbers)
        return len(numbers)

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

    def labels(self, version: int | None = None) -> list[Label]:
        """Return what readers said, the oldest first: of the table, and what waits in this machine's journal.

        With a ``version`` of the table of labels, that alone.
        """
        table, rows = self.tables["labels"], []
        if _was_made(table):
            rows = list(table.rows(version=version))
        if version is None:
            with self.reading_journal() as journal:
                waiting = [] if journal is None else journal.of_kind("labels")
            rows += [row_from_json(Label, entry.payload) for entry in waiting]
        labels = {row["label_id"]: from_row(Label, row) for row in rows}
        return sorted(labels.values(), key=lambda label: (label.created_at, label.label_id))

    def version(self) -> int:
        """Return the version of the episodes table: the number that names exactly this data."""
        return self.tables["episodes"].version()

    def history(self) -> list[dict[str, Any]]:
        """Return the commits of the episodes table, newest first: version, time, operation, rows added."""
        return self.tables["episodes"].history()

    def set_aside(self) -> int:
        """Count the records in the quarantine: those that no table could take."""
        with self.reading_journal() as journal:
            return 0 if journal is None else journal.quarantined()

    def compact(self) -> list[dict[str, Any]]:
        """Merge small data files; return per table how many went and came. Old versions stay readable.

        Other processes may write meanwhile: they wait for the commits alone.
        """
        return [{"table": name, **upkeep.compact(self.tables[name], self._alone)} for name in self._upkept()]

    def _alone(self) -> contextlib.AbstractContextManager[None]:
        """Keep off whoever moves or changes rows in this folder; behind a URL nobody can be."""
        return contextlib.nullcontext() if self.remote else self.journal.exclusive()

    def _upkept(self) -> list[str]:
        return [name for name in KINDS if name in self.present()]

    def vacuum(self, days: float, dry_run: bool = False) -> list[dict[str, Any]]:
        """Delete data files that no version has that could be asked for; return per table how many.

        The latest version stays, whatever was the table's within ``days``, and every version that a
        selection named, be it replaced since: an export names its selection. Raises InputError for less
        than 0 days, or more than `upkeep.MOST_DAYS`.
        """
        if not 0 <= days <= upkeep.MOST_DAYS:
            raise InputError(f"days of versions to keep are from 0 to {upkeep.MOST_DAYS}, not {days:g}")

        def keep(name: str) -> set[int]:
            there = self.tables[name].versions()
            return named_versions(self.tables["selections"], there) if name == "episodes" else set()

        gone = {
            name: upkeep.vacuum(self.tables[name], days, partial(keep, name), dry_run, self._alone)
            for name in self._upkept()
        }
        return [{"table": name, "files": len(files)} for name, files in gone.items()]

    def amend(self, episodes: Sequence[Episode], since: int) -> None:
        """Replace the episodes with these ids, in one commit: a new version, the old one stays.

        For what can be computed again, such as verdicts, from episodes as they were at the version ``since``.
        Raises StoreError where another process amended one of them after that, or does meanwhile, and where
        a newer eops-traj gave them a column that this one would empty; nothing is amended then.
        """
        if episodes:
            with self._alone():  # no merge meanwhile
                self.tables["episodes"].replace(episodes, since)

    def save_selection(self, selection: Selection) -> None:
        """Save a selection under its name, replacing an older one."""
        self.save_selection_parts(selection, [selection_rows.frame(selection.rows)])

    def save_selection_parts(self, head: Selection, parts: "Iterable[pl.DataFrame]") -> None:
        """Save a selection whose rows come a part at a time, each a frame of their fields, as one version."""
        table = self.tables["selections"]
        table.replace_parts([head.name], selection_rows.to_arrow(head, parts, table.schema))

    def selection(self, name: str, only: Collection[str] | None = None) -> Selection:
        """Return a selection by name, with all of its rows or those of some episodes ``only``.

        Raises UnknownName listing the names there are.
        """
        table = self.tables["selections"]
        saved = selection_rows.read(table.read_keys([name]), only)
        if saved is None:
            raise UnknownName("selection", name, sorted(table.keys()))
        return saved

    def close(self) -> None:
        """Move what was appended to Delta and close the journal."""
        if self._journal is not None:
            try:
                if self._appended and not self._journal.others():  # what waits is a copy's: ours has moved
                    self.flush()
            finally:
                self._journal.close()
                self._journal = None

    def __enter__(self) -> "Store":
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _was_made(table: Table) -> bool:
    """Check whether a table was ever written, be it damaged or gone since."""
    parts = table.folder is not None and any(table.folder.glob("*.*"))
    return table.exists() or parts or table.head() is not None  # of a folder that is gone the journal knows


def _entry(kind: str, record: Any) -> Entry:
    """Return the journal's entry of a record. Raises FormatError where no table could hold the record."""
    from eops_traj.store.record_check import check_record

    check_record(record)
    return Entry(kind, getattr(record, KINDS[kind][1]), to_json(record))


@contextlib.contextmanager
def _alone(folder: Path) -> Iterator[None]:
    """Hold a folder, made if missing, alone among the processes of this machine. Raises StoreError."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
        descriptor = os.open(folder, os.O_RDONLY)
    except OSError as error:
        raise StoreError(f"cannot write {folder}: {error.strerror}") from error
    try:
        fcntl.flock(descriptor, fcntl.LOCK_EX)
        yield
    finally:
        os.close(descriptor)
