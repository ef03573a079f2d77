"""Where episodes are branched: at their first divergence from a success, or before each turn that writes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from eops_traj.schema import Episode, Turn
from eops_traj.tool_effects import is_write, succeeded

GOOD = frozenset({"success", "safe_refusal"})


class Point(NamedTuple):
    """A turn of an episode, from 0, before which another way is tried."""

    parent: Episode
    turn: int


def divergences(episodes: Sequence[Episode]) -> Iterator[Point]:
    """For each episode that went wrong, the first turn at which it did otherwise than one that went right.

    Of several successes of the task the one counts that it kept to for longest.
    """
    successes: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        if episode.outcome in GOOD:
            successes[episode.task_hash].append(episode)
    for episode in episodes:
        siblings = [] if episode.outcome in GOOD else successes[episode.task_hash]
        turn = max((shared_turns(episode.turns, sibling.turns) for sibling in siblings), default=None)
        if turn is not None and turn < len(episode.turns):
            yield Point(episode, turn)


def before_writes(episodes: Sequence[Episode]) -> Iterator[Point]:
    """Every turn with a call that changed something."""
    for episode in episodes:
        yield from (Point(episode, number) for number, turn in enumerate(episode.turns) if wrote(turn))


def shared_turns(ours: Sequence[Turn], theirs: Sequence[Turn]) -> int:
    """How many turns two attempts at a task begin with in common: the same calls, or the same words."""
    both = zip(ours, theirs, strict=False)
    return sum(1 for _ in takewhile(lambda pair: _did(pair[0]) == _did(pair[1]), both))


def wrote(turn: Turn) -> bool:
    """Whether a call of the turn changed something: told by its changes, else by its name."""
    return any(call.changes or (succeeded(call) and is_write(call.name)) for call in turn.tool_calls)


def _did(turn: Turn) -> object:
    calls = [(call.name, call.arguments, call.raw) for call in turn.tool_calls]
    return calls or turn.text


POINTS: dict[str, Callable[[Sequence[Episode]], Iterable[Point]]] = {
    "divergence": divergences,
    "writes": before_writes,
}
"""How branch points are chosen, by the names that the command line gives."""
