"""What is left of a damaged table: its sound entries, its whole data files, and the newest row of every key.

Nothing is written here. A data file is as new as the entry of the log that adds it; of files that no entry
names, those of lost entries, only their time of change tells.
"""

import contextlib
import functools
import itertools
from collections import Counter
from collections.abc import Collection, Iterator
from pathlib import Path
from typing import Any, NamedTuple

from eops_traj.errors import StoreError
from eops_traj.store import integrity, log_checksums
from eops_traj.store.integrity import LOG, DataFile
from eops_traj.store.table import Table

Rows = dict[str, dict[str, Any]]


class Log(NamedTuple):
    """What the log still tells: to which version it is sound, the files listed there, what is missing."""

    last: int
    """The version to which it has to be cut back; -1 where the table has to be made anew."""
    whole: bool
    files: list[DataFile]
    missing: list[int]
    """Versions that were written and have no entry that can be read."""


class Plan(NamedTuple):
    """What mending a table comes to."""

    log: Log
    gone: list[DataFile]
    """Listed data files that are damaged."""
    outdated: list[DataFile]
    """Listed data files with rows that a newer file replaced."""
    rows: list[dict[str, Any]]
    """The rows to write."""
    unreadable: list[str]
    """Other data files that are damaged."""
    left: list[str]
    """What is lost, a line each."""

    @property
    def damaged(self) -> bool:
        """Whether there is anything to write apart from checksums."""
        return bool(self.gone or self.outdated or self.rows or self.left or not self.log.whole)


def read_head(table: Table) -> dict[str, Any] | None:
    """Return the mark of the last commit, None where it cannot be read."""
    with contextlib.suppress(StoreError):
        return table.head()
    return None


def read_log(table: Table, head: dict[str, Any] | None) -> Log:
    """Read the log as far as it is sound, whatever else lies there."""
    folder = table.folder or Path()
    written = max(integrity.log_versions(folder)[0], default=-1)
    if table.exists() and not any(integrity.log_problems(folder)):
        with contextlib.suppress(StoreError):
            opened = table.open()
            if any(log_checksums.problems(table, head, opened)):
                raise StoreError("its log was changed")
            ahead = range(opened.version() + 1, (head or {}).get("version", -1) + 1)
            return Log(opened.version(), True, integrity.data_files(opened), list(ahead))
    entries = [name for name in integrity.log_names(folder) if not integrity.is_checkpoint(name)]
    changed = {integrity.version_of(name) for name in log_checksums.changed(folder, head, entries)}
    known = {commit.version for commit in integrity.commits(folder)} - changed
    until = max(written, (head or {}).get("version", -1))
    missing = [version for version in range(until + 1) if version not in known]
    last = _sound_until(folder, changed)
    try:
        return Log(last, False, integrity.data_files(table.rebuilt(last)), missing)
    except StoreError:
        return Log(-1, False, [], missing)


def _sound_until(folder: Path, changed: Collection[int]) -> int:
    """Return the last version up to which every entry of the log is there and whole; -1 without any."""
    for version in itertools.count():
        if version in changed:
            return version - 1
        try:
            integrity.entry_actions(folder / LOG / f"{version:020}.json")
        except (OSError, ValueError, RecursionError):
            return version - 1
    raise AssertionError


def plan(table: Table) -> Plan:
    """Work out what can be brought back and what is lost."""
    head = read_head(table)
    log = read_log(table, head)
    return _Salvage(table, head, log).plan()


class _Salvage:
    """The data files of a table, each with how new it is."""

    def __init__(self, table: Table, head: dict[str, Any] | None, log: Log) -> None:
        self._table, self._head, self._log = table, head, log
        self._folder = table.folder or Path()
        self._commits = [c for c in integrity.commits(self._folder) if c.version not in log.missing]
        self._named = {name: file for commit in self._commits for name, file in commit.added.items()}
        self._version = {name: commit.version for commit in self._commits for name in commit.added}
        self._gone = [file for file in log.files if integrity.problem(self._folder, file)]
        self._kept = [file for file in log.files if file not in self._gone]
        self._unreadable: list[str] = []
        self._by_key = functools.lru_cache(maxsize=4)(self._load)
        self._was_replaced = functools.cache(self._is_replaced)

    def plan(self) -> Plan:
        if self._log.whole and not (self._log.missing or self._gone or self._short() or self._unmarked()):
            return Plan(self._log, [], [], [], [], self._strange())
        names = [*(file.name for file in self._kept), *self._others()]
        winners, ambiguous = self._winners(sorted(names, key=self._rank))
        stale = [*self._stale(winners)]  # before rows that are alike stay where they are
        kept = {file.name for file in self._kept}
        changed = self._changed(winners, kept)
        outdated = [file for file in self._kept if file.name in changed]
        staying = kept - changed
        write = {key: name for key, name in winners.items() if name not in staying}
        rows = [row for name in set(write.values()) for row in self._rows(name, write, name)]
        count = len(rows) + sum(len(self._keys(name)) for name in staying)
        left = [*self._strange(), *self._lost(count), *stale, *ambiguous]
        return Plan(self._log, self._gone, outdated, rows, self._unreadable, left)

    def _short(self) -> bool:
        """Check whether the log lists fewer rows than were written."""
        return self._expected() > integrity.row_count(self._log.files)

    def _unmarked(self) -> bool:
        """Check whether commits may be gone that no mark tells of."""
        return self._head is None and bool(integrity.unmarked_files(self._folder, self._log.files))

    def _expected(self) -> int:
        """Return how many rows were written, by the mark, or by the log where that is newer."""
        listed = integrity.row_count(self._log.files)
        if self._head is None:
            return listed
        written = int(self._head["rows"])
        return max(listed, written) if self._log.whole and self._head["version"] < self._log.last else written

    def _strange(self) -> list[str]:
        """Name a table that is another than the mark tells of."""
        if not self._log.whole or self._head is None:
            return []
        same = self._head.get("id") == str(self._table.open().metadata().id)
        return [] if same else ["it is not the table that was written here"]

    def _others(self) -> list[str]:
        """Return the data files that are whole and not listed."""
        listed = {file.name for file in self._log.files}
        names: list[str] = []
        for path in self._folder.glob("*.parquet"):
            if path.name not in listed and path.is_file():
                file = self._named.get(path.name, DataFile(path.name, path.stat().st_size, None))
                (self._unreadable if integrity.problem(self._folder, file) else names).append(path.name)
        return names

    def _rank(self, name: str) -> tuple[int, int]:
        """Return how new a data file is: its version, then its time of change where no entry names it."""
        if name in self._version:
            return self._version[name], 0
        return max(self._log.missing, default=-1), (self._folder / name).stat().st_mtime_ns

    def _winners(self, names: list[str]) -> tuple[dict[str, str], list[str]]:
        """Return for every key the newest of these files, the oldest first, that has it.

        And name what only the time of change decided.
        """
        winners: dict[str, str] = {}
        doubtful: dict[str, str] = {}
        for name in names:
            for key in self._keys(name):
                if key in winners and not {name, winners[key]} & self._version.keys():
                    doubtful[key] = winners[key]
                winners[key] = name
        unlike = sum(
            row != self._row(winners[row[self._table.key]], row[self._table.key])
            for name in set(doubtful.values())
            for row in self._rows(name, doubtful, name)
        )
        return winners, [f"of {unlike} rows the log no longer tells which is the newest"] if unlike else []

    def _changed(self, winners: dict[str, str], kept: set[str]) -> set[str]:
        """Return the files of these with a row that is another in the file that wins."""
        changed = set()
        for name in kept:
            if all(winners[key] == name for key in self._keys(name)):
                continue
            for key, row in self._by_key(name).items():
                if winners[key] != name and self._row(winners[key], key) != row:
                    changed.add(name)
                elif winners[key] != name:
                    winners[key] = name
        return changed

    def _lost(self, count: int) -> Iterator[str]:
        """Name the rows, or else the versions, of which nothing is left."""
        if count < self._expected():
            yield f"{self._expected() - count} rows are lost"
            return
        loose = [path for path in self._folder.glob("*.parquet") if path.name not in self._version]
        whole = [path for path in loose if path.name not in self._unreadable]
        if len(whole) < len(missing := [version for version in self._log.missing if version]):
            yield f"what version {', '.join(map(str, missing))} wrote is lost"

    def _stale(self, winners: dict[str, str]) -> Iterator[str]:
        """Name the rows that were replaced later, by what is lost."""
        outlived = (self._rank(name)[0] for name in winners.values() if self._was_replaced(name))
        for version, count in sorted(Counter(outlived).items()):
            yield f"{count} rows came back as they were at version {version}"

    def _is_replaced(self, name: str) -> bool:
        """Check whether a later commit replaced rows of a file, or of the file that it was merged into."""
        after = [c for c in self._commits if name in c.removed and c.version > self._rank(name)[0]]
        return any(c.added and (c.changes or any(map(self._was_replaced, c.added))) for c in after)

    def _keys(self, name: str) -> list[str]:
        keys: list[str] = _read(self._folder / name, [self._table.key])[self._table.key].to_pylist()
        return keys

    def _load(self, name: str) -> Rows:
        return {row[self._table.key]: row for row in _read(self._folder / name).to_pylist()}

    def _row(self, name: str, key: str) -> dict[str, Any]:
        return self._by_key(name)[key]

    def _rows(self, name: str, chosen: dict[str, str], of: str) -> list[dict[str, Any]]:
        """Return the rows of a file whose key is chosen from it."""
        return [row for key, row in self._by_key(name).items() if chosen.get(key) == of]


def _read(path: Path, columns: list[str] | None = None) -> Any:
    import pyarrow.parquet

    return pyarrow.parquet.read_table(path, columns=columns)
