"""Rows under other names: rare tokens are exchanged for others, in prompt and reply alike.

A small model on a thousand rows learns the names in them by heart, and then writes those in the place of new
ones. Where a row's rare tokens are other ones each time, copying is all that helps. What rows mean stays the
same; the rows themselves, which were proven by execution, are not touched.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from eops_traj.loss_mask import Tokens

RARE = 0.02
"""A token is rare that is in less than this share of all replies."""


def rare_tokens(rows: "Iterable[Tokens]", tokenizer: Any) -> list[int]:
    """The tokens that few replies have: those of names and numbers, not those of plans."""
    counts: Counter[int] = Counter()
    total = 0
    for row in rows:
        counts.update({token for token, said in zip(row.ids, row.mask, strict=True) if said})
        total += 1
    special = set(tokenizer.all_special_ids)
    return [n for n in range(len(tokenizer)) if n not in special and counts[n] < RARE * total]


class Renaming:
    """A collator that exchanges the rare tokens of some rows of each batch that another collator makes."""

    def __init__(self, collate: Callable[..., Any], rare: Sequence[int], share: float, seed: int) -> None:
        """``share`` of the rows are renamed; chance starts from ``seed``."""
        import torch

        self._collate, self._share = collate, share
        self._rare = torch.tensor(rare)
        self._chance = torch.Generator().manual_seed(seed)

    def __call__(self, rows: Any, return_tensors: Any = None) -> Any:
        """The batch, some of its rows renamed: ``input_ids`` and ``labels`` alike."""
        import torch

        batch = self._collate(rows)
        ids, labels = batch["input_ids"], batch["labels"]
        for row in range(len(ids)):
            if torch.rand((), generator=self._chance) < self._share:
                named = self._names(int(max(ids.max(), self._rare.max())) + 1)
                ids[row] = named[ids[row]]
                labels[row] = torch.where(labels[row] == -100, labels[row], ids[row])
        return batch

    def _names(self, tokens: int) -> Any:
        """For each token the one to say in its place."""
        import torch

        names = torch.arange(tokens)
        names[self._rare] = self._rare[torch.randperm(len(self._rare), generator=self._chance)]
        return names
