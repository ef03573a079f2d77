"""What pairs of single decisions are checked for: that both sides were made at the row's own place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.export.checks import CHECKS, Check, Seen
from eops_traj.export.decisions import Decision, prefix_hash
from eops_traj.export.plan_checks import EVERY_ROW
from eops_traj.export.step_pairs import StepPair
from eops_traj.hashing import digest
from eops_traj.schema import PASSED

OPEN = ("user", "tool")
"""Whose message a prompt may end with."""


@dataclass
class StepChecks:
    """The checks of one inspection. ``pairs`` are those that were written, by their episodes and turns."""

    pairs: Mapping[tuple[Any, ...], StepPair]
    _seen: set[str] = field(default_factory=set)

    def all(self) -> Mapping[str, Check]:
        """The checks by name."""
        own: dict[str, Check] = {
            "same_prefix": self.same_prefix,
            "same_state": self.same_state,
            "replies_as_made": self.replies_as_made,
            "one_decision": one_decision,
            "outcomes_differ": self.outcomes_differ,
            "no_duplicates": self.no_duplicates,
        }
        return {**own, **{name: CHECKS[name] for name in EVERY_ROW}}

    def same_prefix(self, seen: Seen) -> str | None:
        """The conversation before both decisions is the row's, to the letter but for the ids of calls."""
        record = seen.as_read.record
        found = prefix_hash(record["prompt"], record["tools"])
        if found != record["prefix_hash"]:
            return f"its prompt has the hash {found}, and says {record['prefix_hash']}"
        return _other(record["prefix_hash"], [side.prefix_hash for side in self._sides(seen)])

    def same_state(self, seen: Seen) -> str | None:
        """The rows changed before both decisions are the same, in the same order."""
        return _other(seen.as_read.record["state_hash"], [side.state_hash for side in self._sides(seen)])

    def replies_as_made(self, seen: Seen) -> str | None:
        """Chosen and rejected come back from the row as the episodes have them, every argument included."""
        record, sides = seen.as_read.record, self._sides(seen)
        made = zip(("chosen", "rejected"), sides, strict=True)
        wrong = [name for name, side in made if digest(record[name]) != digest([side.reply])]
        return f"its {wrong[0]} is not what the episode has" if wrong else None

    def outcomes_differ(self, seen: Seen) -> str | None:
        """The chosen side's episode ended well, the rejected side's badly."""
        good, bad = (side.episode.outcome for side in self._sides(seen))
        return None if good in PASSED and bad not in PASSED else f"they ended as {good} and {bad}"

    def no_duplicates(self, seen: Seen) -> str | None:
        """No other row has the same prompt and the same replies."""
        record = seen.as_read.record
        content = digest(*(record[name] for name in ("prompt", "chosen", "rejected")))
        if content in self._seen:
            return "a row before it says the same"
        self._seen.add(content)
        return None

    def _sides(self, seen: Seen) -> Sequence[Decision]:
        return self.pairs[key(seen.row.record)]


def key(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """What a row's pair goes by: its episodes and their turns."""
    return (*record["episode_ids"], *record["turns"])


def _other(said: str, found: Sequence[str]) -> str | None:
    wrong = [one for one in found if one != said]
    return f"the row says {said!r}, an episode {wrong[0]!r}" if wrong else None


def one_decision(seen: Seen) -> str | None:
    """The prompt ends with a user's or a tool's message; either side is one message, and not the other's."""
    record = seen.as_read.record
    if not record["prompt"] or record["prompt"][-1]["role"] not in OPEN:
        return "its prompt does not end with a user's or a tool's message"
    sides = record["chosen"], record["rejected"]
    if any([message["role"] for message in side] != ["assistant"] for side in sides):
        return "a side is not one message of the assistant"
    return "both sides say the same" if digest(_said(sides[0])) == digest(_said(sides[1])) else None


def _said(side: Sequence[Mapping[str, Any]]) -> list[Any]:
    """A side without the ids of its calls."""
    calls = [call["function"] for message in side for call in message.get("tool_calls") or ()]
    return [[message["content"] for message in side], calls]
