"""What plans that nobody learnt from cost a planner: the sum of their tokens' losses, in nats."""

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from benchmarks.rounds import read
from eops_traj.files import write_json
from eops_traj.llm.chat_template import ChatTemplate, MaskedTokens
from eops_traj.train.training_sequences import row_sequences

if TYPE_CHECKING:
    import torch

KEPT = "held_out.json"
BATCH = 16
IGNORED = -100


def gold_loss(run: Path, plans: Path) -> float:
    """Return the mean loss of the rows of ``plans`` under a run's planner; it is kept in the run's folder."""
    of = read(plans / "certificate.json")["content_hash"]
    kept = run / KEPT
    if not kept.is_file() or read(kept)["plans"] != of:
        write_json(kept, {"plans": of, "losses": list(row_losses(run / "model", plans))})
    losses = read(kept)["losses"]
    return float(sum(losses) / len(losses))


def row_losses(model: Path, plans: Path) -> Iterator[float]:
    """Yield the loss of each row under a model, the shortest row first."""
    import torch
    from transformers import AutoModelForCausalLM, AutoTokenizer

    tokenizer = AutoTokenizer.from_pretrained(model, local_files_only=True)
    template = ChatTemplate.of(tokenizer, str(model))
    planner = AutoModelForCausalLM.from_pretrained(model, local_files_only=True, dtype=torch.float32).eval()
    sequences = [sequence for row in _rows(plans) for sequence in row_sequences(row, template)]
    sequences.sort(key=lambda each: len(each.ids))
    for start in range(0, len(sequences), BATCH):
        yield from _losses(planner, sequences[start : start + BATCH], tokenizer.pad_token_id)


def _rows(plans: Path) -> Iterator[dict[str, Any]]:
    for file in read(plans / "certificate.json")["data_files"]:
        with (plans / file["name"]).open(encoding="utf-8") as lines:
            yield from map(json.loads, lines)


def _losses(model: Any, sequences: Sequence[MaskedTokens], pad: int) -> list[float]:
    import torch
    from torch.nn.functional import cross_entropy

    ids = _padded([each.ids for each in sequences], pad)
    labels = _padded([_labels(each) for each in sequences], IGNORED)
    with torch.inference_mode():
        logits = model(input_ids=ids, attention_mask=(ids != pad).long()).logits[:, :-1]
        each = cross_entropy(logits.transpose(1, 2), labels[:, 1:], ignore_index=IGNORED, reduction="none")
    return [float(loss) for loss in each.sum(dim=1)]


def _labels(sequence: MaskedTokens) -> list[int]:
    return [token if on else IGNORED for token, on in zip(sequence.ids, sequence.mask, strict=True)]


def _padded(rows: Sequence[Sequence[int]], filler: int) -> "torch.Tensor":
    import torch

    longest = max(map(len, rows))
    return torch.tensor([[*row, *[filler] * (longest - len(row))] for row in rows])
