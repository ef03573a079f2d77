"""The index of a store's latest version; that of a large store is read in a thread of its own."""

import threading
import time
from collections.abc import Callable

from eops_traj.errors import EopsError, StoreError
from eops_traj.store.store import Store
from eops_traj.view.episode_files import EpisodeFiles
from eops_traj.view.index import Index, first_rows, is_large, kept_index, load_index

CHECK_EVERY, SHARE = 2.0, 20
"""Seconds between checks of the store's version; and an index that took t to read is kept for SHARE * t, so
that a store that grows all the time does not keep the viewer reading."""
HEAD_START = 0.5
"""Seconds that the first page has for itself: reading takes every core."""


class LatestIndex:
    """The index as it is now; may be used from several threads.

    Of a large store that was never looked at, the first rows are there at once, and all of them soon. Where
    one has grown since, the index of before stays until the new one is read.
    """

    def __init__(self, store: Store, changed: Callable[[], None]) -> None:
        """Read the index, or begin to. ``changed`` is called with every version after the first.

        Raises StoreError where the store cannot be read.
        """
        self._store, self._changed = store, changed
        self._lock = threading.Lock()
        self._reader: threading.Thread | None = None
        self._error: EopsError | None = None
        self._next_check = 0.0
        files = EpisodeFiles.latest(store)
        self._index = kept_index(files) or (first_rows if is_large(files) else self._read)(files)
        if not self._index.whole:
            self._read_in_thread(files)

    def so_far(self) -> Index:
        """Return what is read. Raises StoreError where the rest cannot be."""
        with self._lock:
            if self._reader is None and time.monotonic() > self._next_check:
                self._look()
            if self._error is not None:
                raise self._error
            return self._index

    def whole(self) -> Index:
        """Return the index of all episodes, once it is read. Raises StoreError where it cannot be."""
        while not (index := self.so_far()).whole:
            if (reader := self._reader) is not None:
                reader.join()
        return index

    def _look(self) -> None:
        """Read the index of a new version, if there is one."""
        self._next_check = time.monotonic() + CHECK_EVERY
        files = EpisodeFiles.latest(self._store)
        if files.version == self._index.version and self._index.whole:
            self._error = None
            return
        if (kept := kept_index(files)) is not None or not is_large(files):
            self._set(kept or self._read(files))
        else:
            self._read_in_thread(files)

    def _read(self, files: EpisodeFiles) -> Index:
        start = time.monotonic()
        index = load_index(files)
        now = time.monotonic()
        self._next_check = now + max(CHECK_EVERY, SHARE * (now - start))
        return index

    def _read_in_thread(self, files: EpisodeFiles) -> None:
        self._reader = threading.Thread(target=self._read_on, args=(files,), name="index", daemon=True)
        self._reader.start()

    def _read_on(self, files: EpisodeFiles) -> None:
        """Read the index; an error is kept for who asks, and the next look tries again."""
        if not self._index.whole:
            time.sleep(HEAD_START)
        try:
            index: Index | None = self._read(files)
            error: EopsError | None = None
        except BaseException as problem:  # noqa: BLE001 - whatever it is, who asks is told, and does not wait
            index, error = None, _told(problem)
        with self._lock:
            self._reader, self._error = None, error
            if index is not None:
                self._set(index)

    def _set(self, index: Index) -> None:
        self._index, self._error = index, None
        self._changed()


def _told(problem: BaseException) -> EopsError:
    """Return an error of ours as it is, and any other with its kind."""
    if isinstance(problem, EopsError):
        return problem
    return StoreError(f"cannot read the episodes: {type(problem).__name__}: {problem}")
