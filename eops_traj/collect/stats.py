"""The counts of a run so far; an episode counts once it is on disk."""

import time
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from eops_traj.llm.retry import Traffic
from eops_traj.schema import PASSED, REFUSALS, Episode

SUMS = ("input_tokens", "output_tokens", "cost")
"""What turns tell of themselves, where their endpoint tells it."""


@dataclass
class RunStats:
    """Counts of one run."""

    traffic: Traffic = field(default_factory=Traffic)
    attempts: int = 0
    """The attempts that the run has to make; retries do not add to it."""
    running: int = 0
    episodes: int = 0
    settled: int = 0
    """Attempts that are not tried again: they count up to ``attempts``."""
    given_up: int = 0
    """Those settled that are errors for good."""
    outcomes: Counter[str] = field(default_factory=Counter)
    input_tokens: int | None = None
    """Of the turns whose tokens are known; None as long as none is, here and in the next two."""
    output_tokens: int | None = None
    cost: float | None = None
    """US dollars of the turns whose price is known."""
    interrupted: bool = False
    """Whether someone stopped it: no more attempts are begun."""
    abandoned: bool = False
    """Whether someone did not even wait for those under way."""
    started: float = field(default_factory=time.monotonic)

    def count(self, episode: Episode, again: bool, settled: bool = False) -> None:
        """Count an episode; ``again`` where another attempt is made in its place.

        ``settled`` where an error that is not tried again is a result, and nothing that is still owed.
        """
        self.episodes += 1
        self.settled += not again
        self.given_up += episode.error is not None and not again and not settled
        self.outcomes[episode.outcome] += 1
        made = episode.turns[episode.branch_turn or 0 :]  # those before a branch were its parent's
        for name in SUMS:
            self._add_known(name, [getattr(turn, name) for turn in made])

    def clear(self) -> None:
        """Reset the counts, but not when the run began nor how it was stopped."""
        kept = {name: getattr(self, name) for name in ("started", "interrupted", "abandoned")}
        self.__dict__ |= vars(RunStats(**kept))

    def add(self, other: "RunStats") -> None:
        """Add the counts of another part of the same run."""
        for name in ("attempts", "running", "episodes", "settled", "given_up"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.outcomes += other.outcomes
        for name in SUMS:
            self._add_known(name, [getattr(other, name)])
        self.traffic.add(other.traffic)

    def _add_known(self, name: str, values: Iterable[float | None]) -> None:
        if known := [value for value in values if value is not None]:
            setattr(self, name, (getattr(self, name) or 0) + sum(known))

    @property
    def seconds(self) -> float:
        """Seconds since it began."""
        return time.monotonic() - self.started

    @property
    def judged(self) -> int:
        """The episodes that the model is answerable for."""
        return self.episodes - self.outcomes["error"]

    @property
    def pass_rate(self) -> float | None:
        """The share of the judged episodes that a task's verifiers and its policy are satisfied with."""
        passed = sum(self.outcomes[outcome] for outcome in PASSED)
        return passed / self.judged if self.judged else None

    @property
    def refusals(self) -> int:
        """The episodes that declined, rightly or wrongly."""
        return sum(self.outcomes[outcome] for outcome in REFUSALS)

    @property
    def seconds_left(self) -> float | None:
        """Seconds that the rest will take at the pace so far."""
        if not self.settled:
            return None
        return self.seconds / self.settled * (self.attempts - self.settled)

    def report(self) -> dict[str, Any]:
        """Return every count, for machines."""
        return {
            "owed": self.attempts,
            "settled": self.settled,
            "given_up": self.given_up,
            "episodes": self.episodes,
            "pass_rate": self.pass_rate,
            "refusals": self.refusals,
            "input_tokens": self.input_tokens,
            "output_tokens": self.output_tokens,
            "cost": self.cost,
            "requests": self.traffic.requests,
            "failed_requests": dict(self.traffic.failures),
            "throttled_seconds": round(self.traffic.throttled_seconds, 1),
            "seconds": round(self.seconds, 1),
        }
