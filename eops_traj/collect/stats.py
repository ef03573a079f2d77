"""What a collection has come to so far, counted once an episode is on disk."""

import time
from collections import Counter
from dataclasses import dataclass, field
from typing import Any

from eops_traj.llm.retry import Traffic
from eops_traj.schema import Episode


@dataclass
class Tally:
    """Counts of one collection."""

    traffic: Traffic = field(default_factory=Traffic)
    owed: int = 0
    running: int = 0
    episodes: int = 0
    settled: int = 0
    """Attempts that are not tried again: what ``owed`` counts up to."""
    given_up: int = 0
    """Those of them that are errors for good."""
    outcomes: Counter[str] = field(default_factory=Counter)
    input_tokens: int = 0
    output_tokens: int = 0
    cost: float | None = None
    """US dollars of the episodes whose price is known."""
    interrupted: bool = False
    """Whether somebody stopped it: no more attempts are begun."""
    abandoned: bool = False
    """Whether somebody did not even wait for those under way."""
    started: float = field(default_factory=time.monotonic)

    def count(self, episode: Episode, again: bool) -> None:
        """Count an episode; ``again`` where another attempt is made in its place."""
        self.episodes += 1
        self.settled += not again
        self.given_up += episode.error is not None and not again
        self.outcomes[episode.outcome] += 1
        self.input_tokens += sum(turn.input_tokens or 0 for turn in episode.turns)
        self.output_tokens += sum(turn.output_tokens or 0 for turn in episode.turns)
        known = [turn.cost for turn in episode.turns if turn.cost is not None]
        if known:
            self.cost = (self.cost or 0.0) + sum(known)

    def clear(self) -> None:
        """Forget what was counted, but not when it began nor how it was stopped."""
        kept = {name: getattr(self, name) for name in ("started", "interrupted", "abandoned")}
        self.__dict__ |= vars(Tally(**kept))

    def add(self, other: "Tally") -> None:
        """Count what another part of the same collection has counted."""
        for name in ("owed", "running", "episodes", "settled", "given_up", "input_tokens", "output_tokens"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.outcomes += other.outcomes
        if other.cost is not None:
            self.cost = (self.cost or 0.0) + other.cost
        self.traffic.add(other.traffic)

    @property
    def seconds(self) -> float:
        """Since it began."""
        return time.monotonic() - self.started

    @property
    def judged(self) -> int:
        """The episodes that the model is answerable for."""
        return self.episodes - self.outcomes["error"]

    @property
    def pass_rate(self) -> float | None:
        """The share of them that a task's verifiers and its policy are satisfied with."""
        good = self.outcomes["success"] + self.outcomes["safe_refusal"]
        return good / self.judged if self.judged else None

    @property
    def refusals(self) -> int:
        """Declined, rightly or wrongly."""
        return self.outcomes["safe_refusal"] + self.outcomes["over_refusal"]

    @property
    def seconds_left(self) -> float | None:
        """How long the rest will take at the pace so far."""
        if not self.settled:
            return None
        return self.seconds / self.settled * (self.owed - self.settled)

    def report(self) -> dict[str, Any]:
        """Everything, for machines."""
        return {
            "owed": self.owed,
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
