"""Pairs of decisions made at one place, by siblings of which one ended well and one badly; their checks."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any, Literal, NamedTuple

from eops_traj.export.checks import CHECKS, Check, CheckedRow
from eops_traj.export.decisions import Decision, prefix_hash, turn_changes
from eops_traj.export.plan_checks import EVERY_ROW
from eops_traj.hashing import digest
from eops_traj.schema import PASSED, Change

_WHEN = re.compile(r"(?:creat|updat|modif|edit|add)\w{0,60}_(?:on|at|time|datetime)$")
"""Columns in which databases note when a row was made or changed."""

Siblings = Literal["any", "agent", "branches"]
Require = Literal["decisive", "any"]


class StepPair(NamedTuple):
    """A decision of an episode that ended well, and one made in its place by one that ended badly."""

    chosen: Decision
    rejected: Decision

    @property
    def branched(self) -> bool:
        """True where one was branched from the other here, or both from a third."""
        chosen, rejected, turn = self.chosen.episode, self.rejected.episode, self.rejected.turn
        points = {(e.parent, e.branch_turn) for e in (chosen, rejected) if e.parent is not None}
        here = {(e.episode_id, turn) for e in (chosen, rejected)}
        return len(points) == 1 and (points <= here or None not in {chosen.parent, rejected.parent})

    @property
    def one_agent(self) -> bool:
        """True where both are decisions of one agent."""
        return self.chosen.episode.agent_hash == self.rejected.episode.agent_hash


@dataclass(frozen=True)
class Pairing:
    """The pairs to make: of which siblings, at most how many of a task, and what is rejected."""

    siblings: Siblings
    require: Require
    most: int

    def pairs(self, decisions: Sequence[Decision]) -> list[StepPair]:
        """Return the pairs of a task, from all its decisions: branches first, then those of one agent."""
        places: dict[tuple[str, str], list[Decision]] = defaultdict(list)
        for decision in decisions:
            places[decision.prefix_hash, decision.state_hash].append(decision)
        pairs = [pair for here in places.values() for pair in self._at(here)]
        return sorted(pairs, key=lambda pair: (not pair.branched, not pair.one_agent))[: self.most]

    def _at(self, here: Sequence[Decision]) -> Iterator[StepPair]:
        """Yield a pair for each way in which only those who ended badly decided at a place.

        What a tool refused is no example, even of those who ended well.
        """
        good = [d for d in here if d.episode.outcome in PASSED]
        shares = {d.did: _share(d, here) for d in good}
        ways: dict[str, list[Decision]] = defaultdict(list)
        for decision in here:
            if decision.did not in shares:
                ways[decision.did].append(decision)
        for way in ways.values():
            pairs = [StepPair(chosen, bad) for bad in way for chosen in good if not chosen.refused]
            pairs.sort(key=lambda p: (not p.branched, not p.one_agent, -shares[p.chosen.did]))
            yield from islice(filter(self._is_eligible, pairs), 1)

    def _is_eligible(self, pair: StepPair) -> bool:
        related = {"any": True, "agent": pair.one_agent, "branches": pair.branched}[self.siblings]
        return related and (self.require == "any" or is_decisive(pair))


def _share(decision: Decision, here: Iterable[Decision]) -> float:
    """Return the share of those who decided so that ended well."""
    same = [d.episode.outcome in PASSED for d in here if d.did == decision.did]
    return sum(same) / len(same)


def is_decisive(pair: StepPair) -> bool:
    """Check whether the rejected decision can be what went wrong.

    It ended the episode, a call of it was refused, or it changed a row as the good episode never did. Another
    look-up than the sibling's shows nothing: the error may lie anywhere after it.
    """
    rejected = pair.rejected
    if rejected.ends or rejected.refused:
        return True
    if not rejected.changes:
        return False
    right = {_hash(change) for turn in pair.chosen.episode.turns for change in turn_changes(turn)}
    return not {_hash(change) for change in rejected.changes} <= right


def _hash(c: Change) -> str:
    """Hash a change, except its time: to do the right thing earlier is not to do another."""
    after = json.loads(c.after) if c.after else {}
    values = {name: value for name, value in after.items() if not _WHEN.search(name)}
    return digest(c.server, c.table, c.operation, c.key, values)


OPEN = ("user", "tool")
"""The roles whose message a prompt may end with."""


@dataclass
class StepChecks:
    """The checks of one inspection. ``pairs`` are those that were written, by their episodes and turns."""

    pairs: Mapping[tuple[Any, ...], StepPair]
    _seen: set[str] = field(default_factory=set)

    def all(self) -> Mapping[str, Check]:
        """Return the checks by name."""
        own: dict[str, Check] = {
            "same_prefix": self.same_prefix,
            "same_state": self.same_state,
            "replies_as_made": self.replies_as_made,
            "one_decision": one_decision,
            "outcomes_differ": self.outcomes_differ,
            "no_duplicates": self.no_duplicates,
        }
        return {**own, **{name: CHECKS[name] for name in EVERY_ROW}}

    def same_prefix(self, checked: CheckedRow) -> str | None:
        """The conversation before both decisions is the row's, to the letter but for the ids of calls."""
        record = checked.as_read.record
        actual = prefix_hash(record["prompt"], record["tools"])
        if actual != record["prefix_hash"]:
            return f"its prompt has the hash {actual}, and says {record['prefix_hash']}"
        return _other(record["prefix_hash"], [side.prefix_hash for side in self._sides(checked)])

    def same_state(self, checked: CheckedRow) -> str | None:
        """The rows changed before both decisions are the same, in the same order."""
        return _other(
            checked.as_read.record["state_hash"], [side.state_hash for side in self._sides(checked)]
        )

    def replies_as_made(self, checked: CheckedRow) -> str | None:
        """Chosen and rejected come back from the row as the episodes have them, every argument included."""
        record, sides = checked.as_read.record, self._sides(checked)
        replies = zip(("chosen", "rejected"), sides, strict=True)
        wrong = [name for name, side in replies if digest(record[name]) != digest([side.reply])]
        return f"its {wrong[0]} is not what the episode has" if wrong else None

    def outcomes_differ(self, checked: CheckedRow) -> str | None:
        """The chosen side's episode ended well, the rejected side's badly."""
        good, bad = (side.episode.outcome for side in self._sides(checked))
        return None if good in PASSED and bad not in PASSED else f"they ended as {good} and {bad}"

    def no_duplicates(self, checked: CheckedRow) -> str | None:
        """No other row has the same prompt and the same replies."""
        record = checked.as_read.record
        content = digest(*(record[name] for name in ("prompt", "chosen", "rejected")))
        if content in self._seen:
            return "a row before it says the same"
        self._seen.add(content)
        return None

    def _sides(self, checked: CheckedRow) -> Sequence[Decision]:
        return self.pairs[pair_key(checked.row.record)]


def pair_key(record: Mapping[str, Any]) -> tuple[Any, ...]:
    """Return the key of a row's pair: its episodes and their turns."""
    return (*record["episode_ids"], *record["turns"])


def _other(stated: str, actual: Sequence[str]) -> str | None:
    wrong = [one for one in actual if one != stated]
    return f"the row says {stated!r}, an episode {wrong[0]!r}" if wrong else None


def one_decision(checked: CheckedRow) -> str | None:
    """The prompt ends with a user's or a tool's message; either side is one message, and not the other's."""
    record = checked.as_read.record
    if not record["prompt"] or record["prompt"][-1]["role"] not in OPEN:
        return "its prompt does not end with a user's or a tool's message"
    sides = record["chosen"], record["rejected"]
    if any([message["role"] for message in side] != ["assistant"] for side in sides):
        return "a side is not one message of the assistant"
    same = digest(_without_ids(sides[0])) == digest(_without_ids(sides[1]))
    return "both sides say the same" if same else None


def _without_ids(side: Sequence[Mapping[str, Any]]) -> list[Any]:
    """Return a side without the ids of its calls."""
    calls = [call["function"] for message in side for call in message.get("tool_calls") or ()]
    return [[message["content"] for message in side], calls]
