"""Which two plans of a prompt make a pair: close to one another, so that what differs is what matters."""

from collections import defaultdict
from collections.abc import Sequence
from difflib import SequenceMatcher
from itertools import chain, zip_longest
from typing import NamedTuple

from eops_traj.planner.plan_dataset import ProvenPlan


class Pair(NamedTuple):
    """A plan that passes, and one for the same prompt that fails."""

    chosen: ProvenPlan
    rejected: ProvenPlan


def pairs(passed: Sequence[ProvenPlan], failed: Sequence[ProvenPlan], most: int) -> list[Pair]:
    """At most so many pairs, each failed plan with the passing one that is closest to it.

    They are taken in turns from the ways of failing (`schema.OUTCOMES`), the closest pair of each first: what
    is often declined for no reason is paired for that once before it is a second time.
    """
    if not passed:
        return []
    by_outcome: dict[str, list[tuple[int, float, Pair]]] = defaultdict(list)
    for bad in failed:
        lines, rest, good = min(((*distance(g.text, bad.text), g) for g in passed), key=lambda near: near[:2])
        by_outcome[bad.outcome].append((lines, rest, Pair(good, bad)))
    ways = [sorted(by_outcome[way], key=lambda near: near[:2]) for way in sorted(by_outcome)]
    in_turns = chain.from_iterable(zip_longest(*ways))
    return [near[2] for near in in_turns if near is not None][:most]


def distance(one: str, other: str) -> tuple[int, float]:
    """How far two plans are apart: in lines to be put in, taken out or changed, and then in characters that
    one has and the other has not, as a share of 1.
    """
    ours, theirs = one.splitlines(), other.splitlines()
    return edits(ours, theirs), 1 - SequenceMatcher(None, one, other, autojunk=False).quick_ratio()


def edits(ours: Sequence[str], theirs: Sequence[str]) -> int:
    """The edit distance of Levenshtein between two sequences."""
    row = list(range(len(theirs) + 1))
    for number, mine in enumerate(ours, 1):
        before, row[0] = row[0], number
        for at, yours in enumerate(theirs, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (mine != yours))
    return row[-1]
