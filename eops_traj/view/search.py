"""The search of a viewer: the index of texts, kept up in a thread of its own."""

import contextlib
import itertools
import os
import threading

import apsw

from eops_traj.errors import EopsError
from eops_traj.store.store import Store
from eops_traj.view.text_index import TextIndex

AGAIN = 60.0
"""Seconds after which what could not be read is tried again."""


class Search:
    """Search in the texts of a store, as far as they are read; where that cannot be, ``problem`` says why."""

    def __init__(self, store: Store) -> None:
        """Open the index."""
        self.index: TextIndex | None = None
        self.problem, self.generation = "", 0
        """The generation goes up with every file that is read, so that results can be kept."""
        self._wanted, self._ends = threading.Event(), False
        self._thread = threading.Thread(target=self._keep_up, name="search", daemon=True)
        try:
            self.index = TextIndex(store)
        except EopsError as error:
            self.problem = str(error)

    def start(self) -> None:
        """Read what the index lacks in the background: now, when :meth:`wake` says so or after a problem."""
        self.wake()
        self._thread.start()

    def wake(self) -> None:
        """Look for new data files."""
        self._wanted.set()

    def _keep_up(self) -> None:
        with contextlib.suppress(OSError):  # pages go first; on Linux a thread has a priority of its own
            os.setpriority(os.PRIO_PROCESS, threading.get_native_id(), 19)
        while self.index is not None:
            self._wanted.wait(AGAIN if self.problem else None)
            self._wanted.clear()
            if self._ends:
                return
            self.update()

    def update(self) -> None:
        """Read what the index lacks; a problem is noted, and the rest can be searched."""
        if self.index is None:
            return
        try:
            for _ in itertools.chain(self.index.update(), self.index.judge()):
                self.generation += 1
                if self._ends:
                    return
            self.problem = ""
        except (EopsError, OSError, apsw.Error) as error:
            self.problem = f"texts cannot be read further: {error}"

    def find(self, text: str, part: str) -> list[str]:
        """Return the ids of the episodes with all words of a text."""
        return self.index.find(text, part) if self.index else []

    def at_tool(self, tool: str, kind: str) -> list[str]:
        """Return the ids of the episodes that went wrong at a tool, as far as they were judged."""
        return self.index.at_tool(tool, kind) if self.index else []

    def calling(self, tool: str, failed: bool = False) -> list[str]:
        """Return the ids of the episodes that called a tool, or of which such a call failed."""
        return self.index.calling(tool, failed) if self.index else []

    def count(self) -> int:
        """Count the episodes that can be found."""
        return self.index.count() if self.index else 0

    def close(self) -> None:
        """End the thread, after the file that it reads."""
        self._ends = True
        self._wanted.set()
        if self._thread.is_alive():
            self._thread.join()
        if self.index:
            self.index.close()
