"""Everything that is wrong with a store, and what it costs: nothing is written, nothing raised on the way."""

import io
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

from eops_traj.errors import StoreError
from eops_traj.store import batches, checksums, integrity, log_checksums, retention
from eops_traj.store.integrity import DataFile
from eops_traj.store.journal import Journal, SetAside, waiting_by_mark
from eops_traj.store.key_index import key_beyond, keyed_files
from eops_traj.store.store import Store
from eops_traj.store.table import Table

if TYPE_CHECKING:
    from deltalake import DeltaTable


class Damage(NamedTuple):
    """Something that is wrong: in which table (or the journal), what, and the rows that it costs."""

    table: str
    what: str
    rows_lost: int = 0


class Findings(NamedTuple):
    """What a check came to."""

    damage: list[Damage]
    set_aside: list[SetAside]
    """Records that no table can take, each with the reason."""
    notes: list[str]
    """What is no damage: records that wait, files without checksums, files that no version has."""


def check_store(store: Store) -> Findings:
    """Check a store as a whole. Raises StoreError where there is none at all."""
    if not any(table.exists() for table in store.tables.values()) and not store.journal_path.exists():
        raise StoreError(f"no store at {store.url}")
    findings = Findings([], [], [])
    for name, table in store.present().items():
        check = _check_folder if table.folder else _check_remote
        findings.damage.extend(Damage(name, *problem) for problem in check(table))
        if table.folder:
            findings.notes.extend(f"{name}: {note}" for note in _notes(table, table.folder))
    if not any(damage.table == "episodes" for damage in findings.damage):
        try:
            store.check_version()
        except StoreError as error:
            findings.damage.append(Damage("episodes", str(error)))
    _check_journal(store, findings)
    return findings


def _check_remote(table: Table) -> Iterator[tuple[str, int]]:
    """Check a table of an object store: every file is read, and held against the checksum in its name."""
    try:
        for file in integrity.data_files(table.load()):
            expected = checksums.recorded(Path(), file.name)
            if expected and expected not in checksums.name_of(io.BytesIO(table.read_file(file.name))):
                yield f"the data file {file.name} was changed: its checksum differs", file.rows or 0
    except (StoreError, OSError) as error:
        yield str(error), 0


def _check_folder(table: Table) -> Iterator[tuple[str, int]]:
    """Check a table in a folder: its log, its mark, and the data files of every version."""
    folder, listed = table.folder or Path(), integrity.all_files(table.folder or Path())
    broken = [*integrity.log_problems(folder, whole=True)] if table.exists() else ["the table is missing"]
    yield from ((problem, 0) for problem in broken)
    current: list[DataFile] = []
    opened: DeltaTable | None = None
    try:
        head = table.head()
        if not any(integrity.log_problems(folder)) and table.exists():  # of another log deltalake would panic
            opened = table.open()
            changed = log_checksums.problems(table, head, opened, whole=True)
            yield from ((problem, 0) for problem in changed)
            current = integrity.data_files(opened)
            rows = integrity.row_count(current)
            for problem in integrity.head_problems(folder, head, opened, current):
                yield problem, max((head or {}).get("rows", 0) - rows, 0)
    except StoreError as error:
        yield str(error), 0
    wrong = dict(_check_files(folder, current))
    yield from wrong.items()
    if opened and current and not wrong:
        yield from ((problem, 0) for problem in _check_ranges(table, opened))
    known = {file.name for file in current} | retention.dropped(folder) | retention.vacuumed(folder)
    others = [file for name, file in listed.items() if name not in known]
    yield from ((f"{problem}, of another version", 0) for problem, _ in _check_files(folder, others))


def _check_files(folder: Path, files: list[DataFile]) -> Iterator[tuple[str, int]]:
    for file in files:
        if problem := integrity.problem(folder, file):
            yield problem, file.rows or 0


def _check_ranges(table: Table, opened: "DeltaTable") -> Iterator[str]:
    """Hold the ranges of keys that the log says of its files against the keys that they have."""
    for file in keyed_files(opened, table.key):
        with table.open_file(file.name) as content:
            beyond = key_beyond(file, content.read([table.key])[table.key])
        if beyond is not None:
            yield f"no look-up finds {beyond!r}: its log leaves it out of the keys of {file.name}"


def _notes(table: Table, folder: Path) -> Iterator[str]:
    """Note what a table lacks that newer ones have, and the data files that no version has."""
    gone = retention.dropped(folder)
    out = gone | retention.vacuumed(folder)
    listed = {name for name in integrity.all_files(folder) if name not in out}
    if bare := [name for name in listed if checksums.recorded(folder, name) is None]:
        yield f"{len(bare)} data files have no checksum"
    if gone:
        what = f"{len(gone)} data files were set aside by a repair, or are outside the table"
        yield f"{what}: the versions that have them cannot be read"
    if not (folder / table.head_name).exists():
        yield "no mark of the last commit"
    if loose := integrity.loose_files(folder, listed):
        yield f"{len(loose)} data files belong to no version"


def _check_journal(store: Store, findings: Findings) -> None:
    """Check the journal: that it can be read, lost nothing, and what waits or was set aside in it."""
    path = store.journal_path
    try:
        lost = waiting_by_mark(path)  # first: one that is made now is there before its mark
        if not path.exists():
            if lost:
                findings.damage.append(
                    Damage("journal", f"it is gone, and {lost} records waited in it", lost)
                )
            return
        with Journal.readable(path, store.journal_url) as journal:
            _check_entries(store, journal, findings)
            if lost := journal.lost():
                findings.damage.append(Damage("journal", f"{lost} records that waited are gone", lost))
    except (StoreError, OSError) as error:
        findings.damage.append(Damage("journal", str(error)))


def _check_entries(store: Store, journal: Journal, findings: Findings) -> None:
    findings.set_aside.extend(journal.quarantine())
    waiting = journal.waiting(len(journal))
    if changed := len(waiting.damaged):
        findings.damage.append(Damage("journal", f"{changed} records that wait were changed", changed))
    for entry, reason in batches.refused(store.tables, waiting.entries):
        findings.damage.append(Damage("journal", f"{entry.kind} {entry.key} fits no table: {reason}", 1))
    if sound := len(waiting.entries):
        where = f"the tables of {owner}" if (owner := journal.others()) else "the tables"
        findings.notes.append(f"journal: {sound} records wait to be moved to {where}")
