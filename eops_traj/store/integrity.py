"""What a table must hold by its Delta log and its mark, held against what is there.

Each function names the problems it finds, a line each, and none where all is whole. Reading a table stops at
the first; ``eops-traj check`` lists them all. Only for stores in folders: an object store keeps its own.
"""

import contextlib
import functools
import json
import re
import zlib
from collections.abc import Iterable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path, PurePath
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.parse import unquote

from eops_traj.store.checksums import measured, recorded
from eops_traj.store.marks import content

if TYPE_CHECKING:
    from deltalake import DeltaTable

LOG = "_delta_log"
_ENTRY = re.compile(r"(\d{20})\.json")
_CHECKPOINT = re.compile(r"(\d{20})\.checkpoint\..*parquet")


class DataFile(NamedTuple):
    """A data file as the log lists it."""

    name: str
    size: int
    rows: int | None
    """None where its writer did not say."""


class Commit(NamedTuple):
    """What an entry of the log does."""

    version: int
    added: dict[str, DataFile]
    removed: set[str]
    changes: bool
    """Whether rows change: not where files are merged."""


def data_files(table: "DeltaTable") -> list[DataFile]:
    """Return the data files of a table at the version that is loaded."""
    import pyarrow as pa

    actions = table.get_add_actions(flatten=False)
    added = pa.RecordBatchReader.from_stream(actions).read_all()  # pa.table(actions) would import pandas
    columns = added.select(["path", "size_bytes", "num_records"]).columns
    rows = zip(*(column.to_pylist() for column in columns), strict=True)
    return [DataFile(unquote(path), size, count) for path, size, count in rows]


def row_count(files: Sequence[DataFile]) -> int:
    """Count the rows that the log lists."""
    return sum(file.rows or 0 for file in files)


def log_problems(folder: Path, whole: bool = False) -> Iterator[str]:
    """Name entries of the log that are missing or no JSON, of those since the last checkpoint, or all."""
    versions, start = log_versions(folder)
    if whole and versions:  # before the first may lie what deltalake dropped once a checkpoint held it
        start = min(start, versions[0] - 1)
    for version in range(start + 1, max(versions, default=start) + 1):
        path = folder / LOG / f"{version:020}.json"
        try:
            stat = path.stat()
            if entry_crc(str(path), stat.st_size, stat.st_mtime_ns) is None:
                yield f"entry {version} of its log is damaged"
        except FileNotFoundError:
            yield f"entry {version} of its log is missing"
            return
        except OSError as error:
            yield f"entry {version} of its log cannot be read: {error.strerror}"


def log_versions(folder: Path) -> tuple[list[int], int]:
    """Return the versions that have an entry in the log, and that of the last checkpoint, -1 without one."""
    names = log_names(folder)
    return _numbers(_ENTRY, names), max(_numbers(_CHECKPOINT, names), default=-1)


def log_names(folder: Path) -> list[str]:
    """Return the names of the entries and checkpoints of a log, in order."""
    names = [path.name for path in (folder / LOG).iterdir()] if (folder / LOG).is_dir() else []
    return sorted(name for name in names if _ENTRY.fullmatch(name) or is_checkpoint(name))


def is_checkpoint(name: str) -> bool:
    """Check whether a file of a log is a checkpoint, or a part of one."""
    return _CHECKPOINT.fullmatch(name) is not None


def version_of(name: str) -> int:
    """Return the version that an entry or checkpoint of a log is of."""
    return int(name.partition(".")[0])


def oldest_version(names: Sequence[str]) -> int:
    """Return the oldest version that a log of these files tells: older programs deleted entries."""
    return 0 if 0 in _numbers(_ENTRY, names) else min(_numbers(_CHECKPOINT, names), default=0)


def _numbers(pattern: re.Pattern[str], names: Iterable[str]) -> list[int]:
    return sorted(int(match[1]) for name in names if (match := pattern.fullmatch(name)))


def has_log(folder: Path) -> bool:
    """Check whether a folder is a Delta table: its log has an entry or a checkpoint."""
    versions, checkpoint = log_versions(folder)
    return bool(versions) or checkpoint >= 0


def entry_actions(path: Path) -> list[dict[str, Any]]:
    """Read an entry of the log: a JSON object a line. Raises OSError, ValueError for something else."""
    return _actions(content(path))


def _actions(text: bytes) -> list[dict[str, Any]]:
    actions = [json.loads(line) for line in text.decode().split("\n") if line.strip()]
    if not actions or not all(isinstance(action, dict) for action in actions):
        raise ValueError("no entry of a log")
    return actions


def commits(folder: Path) -> Iterator[Commit]:
    """Yield what each entry of the log adds and removes, the oldest first, where it can be read."""
    for version in log_versions(folder)[0]:
        with contextlib.suppress(OSError, ValueError, RecursionError, KeyError, TypeError, AttributeError):
            yield _commit(version, entry_actions(folder / LOG / f"{version:020}.json"))


def _commit(version: int, actions: list[dict[str, Any]]) -> Commit:
    adds = [action["add"] for action in actions if "add" in action]
    removes = [action["remove"] for action in actions if "remove" in action]
    files = {}
    for add in adds:
        name, stats = unquote(add["path"]), json.loads(add.get("stats") or "{}")
        files[name] = DataFile(name, add["size"], stats.get("numRecords"))
    changes = any(action.get("dataChange", True) for action in [*adds, *removes])
    return Commit(version, files, {unquote(remove["path"]) for remove in removes}, changes)


def all_files(folder: Path) -> dict[str, DataFile]:
    """Return the data files that any entry of the log adds, by name."""
    return {name: file for commit in commits(folder) for name, file in commit.added.items()}


def loose_files(folder: Path, listed: Iterable[str]) -> list[str]:
    """Return the data files that no entry of the log lists: a crash before the commit leaves one."""
    known = set(listed)
    there = [*folder.glob("part-*"), *folder.glob(".part-*")]  # the latter is half of one
    return sorted(path.name for path in there if path.name not in known)


@functools.lru_cache(maxsize=10_000)
def entry_crc(path: str, size: int, changed: int) -> int | None:
    """Return the CRC-32 of an entry of the log, once per change; None where it is no JSON."""
    text = content(Path(path))
    try:
        return zlib.crc32(text) if _actions(text) else None
    except (ValueError, RecursionError):
        return None


def head_problems(
    folder: Path, head: dict[str, Any] | None, table: "DeltaTable", files: Sequence[DataFile]
) -> Iterator[str]:
    """Name what the mark of the last commit says and the log does not."""
    if head is None:
        if unmarked := unmarked_files(folder, files):
            yield f"the mark of its last commit is gone, and its log does not list {len(unmarked)} data files"
        return
    version, rows = table.version(), row_count(files)
    if head.get("id") != str(table.metadata().id):
        yield "it is not the table that was written here"
    elif version < head["version"]:
        yield f"its log ends at version {version}, but version {head['version']} was written"
    elif version == head["version"] and rows != head["rows"]:
        yield f"its log lists {rows} rows, but {head['rows']} were written"
    elif rows < head["rows"] and not _all_ours(folder, head["version"] + 1, version):  # whose commit was it?
        had = f"version {head['version']} had {head['rows']}"
        yield f"its log lists {rows} rows at version {version}, but {had}"


def _all_ours(folder: Path, first: int, last: int) -> bool:
    """Check that each of these commits is ours or changes no row: a selection's next may have fewer rows."""
    try:
        entries = [entry_actions(folder / LOG / f"{version:020}.json") for version in range(first, last + 1)]
        return all(_is_ours(actions) for actions in entries)
    except (OSError, ValueError, RecursionError, TypeError, AttributeError):
        return False


def _is_ours(actions: list[dict[str, Any]]) -> bool:
    told = any("rows_added" in action.get("commitInfo", ()) for action in actions)
    return told or not any("add" in action or "remove" in action for action in actions)


def unmarked_files(folder: Path, files: Sequence[DataFile]) -> list[str]:
    """Return the data files of ours that no entry lists: without a mark, their commit may be what is gone."""
    loose = loose_files(folder, {*(file.name for file in files), *all_files(folder)})
    return [name for name in loose if recorded(folder, name) is not None]


def is_outside(name: str) -> bool:
    """Check whether a name in the log leads out of the table's folder, or to no file of its data.

    Logs come from anywhere; what such a name leads to is not the store's to read or to move. Of a table's own
    names, those that begin with ``_`` or ``.`` are its log, its marks and what Delta hides.
    """
    first, *others = PurePath(name).parts or [""]
    return first[:1] in ("", "/", "_", ".") or ".." in others or "://" in name or "\0" in name


def file_problem(folder: Path, file: DataFile) -> str | None:
    """Say why a data file is not the one that the log lists, as far as its size tells."""
    if is_outside(file.name):
        return f"its log names a data file outside the table's data, {file.name!r}"
    try:
        size = (folder / file.name).stat().st_size
    except FileNotFoundError:
        return f"the data file {file.name} is missing"
    except OSError as error:
        return f"the data file {file.name} cannot be read: {error.strerror}"
    if size != file.size:
        return f"the data file {file.name} has {size} bytes instead of {file.size}"
    return None


def file_problems(folder: Path, files: Sequence[DataFile]) -> Iterator[str]:
    """Name the data files that are missing or of another size."""
    yield from filter(None, (file_problem(folder, file) for file in files))


def content_problem(folder: Path, file: DataFile, decode: bool = False) -> str | None:
    """Say why a data file is not the one that was written: by its checksum, or its rows where it has none.

    With ``decode``, a file without a checksum is read in full; else only its footer is.
    """
    expected = recorded(folder, file.name)
    try:
        if expected is not None:
            same = measured(folder / file.name) == expected
            return None if same else f"the data file {file.name} was changed: its checksum differs"
        held = _rows_in(folder / file.name, decode)
    except OSError as error:
        return f"the data file {file.name} cannot be read: {error}"
    if file.rows is not None and held != file.rows:
        return f"the data file {file.name} has {held} rows instead of {file.rows}"
    return None


def problem(folder: Path, file: DataFile) -> str | None:
    """Say why a data file is not the one that was written, as far as can be told by reading all of it."""
    return file_problem(folder, file) or content_problem(folder, file, decode=True)


def content_problems(folder: Path, files: Sequence[DataFile]) -> Iterator[str]:
    """Name the data files whose content is not what was written; hashing uses every core."""
    with ThreadPoolExecutor() as pool:
        yield from filter(None, pool.map(functools.partial(content_problem, folder), files))


def is_panic(error: BaseException) -> bool:
    """Check for a panic of deltalake or polars, which Python sees as no Exception."""
    return type(error).__name__ == "PanicException"


def _rows_in(path: Path, decode: bool) -> int:
    """Count the rows of a data file by its footer, or by decoding it. Raises OSError where that fails."""
    import pyarrow as pa
    import pyarrow.parquet

    try:
        with pyarrow.parquet.ParquetFile(path) as file:
            for batch in file.iter_batches() if decode else ():
                batch.validate(full=True)
            return int(file.metadata.num_rows)
    except pa.ArrowException as error:
        raise OSError(str(error)) from error
