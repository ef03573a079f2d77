"""The hand that writes: finished episodes go to the store's journal from one thread, as many at once as wait.

An fsync takes milliseconds, in which a loop with hundreds of episodes must not stand still; and one fsync
does for all that finished meanwhile (group commit). `Writer.put` returns once its episode is on disk.
"""

import asyncio
import queue
import sqlite3
import threading
from typing import NamedTuple

from eops_traj.collect.episode_builder import Made
from eops_traj.errors import EopsError, WorkError
from eops_traj.schema import Run
from eops_traj.store.store import Store

MOST = 64
"""Episodes in one transaction."""


class _Waiting(NamedTuple):
    made: Made
    durable: "asyncio.Future[None]"
    loop: asyncio.AbstractEventLoop


class Writer:
    """Writes episodes to a store, each durable before it is reported. Use it as a context manager."""

    def __init__(self, store: Store, run: Run) -> None:
        """``run`` is written with the first episode: a run that stored none leaves nothing."""
        self._store, self._run = store, run
        self._queue: queue.SimpleQueue[_Waiting | None] = queue.SimpleQueue()
        self._thread = threading.Thread(target=self._work, name="writer", daemon=True)
        self._known: set[str] = set()
        self._broken: EopsError | None = None

    async def put(self, made: Made) -> None:
        """Write an episode; it is on disk when this returns. Raises WorkError where it cannot be written."""
        loop = asyncio.get_running_loop()
        durable = loop.create_future()
        self._queue.put(_Waiting(made, durable, loop))
        await durable

    def _work(self) -> None:
        while (first := self._queue.get()) is not None:
            batch, last = self._batch(first)
            self._write(batch)
            if last:
                return

    def _batch(self, first: _Waiting) -> tuple[list[_Waiting], bool]:
        """What waits now, and whether the end does too."""
        batch = [first]
        while len(batch) < MOST:
            try:
                following = self._queue.get_nowait()
            except queue.Empty:
                break
            if following is None:
                return batch, True
            batch.append(following)
        return batch, False

    def _write(self, batch: list[_Waiting]) -> None:
        try:
            if self._broken is None:
                self._append([waiting.made for waiting in batch])
        except Exception as error:  # noqa: BLE001 - whatever it is, those who wait have to be told
            self._broken = _told(error, self._store.url)
        for waiting in batch:
            waiting.loop.call_soon_threadsafe(_tell, waiting.durable, self._broken)

    def _append(self, batch: list[Made]) -> None:
        prompts = {made.prompt.prompt_hash: made.prompt for made in batch}
        toolsets = {made.toolset.toolset_hash: made.toolset for made in batch}
        self._store.append(
            [made.episode for made in batch],
            prompts=[prompt for key, prompt in prompts.items() if key not in self._known],
            toolsets=[toolset for key, toolset in toolsets.items() if key not in self._known],
            runs=[] if self._run.run_id in self._known else [self._run],
        )
        self._known |= {*prompts, *toolsets, self._run.run_id}

    def __enter__(self) -> "Writer":
        self._thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self._queue.put(None)
        self._thread.join()


def _tell(durable: "asyncio.Future[None]", broken: EopsError | None) -> None:
    if durable.done():  # nobody waits any more
        return
    if broken is None:
        durable.set_result(None)
    else:
        durable.set_exception(broken)


def _told(error: Exception, url: str) -> EopsError:
    if isinstance(error, EopsError):
        return error
    said = (
        f"{type(error).__name__}: {error}" if not isinstance(error, OSError | sqlite3.Error) else str(error)
    )
    return WorkError(f"cannot write to {url}: {said}; what was reported is kept, --resume goes on")
