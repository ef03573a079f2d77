"""Two episodes side by side, turn by turn, and the first turn in which they differ."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import zip_longest

from eops_traj.schema import Episode, Turn


@dataclass(frozen=True)
class TurnPair:
    """The turns of one number (from 1) of two episodes; None where one of them has ended."""

    number: int
    left: Turn | None
    right: Turn | None

    @property
    def difference(self) -> str:
        """The first difference: ended, calls, arguments, results or answer; empty where there is none.

        Text beside a call does not count: two samples seldom use the same words.
        """
        if self.left is None or self.right is None:
            return "ended"
        pairs = list(zip(self.left.tool_calls, self.right.tool_calls, strict=False))
        if len(self.left.tool_calls) != len(self.right.tool_calls) or any(a.name != b.name for a, b in pairs):
            return "calls"
        if any((a.arguments, a.raw) != (b.arguments, b.raw) for a, b in pairs):
            return "arguments"
        if any((a.result, a.error) != (b.result, b.error) for a, b in pairs):
            return "results"
        return "answer" if not pairs and self.left.text != self.right.text else ""


def pair_turns(left: Episode, right: Episode) -> list[TurnPair]:
    """Pair the turns of two episodes."""
    both = zip_longest(left.turns, right.turns)
    return [TurnPair(number, a, b) for number, (a, b) in enumerate(both, 1)]


def first_divergence(pairs: Sequence[TurnPair]) -> int | None:
    """Return the number of the first turn in which they differ; None where they never do."""
    return next((pair.number for pair in pairs if pair.difference), None)
