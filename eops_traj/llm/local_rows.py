"""The rows of a batch whose replies are generated together, and the end of their company.

A step costs the same for a row that is done as for one that goes on, and more with every token that the
longest has. So a part of the generation ends where half of its rows are done, ended or out of room; the
others go on among themselves, and only read again what they have so far.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from eops_traj.llm.base import Language

if TYPE_CHECKING:
    import torch


@dataclass(eq=False)
class ReplyRow:
    """A reply that is being generated."""

    prompt: Sequence[int]
    language: Language | None
    """What it is held to, as long as it is."""
    generator: "torch.Generator | None"
    """Where its randomness comes from; torch's own where it has no seed."""
    most: int
    """The tokens that it may have."""
    ids: list[int] = field(default_factory=list)
    logprobs: list[float] = field(default_factory=list)

    ended: bool = False
    """Whether the model ended it."""

    @property
    def read(self) -> list[int]:
        """What the model reads next: the prompt and the reply so far."""
        return [*self.prompt, *self.ids]

    @property
    def left(self) -> int:
        """How many more tokens it may have."""
        return self.most - len(self.ids)

    def take(self, ids: Sequence[int], logprobs: Sequence[float], length: int | None) -> None:
        """Take the tokens of a part; the reply ends after ``length`` of all that it has, or goes on.

        What was written beyond its room, while others went on, is dropped.
        """
        self.ended = length is not None and length <= self.most
        kept = length if self.ended else self.most
        self.ids = [*self.ids, *ids][:kept]
        self.logprobs = [*self.logprobs, *logprobs][:kept]


def length_of(
    ids: list[int], ends: Collection[int], stops: str | Sequence[str], decode: Callable[[list[int]], str]
) -> int | None:
    """Return of how many of these tokens a reply consists that ends among them; None where it goes on."""
    length = next((n for n, token in enumerate(ids, 1) if token in ends), None)
    words = (stops,) if isinstance(stops, str) else stops
    if not words or not any(word in decode(ids[:length]) for word in words):
        return length
    begun = (decode(ids[:n]) for n in range(1, len(ids) + 1))
    return next(n for n, text in enumerate(begun, 1) if any(word in text for word in words))


class HalfDone:
    """A stopping criterion of transformers: half of the rows have ended or are out of room.

    A row that has ended goes on with padding, which is a token that ends replies, too.
    """

    def __init__(self, ends: Collection[int], full: "torch.Tensor") -> None:
        """Take the tokens that end replies, and of how many columns each row is out of room (batch,)."""
        self._ends, self._full = sorted(ends), full

    def __call__(self, input_ids: "torch.Tensor", scores: Any, **_: Any) -> "torch.Tensor":
        """Return for each row of ``input_ids`` (batch, tokens) whether to stop: for all of them the same."""
        import torch

        ended = torch.isin(input_ids[:, -1], torch.tensor(self._ends, device=input_ids.device))
        done = ended | (input_ids.shape[1] >= self._full)
        return (2 * done.sum() >= len(done)).expand(len(done))
