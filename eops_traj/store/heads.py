"""The journal's own record of the last commit of each table: a second mark, that no file of the table holds.

A mark and the last entry of a log may be removed together, and what is left looks like an older table. The
journal knows better. Like a mark it is written after what it tells of, so behind is what a crash leaves.
"""

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from typing import Any

from eops_traj.errors import StoreError
from eops_traj.store.journal import Journal, is_writable

Facts = dict[str, Any]


class JournalHeads:
    """The last commits that a store's journal knows of, by table; none where there is no journal to read."""

    def __init__(self, path: Path, journal: Callable[[], Journal]) -> None:
        """Take the journal's place, and what opens it."""
        self._path, self._journal = path, journal
        self._known: dict[str, Facts] | None = None

    def of(self, table: str) -> Facts | None:
        """Return the id, version and rows of a table's last commit, as this process first read or wrote them.

        None where the journal says nothing: a damaged one is told of by what reads it for its records.
        """
        if self._known is None:
            self._known = {}
            with contextlib.suppress(StoreError, OSError):
                self._known = self._read()
        return self._known.get(table)

    def note(self, table: str, facts: Facts) -> None:
        """Record a commit that is on disk."""
        if self._path.exists() and is_writable(self._path):
            journal = self._journal()
            if not journal.in_transaction:  # whoever holds it sees to that at the end
                os.sync()
            journal.write_head(table, facts)
            self._known = {**(self._known or {}), table: facts}

    def _read(self) -> dict[str, Facts]:
        if not self._path.exists():
            return {}
        if is_writable(self._path):
            return self._journal().heads()
        with Journal.readable(self._path) as journal:
            return journal.heads()


def later(mark: Facts | None, known: Facts | None) -> Facts | None:
    """Return the one of two marks that tells of a later commit."""
    if mark is None or known is None:
        return mark or known
    return known if known["version"] > mark["version"] else mark
