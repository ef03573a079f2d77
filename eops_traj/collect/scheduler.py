"""The engine: many attempts at once on one event loop, each finished episode on disk before it is counted."""

import asyncio
from collections import deque
from collections.abc import Iterable
from dataclasses import dataclass

from pydantic import NonNegativeInt, PositiveInt

from eops_traj.collect.attempt import Workplace, make_attempt
from eops_traj.collect.episode_builder import Made, Owed
from eops_traj.collect.pending import Ledger, in_rounds, may_retry
from eops_traj.collect.stats import Tally
from eops_traj.collect.writer import Writer
from eops_traj.errors import EopsError, WorkError


@dataclass(frozen=True)
class Pace:
    """How much at once, how often again, and when to give up.

    ``retries`` are the attempts made in the place of an errored one. After ``most_errors`` errors in a row
    the collection stops: whatever is broken is broken for all.
    """

    episodes: PositiveInt = 32
    retries: NonNegativeInt = 2
    most_errors: PositiveInt = 25


class Engine:
    """Works what is owed, until somebody interrupts it, an error is hopeless, or too many come in a row."""

    def __init__(self, at: Workplace, writer: Writer, tally: Tally, pace: Pace) -> None:
        """``tally`` is what there is to see."""
        self._at, self._writer, self._tally, self._pace = at, writer, tally, pace
        self._queue: deque[tuple[Ledger, Owed]] = deque()
        self._errors = 0
        self._broken: EopsError | None = None

    @property
    def _stopping(self) -> bool:
        """Whether no more attempts are begun; those under way are finished."""
        return self._broken is not None or self._tally.interrupted

    async def run(self, ledgers: Iterable[Ledger]) -> None:
        """Work everything owed. Raises WorkError for a store that cannot be written and for errors in a row,
        InputError for input that turned out to be no use.
        """
        owed = [[(ledger, one) for one in ledger.owed()] for ledger in ledgers]
        self._queue.extend(in_rounds(owed))
        self._tally.owed = len(self._queue)
        workers = min(self._pace.episodes, len(self._queue))
        async with asyncio.TaskGroup() as group:
            for _ in range(workers):
                group.create_task(self._worker())
        if self._broken is not None:
            raise self._broken

    async def _worker(self) -> None:
        while self._queue and not self._stopping:
            ledger, owed = self._queue.popleft()
            self._tally.running += 1
            try:
                made = await make_attempt(owed, self._at)
                await self._writer.put(made)
            except EopsError as error:
                self._broken = self._broken or error
                return
            finally:
                self._tally.running -= 1
            self._settle(ledger, owed, made)

    def _settle(self, ledger: Ledger, owed: Owed, made: Made) -> None:
        """Count an episode that is on disk, and see to its retry."""
        error = made.episode.error
        again = error is not None and may_retry(error) and owed.tries <= self._pace.retries
        self._tally.count(made.episode, again)
        if again:
            self._queue.append((ledger, ledger.retry(owed, made.episode.episode_id)))
        self._errors = self._errors + 1 if error else 0
        if error and (error.startswith("auth") or self._errors >= self._pace.most_errors):
            last = f"the last {self._errors} episodes" if self._errors > 1 else "the last episode"
            self._broken = self._broken or WorkError(f"stopped: {last} ended in error: {error}")
