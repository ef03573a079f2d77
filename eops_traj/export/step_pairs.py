"""Which two decisions make a pair: made at one place, by siblings of which one ended well and one badly."""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from eops_traj.export.decisions import Decision, changes
from eops_traj.hashing import digest
from eops_traj.schema import PASSED, Change, Episode

_WHEN = re.compile(r"(?:creat|updat|modif|edit|add)\w*_(?:on|at|time|datetime)$")
"""Columns in which databases note when a row was made or changed."""

Siblings = Literal["any", "agent", "branches"]
Require = Literal["decisive", "any"]


class StepPair(NamedTuple):
    """A decision of an episode that ended well, and one made in its place by one that ended badly."""

    chosen: Decision
    rejected: Decision

    @property
    def branched(self) -> bool:
        """Whether one was branched from the other here, or both from a third."""
        ours, theirs, turn = self.chosen.episode, self.rejected.episode, self.rejected.turn
        points = {(e.parent, e.branch_turn) for e in (ours, theirs) if e.parent is not None}
        here = {(e.episode_id, turn) for e in (ours, theirs)}
        return len(points) == 1 and (points <= here or None not in {ours.parent, theirs.parent})

    @property
    def one_agent(self) -> bool:
        """Whether both are decisions of one agent."""
        return self.chosen.episode.agent_hash == self.rejected.episode.agent_hash


@dataclass(frozen=True)
class Pairing:
    """Which pairs are wanted: of which siblings, at most how many of a task, and what is rejected."""

    siblings: Siblings
    require: Require
    most: int

    def pairs(self, made: Sequence[Decision]) -> list[StepPair]:
        """The pairs of a task, from all its decisions: those of branches first, then those of one agent."""
        places: dict[tuple[str, str], list[Decision]] = defaultdict(list)
        for decision in made:
            places[decision.prefix_hash, decision.state_hash].append(decision)
        found = [pair for here in places.values() for pair in self._at(here) if self._wanted(pair)]
        return sorted(found, key=lambda pair: (not pair.branched, not pair.one_agent))[: self.most]

    def _at(self, here: Sequence[Decision]) -> Iterator[StepPair]:
        """A pair for each way in which a decision was made at a place by those alone who ended badly.

        What a tool refused is no example, even of those who ended well.
        """
        good = [d for d in here if d.episode.outcome in PASSED]
        right = {d.did for d in good}
        bad = {d.did: d for d in reversed(here) if d.did not in right}
        for rejected in reversed(bad.values()):
            if pairs := [StepPair(chosen, rejected) for chosen in good if not chosen.refused]:
                yield min(pairs, key=lambda p: (not p.branched, not p.one_agent, -_share(p.chosen, here)))

    def _wanted(self, pair: StepPair) -> bool:
        related = {"any": True, "agent": pair.one_agent, "branches": pair.branched}[self.siblings]
        return related and (self.require == "any" or decisive(pair))


def _share(decision: Decision, here: Iterable[Decision]) -> float:
    """How many of those who decided so ended well, as a share of 1."""
    same = [d.episode.outcome in PASSED for d in here if d.did == decision.did]
    return sum(same) / len(same)


def decisive(pair: StepPair) -> bool:
    """Whether the rejected decision can be what went wrong.

    It ended the episode, a call of it was refused, or it changed a row as the good episode never did. Another
    look-up than the sibling's shows nothing: the error may lie anywhere after it.
    """
    rejected = pair.rejected
    if rejected.ends or rejected.refused:
        return True
    right = set(map(_hash, _all_changes(pair.chosen.episode)))
    return not {_hash(change) for change in rejected.changes} <= right


def _all_changes(episode: Episode) -> Iterator[Change]:
    for turn in episode.turns:
        yield from changes(turn)


def _hash(c: Change) -> str:
    """A change, but for when it was made: to do the right thing earlier is not to do another."""
    after = json.loads(c.after) if c.after else {}
    told = {name: value for name, value in after.items() if not _WHEN.search(name)}
    return digest(c.server, c.table, c.operation, c.key, told)
