"""The writer of a run: finished episodes go to the store's journal from one thread, as many at once as wait.

An fsync takes milliseconds, in which a loop with hundreds of episodes must not stand still; and one fsync
does for all that finished meanwhile (group commit). `EpisodeWriter.put` returns once its episode is on disk.
"""

import asyncio
import queue
import threading
import time
from typing import NamedTuple

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import EopsError, StoreError, WorkError
from eops_traj.schema import Run
from eops_traj.store.store import Store

MAX_BATCH = 64
"""Episodes in one transaction."""
APART = 0.03
"""Seconds between one transaction and the next, which whatever finishes meanwhile shares."""


class _Waiting(NamedTuple):
    bundle: EpisodeBundle
    durable: "asyncio.Future[bool]"
    loop: asyncio.AbstractEventLoop
    only_new: bool


class EpisodeWriter:
    """Writes episodes to a store, each durable before it is reported. Use it as a context manager."""

    def __init__(self, store: Store, run: Run) -> None:
        """Take the run, which is written with the first episode: a run that stored none leaves nothing."""
        self._store, self._run = store, run
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._written: set[str] = set()
        self._broken: EopsError | None = None

    async def put(self, bundle: EpisodeBundle) -> None:
        """Write an episode; it is on disk when this returns. Raises WorkError where it cannot be written.

        Of a known id it is left out: another writer has made the same attempt.
        """
        await self._put(bundle, only_new=False)

    async def put_new(self, bundle: EpisodeBundle) -> bool:
        """Write an episode as `put` does; return whether it was, or the store knew its id."""
        return await self._put(bundle, only_new=True)

    async def _put(self, bundle: EpisodeBundle, only_new: bool) -> bool:
        loop = asyncio.get_running_loop()
        durable: asyncio.Future[bool] = loop.create_future()
        self._queue.put(_Waiting(bundle, durable, loop, only_new))
        return await durable

    def _work(self) -> None:
        earliest = time.monotonic()
        while (first := self._queue.get()) is not None:
            time.sleep(max(0.0, earliest - time.monotonic()))
            batch, last = self._next_batch(first)
            self._write(batch)
            if last:
                return
            earliest = time.monotonic() + APART

    def _next_batch(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """Return all that waits now, and whether the end does too."""
        batch = [first]
        while len(batch) < MAX_BATCH:
            try:
                following = self._queue.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _write(self, batch: list[_Waiting]) -> None:
        known = set[str]()
        try:
            if self._broken is None:
                known = self._known(batch)
                self._append([waiting.bundle for waiting in batch])
        except Exception as error:  # noqa: BLE001 - whatever it is, whoever waits has to know
            self._broken = _as_eops_error(error, self._store.url)
        for waiting in batch:
            new = waiting.bundle.episode.episode_id not in known
            waiting.loop.call_soon_threadsafe(_finish, waiting.durable, self._broken or new)

    def _known(self, batch: list[_Waiting]) -> set[str]:
        """Return the ids that the store has, of those whose callers ask: it takes a look at the tables."""
        asked = {waiting.bundle.episode.episode_id for waiting in batch if waiting.only_new}
        return self._store.known(asked) if asked else set()

    def _append(self, batch: list[EpisodeBundle]) -> None:
        prompts = {bundle.prompt.prompt_hash: bundle.prompt for bundle in batch}
        toolsets = {bundle.toolset.toolset_hash: bundle.toolset for bundle in batch}
        self._store.append(
            [bundle.episode for bundle in batch],
            prompts=[prompt for key, prompt in prompts.items() if key not in self._written],
            toolsets=[toolset for key, toolset in toolsets.items() if key not in self._written],
            runs=[] if self._run.run_id in self._written else [self._run],
        )
        self._written |= {*prompts, *toolsets, self._run.run_id}

    def __enter__(self) -> "EpisodeWriter":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.put(None)
        self._thread.join()


def _finish(durable: "asyncio.Future[bool]", outcome: EopsError | bool) -> None:
    if durable.done():  # no one waits any more
        return
    if isinstance(outcome, EopsError):
        durable.set_exception(outcome)
    else:
        durable.set_result(outcome)


def _as_eops_error(error: Exception, url: str) -> EopsError:
    if isinstance(error, EopsError) and not isinstance(error, StoreError):
        return error
    expected = isinstance(error, OSError | StoreError)
    message = str(error) if expected else f"{type(error).__name__}: {error}"
    return WorkError(f"cannot write to {url}: {message}; what was reported is kept, --resume goes on")
