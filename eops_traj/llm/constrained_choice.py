"""The choice of tokens where a reply has to be of a language: the likeliest that can still become one.

The last of the logits processors. Nearly always the token that would be taken anyway is allowed, so that one
text is looked at for each token; where it is not, the next likeliest is, and so on.
"""

from collections.abc import Collection, Iterator, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.llm.base import Language

if TYPE_CHECKING:
    import torch

FIRST, MOST = 16, 4096
"""The likeliest tokens: those that are sorted first, and those that are looked at. Where none of them is
allowed the row goes on as it likes."""
CUT, LETTER = "\ufffd", "é"
"""What stands for a character of which not all bytes are there yet, and one of which there are several."""


class ConstrainedChoice:
    """Leaves of each row only the token that is taken, one that the row's language allows."""

    def __init__(
        self, tokenizer: Any, languages: list[Language | None], starts: Sequence[int], ends: Collection[int]
    ) -> None:
        """Take a language for each row, none for free ones, and where its reply starts in the padded batch.

        A row's language is taken out of the list where the row has ended or cannot be held to it.
        """
        self._tokenizer, self._languages = tokenizer, languages
        self._starts, self._ends = starts, frozenset(ends)
        self._special = frozenset(tokenizer.all_special_ids)

    def __call__(self, input_ids: "torch.Tensor", scores: "torch.Tensor") -> "torch.Tensor":
        """Return scores (batch, vocabulary) in which one token of each constrained row is left."""
        scores = scores.clone()
        for row, language in enumerate(self._languages):
            if language is None:
                continue
            token = self._choose(input_ids[row, self._starts[row] :].tolist(), scores[row], language)
            if token is None or token in self._ends:
                self._languages[row] = None  # it has ended, or nothing that it wants to say is allowed
            if token is not None:
                scores[row] = float("-inf")
                scores[row, token] = 0.0
        return scores

    def _choose(self, written: list[int], scores: "torch.Tensor", language: Language) -> int | None:
        """Return the likeliest token that may come next; None where none of the likeliest may."""
        text = self._decode(written)
        for token in _likeliest(scores):
            if token in self._ends:
                if language.is_whole(text):
                    return int(token)
            elif token not in self._special and self._may_follow(text, [*written, token], language):
                return int(token)
        return None

    def _may_follow(self, text: str, written: list[int], language: Language) -> bool:
        """Check the text with a token more; a character that is not whole yet could be any such letter."""
        text, new = text.removesuffix(CUT), self._decode(written)
        if new.endswith(CUT):
            new = new.removesuffix(CUT) + LETTER
        more = new.removeprefix(text)  # nothing, of a token that stands for no text
        return new.startswith(text) and bool(more) and CUT not in more and language.allow_next(text, more)

    def _decode(self, ids: list[int]) -> str:
        return str(self._tokenizer.decode(ids, skip_special_tokens=True))


def _likeliest(scores: "torch.Tensor") -> Iterator[int]:
    """Yield tokens by their scores; all but the first few are sorted only where they are asked for."""
    yield from scores.topk(min(FIRST, len(scores))).indices.tolist()
    yield from scores.topk(min(MOST, len(scores))).indices.tolist()[FIRST:]
