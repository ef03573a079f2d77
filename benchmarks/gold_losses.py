"""What plans that nobody learnt from cost a planner: the sum of their tokens' losses, in nats."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rounds import read
from eops_traj.files import write_json
from eops_traj.llm.chat_template import ChatTemplate, MaskedTokens, load_tokenizer
from eops_traj.llm.local_model import load_weights
from eops_traj.provenance.checkpoint import checkpoint_hash
from eops_traj.train.name_augmentation import IGNORED
from eops_traj.train.training_sequences import labels_of, row_sequences

if TYPE_CHECKING:
    import torch

KEPT = "held_out.json"
BATCH = 16


def gold_loss(run: Path, plans: Path) -> float:
    """Return the mean loss of the rows of ``plans`` under a run's planner; it is kept in the run's folder."""
    model, kept = run / "model", run / KEPT
    of = {"plans": read(plans / "certificate.json")["content_hash"], "model": checkpoint_hash(model)}
    if not kept.is_file() or read(kept)["of"] != of:
        write_json(kept, {"of": of, "losses": list(row_losses(model, plans))})
    losses = read(kept)["losses"]
    return float(sum(losses) / len(losses))


def row_losses(model: Path, plans: Path) -> Iterator[float]:
    """Yield the loss of each row under a model, the shortest row first."""
    tokenizer = load_tokenizer(str(model))
    template, planner = ChatTemplate.of(tokenizer, str(model)), load_weights(str(model), "float32").eval()
    sequences = [sequence for row in _rows(plans) for sequence in row_sequences(row, template)]
    sequences.sort(key=lambda each: len(each.ids))
    for start in range(0, len(sequences), BATCH):
        yield from _losses(planner, sequences[start : start + BATCH])


def _rows(plans: Path) -> Iterator[dict[str, Any]]:
    for file in read(plans / "certificate.json")["data_files"]:
        with (plans / file["name"]).open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _losses(model: Any, sequences: Sequence[MaskedTokens]) -> list[float]:
    import torch
    from torch.nn.functional import cross_entropy

    ids, mask = (
        _padded([each.ids for each in sequences], 0),
        _padded([[1] * len(each.ids) for each in sequences], 0),
    )
    labels = _padded([labels_of(each) for each in sequences], IGNORED)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=mask).logits[:, :-1]
        each = cross_entropy(logits.transpose(1, 2), labels[:, 1:], ignore_index=IGNORED, reduction="none")
    return [float(loss) for loss in each.sum(dim=1)]


def _padded(rows: Sequence[Sequence[int]], filler: int) -> "torch.Tensor":
    import torch

    return torch.nn.utils.rnn.pad_sequence(
        [torch.tensor(row) for row in rows], batch_first=True, padding_value=filler
    )
