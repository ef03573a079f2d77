"""Mending a damaged store from what is whole: the log's sound entries, the data files, the journal.

Nothing is deleted: what is damaged goes to ``STORE/damaged/TIME``; behind a URL, where the journal alone is
mended, to ``damaged/TIME`` beside that. Rows are the same by their key; where two files have one, the newer
file's stands.
"""

import shutil
from datetime import UTC, datetime
from pathlib import Path

from eops_traj.errors import StoreError, WorkError
from eops_traj.schema import SCHEMA_VERSION
from eops_traj.store import integrity
from eops_traj.store.integrity import LOG
from eops_traj.store.journal import Journal, waiting_by_mark
from eops_traj.store.rescue import rescued
from eops_traj.store.salvage import Plan, plan
from eops_traj.store.store import Store
from eops_traj.store.table import Table


class Repair:
    """One repair of a store; behind a URL, of its journal on this machine."""

    def __init__(self, store: Store, drop_lost: bool) -> None:
        """Take the store; with ``drop_lost``, data files that cannot be brought back leave the tables."""
        now = datetime.now(UTC).strftime("%Y%m%dT%H%M%S%f")
        self._store, self._drop_lost, self._home = store, drop_lost, store.journal_path.parent
        self._aside = self._home / "damaged" / now
        self.done: list[str] = []
        """What was done, a line each."""

    def run(self) -> None:
        """Mend what can be mended. Raises WorkError where something is lost that only ``drop_lost`` gives up.

        No table is changed then.
        """
        self._mend_journal()
        if not self._store.remote:
            self._mend_tables()
        if readmitted := self._store.readmit():
            self.done.append(f"journal: {readmitted} records that were set aside are in the tables now")

    def _mend_tables(self) -> None:
        """Mend the tables, or raise as `run` does."""
        with self._store.journal.exclusive():  # nobody moves anything to the tables meanwhile
            plans = {name: plan(table) for name, table in self._store.present().items()}
            left = [f"{name}: {line}" for name, found in plans.items() for line in found.left]
            if left and not self._drop_lost:
                what = "; ".join([*self.done, *left])
                raise WorkError(f"{self._store.url}: {what}; --drop-lost takes that off the tables")
            self.done += [f"{line}, and given up" for line in left]
            for name, table in self._store.present().items():
                self._mend(name, table, plans[name])

    def _mend_journal(self) -> None:
        """Begin a journal that cannot be used anew, and settle one that lost entries."""
        path = self._store.journal_path
        try:
            lost = _lost(path)
        except StoreError:
            self._begin_journal(path)
            return
        if lost:
            path.with_suffix(".json").unlink(missing_ok=True)
            self._store.journal.settle()
            self.done.append(f"journal: taken as it is now, without {lost} records that waited")
        if owner := self._store.journal.others():
            with self._store.journal.exclusive():
                self._store.journal.take()
            self.done.append(f"journal: the records that waited for {owner} are this store's now")

    def _begin_journal(self, path: Path) -> None:
        """Move a journal that cannot be used aside, and begin one with the records that it still tells."""
        records = rescued(path)
        self._store.close()  # by which it may have been opened
        for part in path.parent.glob(f"{path.stem}.*"):
            self._set_aside(part)
        self.done.append("journal: begun anew; the one that cannot be read is set aside")
        if any(records):
            count = self._store.journal.add(records.waiting)
            self._store.journal.set_aside(records.set_aside)
            self.done.append(f"journal: {count + len(records.set_aside)} records of it are in the new one")

    def _mend(self, title: str, table: Table, plan: Plan) -> None:
        """Do what the plan of a table says; the mark of the last commit is written last."""
        folder = table.folder or Path()
        if not plan.log.whole:
            self._mend_log(title, table, plan.log.last)
        if plan.log.missing or not plan.log.whole:
            table.forget_log()
        out = [*plan.gone, *plan.outdated]
        name = None
        if plan.rows:
            rows = table.arrow(plan.rows, table.whole_schema(table.open()))
            name = table.name_of(rows)
            if any(file.name == name for file in plan.gone):  # the whole bytes take the place of the damaged
                self._set_aside(folder / name)
            table.commit(rows, out)
            self.done.append(
                f"{title}: brought back {len(plan.rows)} rows from data files that the log lacked"
            )
        elif out:
            table.drop(out)
        lost = [file for file in plan.gone if file.name != name]
        for file in lost:
            self._give_up(folder, file.name)
        if plan.gone:
            self.done.append(f"{title}: dropped {len(plan.gone)} damaged data files")
        if plan.damaged:
            self.done += [f"{title}: {file} cannot be read in full, left out" for file in plan.unreadable]
        if plan.log.missing or not plan.log.whole:  # of another time: they must never look newer
            for loose in integrity.loose_files(folder, integrity.all_files(folder)):
                self._set_aside(folder / loose)
        if count := table.record():
            self.done.append(f"{title}: recorded {count} checksums")

    def _mend_log(self, name: str, table: Table, last: int) -> None:
        """Cut the log back to its last sound entry; without one, begin it anew."""
        log = (table.folder or Path()) / LOG
        for path in sorted(log.glob("*")) if log.is_dir() else ():
            if not (path.suffix == ".json" and path.stem.isdigit() and int(path.stem) <= last):
                self._set_aside(path)
        if last >= 0:
            self.done.append(f"{name}: the log was cut back to version {last}")
            return
        if log.exists():
            self._set_aside(log)
        log.parent.mkdir(parents=True, exist_ok=True)
        mark = log.parent / table.head_name
        before = mark.read_bytes() if mark.is_file() else None
        table.create(f"eops-traj schema {SCHEMA_VERSION}")
        if before is not None:  # a repair that ends here is not a whole table without rows
            mark.write_bytes(before)
        self.done.append(f"{name}: the table was made anew, its log could not be used")

    def _give_up(self, folder: Path, name: str) -> None:
        """Move a lost data file out of the store's way; what is none of its table's stays where it is.

        An empty file stands for one that is gone: `check` knows by it that the file was dropped.
        """
        if integrity.is_outside(name):
            return
        path = folder / name
        if path.parent.resolve() == (folder.resolve() / name).parent:  # a folder in it may be a link
            self._set_aside(path)
        stand_in = self._place_aside(path)
        stand_in.parent.mkdir(parents=True, exist_ok=True)
        if not stand_in.exists():
            stand_in.touch()

    def _set_aside(self, path: Path) -> None:
        """Move a file or folder out of the store's way."""
        if path.exists():
            target = self._place_aside(path)
            target.parent.mkdir(parents=True, exist_ok=True)
            shutil.move(path, target)

    def _place_aside(self, path: Path) -> Path:
        """Return where a file or folder of the store goes."""
        return self._aside / path.absolute().relative_to(self._home.absolute())


def _lost(path: Path) -> int:
    """Count the records that a journal lost. Raises StoreError where it cannot be read."""
    lost = waiting_by_mark(path)  # first: one that is made now is there before its mark
    if not path.exists():
        return lost
    journal = Journal(path)
    try:
        return journal.lost()
    finally:
        journal.close()
