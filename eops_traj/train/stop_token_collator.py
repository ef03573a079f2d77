"""Where a reply ends: what a chat template writes behind its last token is no part of it.

Templates end a reply with a stop token and often a line break. No model writes that line break, and a loss
that sums over tokens would still move its probability up for chosen replies and down for rejected ones.
"""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from transformers import PreTrainedTokenizerBase

REPLY_COLUMNS = ("chosen_ids", "rejected_ids", "completion_ids", "KL_completion_ids")
"""The columns in which TRL's trainers keep the tokens of replies."""


class StopTokenCollator:
    """A data collator of TRL, which is given each reply up to its stop token."""

    def __init__(self, collator: Any, stop: int) -> None:
        """Wrap ``collator``, which makes the batch; ``stop`` is the token that ends a reply."""
        self._collator, self._stop = collator, stop

    def __call__(self, rows: Sequence[dict[str, Any]]) -> dict[str, Any]:
        """Make a batch of rows."""
        ended = [
            {name: end_at(ids, self._stop) if name in REPLY_COLUMNS else ids for name, ids in row.items()}
            for row in rows
        ]
        batch: dict[str, Any] = self._collator(ended)
        return batch


def end_at(ids: Sequence[int], stop: int) -> list[int]:
    """Return the ids up to the last stop token, that token included; all of them where there is none."""
    kept = list(ids)
    while kept and kept[-1] != stop:
        kept.pop()
    return kept or list(ids)


def padding_token(tokenizer: "PreTrainedTokenizerBase") -> int:
    """Return the token that pads a batch, chosen as TRL chooses it."""
    pad = tokenizer.pad_token_id
    return int(tokenizer.eos_token_id if pad is None else pad)
