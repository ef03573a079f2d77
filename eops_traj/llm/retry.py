"""Models as a collection asks them: each endpoint behind its gate, and asked again where it failed."""

import asyncio
import random
from collections import Counter
from dataclasses import dataclass, field

from pydantic import NonNegativeFloat, NonNegativeInt, PositiveFloat

from eops_traj.llm.base import RETRIED_KINDS, Chat, EndpointError, Request
from eops_traj.llm.concurrency import AdaptiveLimiter
from eops_traj.schema import Turn

LONGEST_PAUSE = 60.0
"""Seconds; each pause is at most twice the one before it."""


@dataclass(frozen=True)
class RetryPolicy:
    """How long a request is tried.

    Failures are counted; being throttled is none, and is waited out for ``throttled`` seconds in all.
    """

    failures: NonNegativeInt = 5
    throttled: NonNegativeFloat = 900.0
    pause: PositiveFloat = 1.0
    """Seconds before the second try, at most."""


@dataclass
class Traffic:
    """What went over the wire to the endpoints."""

    requests: int = 0
    failures: Counter[str] = field(default_factory=Counter)
    throttled_seconds: float = 0.0

    def add(self, other: "Traffic") -> None:
        """Count what went to another endpoint."""
        self.requests += other.requests
        self.failures += other.failures
        self.throttled_seconds += other.throttled_seconds


class LimitedChat:
    """A `Chat` with one endpoint that waits for a slot of its gate."""

    def __init__(self, chat: Chat, gate: AdaptiveLimiter, traffic: Traffic) -> None:
        """``traffic`` is where requests and failures are counted."""
        self._chat, self.gate, self._traffic = chat, gate, traffic

    @property
    def model(self) -> str:
        """The model's name, as its endpoint knows it."""
        return self._chat.model

    async def reply(self, request: Request) -> Turn:
        """One reply. Raises EndpointError, which the gate has learnt from."""
        async with self.gate.slot() as since:
            self._traffic.requests += 1
            try:
                turn = await self._chat.reply(request)
            except EndpointError as error:
                self._traffic.failures[error.kind] += 1
                if error.kind == "throttled":
                    self.gate.throttled(since, error.retry_after)
                raise
            self.gate.replied()
            return turn

    async def close(self) -> None:
        """Let go of what the client holds."""
        await self._chat.close()


class RetryingChat:
    """A `Chat` that asks again where that may help; what it raises has failed for good."""

    def __init__(self, chat: Chat, patience: RetryPolicy, traffic: Traffic) -> None:
        """``traffic`` is where the time spent throttled is counted; ``once`` is the client, impatient."""
        self.once, self._patience, self._traffic = chat, patience, traffic

    @property
    def model(self) -> str:
        """The model's name, as its endpoint knows it."""
        return self.once.model

    async def reply(self, request: Request) -> Turn:
        """One reply. Raises EndpointError for a failure that is not retried, or not any more."""
        failures, throttled, pause = 0, 0.0, self._patience.pause
        while True:
            try:
                return await self.once.reply(request)
            except EndpointError as error:
                waited = max(error.retry_after or 0.0, random.uniform(pause / 2, pause))
                throttling = error.kind == "throttled"
                failures, throttled = failures + (not throttling), throttled + throttling * waited
                spent = failures > self._patience.failures or throttled > self._patience.throttled
                if error.kind not in RETRIED_KINDS or spent:
                    raise
            self._traffic.throttled_seconds += throttling * waited
            await asyncio.sleep(waited)
            pause = min(LONGEST_PAUSE, pause * 2)

    async def close(self) -> None:
        """Let go of what the client holds."""
        await self.once.close()
