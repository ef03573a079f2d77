"""Where episodes are branched: at their first divergence from a success, or before each turn that writes."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from itertools import takewhile
from typing import NamedTuple

from eops_traj.schema import PASSED, Episode, Turn
from eops_traj.tool_effects import is_write, succeeded


class BranchPoint(NamedTuple):
    """A turn of an episode, from 0, before which another way is tried."""

    parent: Episode
    turn: int


def divergences(episodes: Sequence[Episode]) -> Iterator[BranchPoint]:
    """Yield, for each episode that went wrong, the first turn at which it left a success of its task.

    Of several successes the one counts that it kept to for longest.
    """
    successes: dict[str, list[Episode]] = defaultdict(list)
    for episode in episodes:
        if episode.outcome in PASSED:
            successes[episode.task_hash].append(episode)
    for episode in episodes:
        siblings = [] if episode.outcome in PASSED else successes[episode.task_hash]
        turn = max((shared_turns(episode.turns, sibling.turns) for sibling in siblings), default=None)
        if turn is not None and turn < len(episode.turns):
            yield BranchPoint(episode, turn)


def before_writes(episodes: Sequence[Episode]) -> Iterator[BranchPoint]:
    """Yield every turn with a call that changed something."""
    for episode in episodes:
        yield from (
            BranchPoint(episode, number) for number, turn in enumerate(episode.turns) if has_write(turn)
        )


def shared_turns(first: Sequence[Turn], second: Sequence[Turn]) -> int:
    """Count the turns that two attempts at a task begin with in common: the same calls, or the same words."""
    pairs = zip(first, second, strict=False)
    return sum(1 for _ in takewhile(lambda pair: _content(pair[0]) == _content(pair[1]), pairs))


def has_write(turn: Turn) -> bool:
    """Check whether a call of the turn changed something, by its changes, else by its name."""
    return any(call.changes or (succeeded(call) and is_write(call.name)) for call in turn.tool_calls)


def _content(turn: Turn) -> object:
    calls = [(call.name, call.arguments, call.raw) for call in turn.tool_calls]
    return calls or turn.text


POINT_FINDERS: dict[str, Callable[[Sequence[Episode]], Iterable[BranchPoint]]] = {
    "divergence": divergences,
    "writes": before_writes,
}
"""How branch points are chosen, by the names that the command line gives."""
