"""The number of requests at a time for an endpoint, learnt by trying, as TCP learns the width of a link.

It starts narrow and widens with every reply while it is full: one slot a reply until the first trouble,
one slot a round afterwards. A 429 halves it, once for all the requests that were under way together, and
``Retry-After`` closes it for that long. Where a greater width brings fewer replies a second than a lesser one
did, since every reply takes so much longer, it goes back to that width.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

START = 8
"""Requests at a time at first, where that many are allowed."""
SHRINK = 0.5
"""The share of the width that a 429 leaves."""
LOSS = 0.7
"""A rate below this share of the best one is a loss; less than that is noise."""
_FADE = 0.99  # the share of the best rate left a window later, so that old days are forgotten
_SHORTEST_WINDOW = 32  # replies


class AdaptiveLimiter:
    """A limiter before one endpoint."""

    def __init__(self, most: int, start: int = START, now: Callable[[], float] = time.monotonic) -> None:
        """Allow never more than ``most`` requests at a time; ``now`` tells seconds that never go back."""
        self._now = now
        self.most, self.width = most, float(min(start, most))
        self.under_way = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._doubling = True
        self._open_at = self._cut_at = 0.0
        self._window: list[float] = []  # when the last replies came, as long as it was full
        self._window_width = self._best_rate = self._best_width = 0.0

    @asynccontextmanager
    async def slot(self) -> AsyncIterator[float]:
        """Hold one of the slots for as long as this context lasts; yield the time at which it was given."""
        await self._enter()
        try:
            yield self._now()
        finally:
            self.under_way -= 1
            self._let_in()

    def replied(self) -> None:
        """Learn from a reply, whose request still holds its slot."""
        if self.under_way < int(self.width):  # the endpoint had room: nothing learnt
            self._window.clear()
            return
        if not self._window:
            self._window_width = self.width
        self._window.append(self._now())
        self.width = min(self.most, self.width + (1 if self._doubling else 1 / self.width))
        if len(self._window) > max(_SHORTEST_WINDOW, self._window_width):
            self._weigh()

    def throttled(self, since: float, retry_after: float | None = None) -> None:
        """Narrow the limit: a request that got its slot at ``since`` was one too many for the endpoint."""
        now = self._now()
        if since >= self._cut_at:
            self.width, self._cut_at, self._doubling = max(1.0, self.width * SHRINK), now, False
            self._window.clear()
        if retry_after and now + retry_after > self._open_at:
            self._open_at = now + retry_after
            asyncio.get_running_loop().call_later(retry_after, self._let_in)

    async def _enter(self) -> None:
        if self._has_room() and not self._waiting:
            self.under_way += 1
            return
        turn = asyncio.get_running_loop().create_future()
        self._waiting.append(turn)
        try:
            await turn
        except asyncio.CancelledError:
            if turn.done() and not turn.cancelled():  # the slot was given and will not be used
                self.under_way -= 1
                self._let_in()
            raise

    def _has_room(self) -> bool:
        return self.under_way < int(self.width) and self._now() >= self._open_at

    def _let_in(self) -> None:
        while self._waiting and self._has_room():
            turn = self._waiting.popleft()
            if not turn.done():
                self.under_way += 1
                turn.set_result(None)

    def _weigh(self) -> None:
        """Compare the rate of the last replies with the best one, and go back to its width where it fell."""
        rate = (len(self._window) - 1) / max(self._window[-1] - self._window[0], 1e-9)
        self._best_rate *= _FADE
        if rate >= self._best_rate:
            self._best_rate, self._best_width = rate, self._window_width
        elif rate < LOSS * self._best_rate and self._window_width > self._best_width:
            self.width, self._doubling = max(1.0, self._best_width), False
        self._window.clear()
