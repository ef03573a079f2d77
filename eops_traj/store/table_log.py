"""A Delta table's log: which versions there are, and whether what they list is whole."""

import contextlib
import re
import shutil
import tempfile
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import DamagedStore, StoreError
from eops_traj.store import integrity, log_checksums, retention
from eops_traj.store.heads import JournalHeads, later
from eops_traj.store.history import commit_infos, commit_row
from eops_traj.store.marks import read_mark, write_mark
from eops_traj.store.place import require_place
from eops_traj.untrusted.terminal import plain

if TYPE_CHECKING:
    import pyarrow as pa
    from deltalake import DeltaTable


class TableLog:
    """The versions of a table whose rows have a unique key column."""

    head_name = "_head.json"
    """The mark of the last commit, in the table's folder."""

    def __init__(
        self, url: str, key: str, schema: "pa.Schema", storage_options: Mapping[str, str] | None = None
    ) -> None:
        """Name a table without touching it."""
        self.url, self.key, self.schema = url, key, schema
        self.folder = None if "://" in url else Path(url)
        """None behind a URL."""
        self._options = dict(storage_options) if storage_options else None
        self.heads: JournalHeads | None = None
        """Where the last commit is recorded a second time."""

    @property
    def name(self) -> str:
        """The last part of its place."""
        return self.url.rpartition("/")[2]

    def exists(self) -> bool:
        """Check whether there is a Delta table here. Raises StoreError where deltalake could not read it."""
        from deltalake import DeltaTable

        if self.folder is not None:
            return self._has_log(self.folder)
        try:
            return bool(DeltaTable.is_deltatable(self.url, storage_options=self._options))
        except OSError as error:  # no key, no network, no such bucket
            raise StoreError(f"cannot reach {self.url.rpartition('/')[0]}: {cause(error)}") from error

    def _has_log(self, folder: Path) -> bool:
        if there := integrity.has_log(folder):
            require_place(folder)
        return there

    def open(self, version: int | None = None) -> "DeltaTable":
        """Open the table by its log alone, whatever else is there. Raises StoreError where that fails."""
        from deltalake import DeltaTable
        from deltalake.exceptions import DeltaError, TableNotFoundError

        from eops_traj.store.local_table import LocalTable

        kind = DeltaTable if self.folder is None else LocalTable
        try:
            return kind(self.url, version=version, storage_options=self._options)
        except TableNotFoundError as error:
            where = self.url.rpartition("/")[0] or "''"
            raise StoreError(f"no store at {where}; `eops-traj collect` or `import` make one") from error
        except (DeltaError, OSError, ValueError) as error:
            told = isinstance(error, DeltaError)  # and not out of reach, which asking again would be, too
            if told and version is not None and version > (newest := self.open().version()):
                raise StoreError(f"{self.url} has no version {version}, its newest is {newest}") from error
            if self.folder is not None:
                self._refuse(iter([f"its log cannot be read: {error}"]))
            raise StoreError(f"cannot read {self.url}: {cause(error)}") from error
        except BaseException as error:
            if integrity.is_panic(error):
                self._refuse(iter([f"its log cannot be read: {str(error)[:200]}"]))
            raise

    def load(self, version: int | None = None) -> "DeltaTable":
        """Load the table at a version, by default the latest, and check that its files are there.

        Raises StoreError where there is none, none of that version, or what the log lists is not there.
        """
        return self.checked(version)[0]

    def checked(
        self, version: int | None, content: bool = False
    ) -> tuple["DeltaTable", list[integrity.DataFile]]:
        """Load the table with its data files; ``content`` is checked once in a process for each file."""
        if self.folder is None:
            table = self.open(version)
            return table, integrity.data_files(table)
        head = self.head()  # before the log: another process may commit in between
        self._refuse(integrity.log_problems(self.folder))
        table = self.open(version)
        self._refuse(log_checksums.problems(self, head, table))
        files = integrity.data_files(table)
        if version is None:
            problems = list(integrity.head_problems(self.folder, head, table, files))
            if problems and head is None and self.head() is not None:  # it was being made when it was read
                return self.checked(version, content)
            self._refuse(iter(problems))
        if version is not None:
            retention.require_kept(self.folder, version, files)
        self._refuse(integrity.file_problems(self.folder, files))
        if content:
            self._refuse(integrity.content_problems(self.folder, files))
        return table, files

    def head(self) -> dict[str, Any] | None:
        """Return what is known of the last commit: the table's id, version and rows; None without a mark."""
        try:
            mark = self._mark()
            known = later(mark, self.heads.of(self.name)) if self.heads else mark
            return log_checksums.carried(mark, known)
        except StoreError as error:
            self._refuse(iter([str(error)]))
            raise

    def _mark(self) -> dict[str, Any] | None:
        """Read the mark of the last commit; None without one. Raises StoreError where it was changed."""
        mark = read_mark(self.folder / self.head_name, "version", "rows") if self.folder else None
        log_checksums.require_sound(mark)
        return mark

    def rebuilt(self, version: int) -> "DeltaTable":
        """Open the table at a version by a copy of the entries up to it: no checkpoint, nor what came later.

        Raises OSError where an entry is missing, StoreError where they cannot be read.
        """
        with tempfile.TemporaryDirectory() as trial:
            (Path(trial) / "t" / integrity.LOG).mkdir(parents=True)
            for number in range(version + 1):
                name = f"{integrity.LOG}/{number:020}.json"
                shutil.copyfile((self.folder or Path()) / name, Path(trial) / "t" / name)
            return TableLog(f"{trial}/t", self.key, self.schema).open()

    def write_head(self, table: "DeltaTable") -> None:
        """Write the mark of the version that is loaded, with the checksums of the log up to it."""
        if self.folder is not None:
            rows = integrity.row_count(integrity.data_files(table))
            facts = {"id": str(table.metadata().id), "version": table.version(), "rows": rows}
            before = None
            with contextlib.suppress(StoreError):  # what cannot be read is written anew
                before = self._mark()
            write_mark(self.folder / self.head_name, log_checksums.added(self.folder, facts, before))
            if self.heads:
                self.heads.note(self.name, facts)

    def forget_log(self) -> None:
        """Drop the checksums of a log that was cut back: the numbers of its versions are given again."""
        with contextlib.suppress(StoreError):
            if self.folder is not None and (mark := self._mark()):
                write_mark(self.folder / self.head_name, log_checksums.dropped(mark))

    def _refuse(self, problems: Iterator[str]) -> None:
        """Raise DamagedStore for the first problem."""
        for problem in problems:
            raise DamagedStore(self.url.rpartition("/")[0], f"{self.name}: {problem}")

    def check_content(self, files: Iterable[integrity.DataFile]) -> None:
        """Check the content of data files, once in a process. Raises DamagedStore for one that changed."""
        if self.folder is not None:
            self._refuse(integrity.content_problems(self.folder, list(files)))

    def description(self) -> str:
        """Return the table's description, in which the store keeps its schema version."""
        return str(self.load().metadata().description or "")

    def id(self) -> str:
        """Return the table's own id, new with every table created."""
        return str(self.load().metadata().id)

    def version(self) -> int:
        """Return the latest version."""
        return int(self.load().version())

    def history(self) -> list[dict[str, Any]]:
        """Return the table's commits, newest first, as `commit_row` has them."""
        table = self.load()
        infos = table.history() if self.folder is None else commit_infos(self.folder)
        return [commit_row(info) for info in infos]


def cause(error: BaseException) -> str:
    """Return what a library says in one line; of an object store's XML, its code and message."""
    text = plain(str(error))
    parts = [re.search(f"<{name}>(.*?)</{name}>", text) for name in ("Code", "Message")]
    return ": ".join(part[1] for part in parts if part) or text
