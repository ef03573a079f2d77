"""Learning to copy, before anything else: a small model from scratch does not find out how from plans alone.

Random tokens have to be repeated: first all of them in their order, then spans of them from anywhere. Nothing
of any task is in it. The first two layers learn it; the others, which add nothing yet, are left out
meanwhile, since three layers together take several times as long to find it.
"""

import random
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from eops_traj.train.name_augmentation import IGNORED
from eops_traj.train.precision import computes_in_bfloat16
from eops_traj.train.small_sft_trainer import labelled_loss

if TYPE_CHECKING:
    from torch import Tensor
    from transformers import PreTrainedModel

RATE, WARM_UP = 2e-3, 50
TARGET_LOSS = 0.3  # averaged over some ten steps; copying in order is learnt by then
SPAN_STEPS = 100
SPECIAL = 3  # the first tokens of a vocabulary stand for no text
OUTPUT_WEIGHTS = ("o_proj.weight", "out_proj.weight", "down_proj.weight", "w2.weight")
"""The weights that all output of a layer passes through; with zeros in them it adds nothing."""


@dataclass(frozen=True)
class CopyResult:
    """How learning to copy went."""

    steps: int
    seconds: float
    loss: float

    def __str__(self) -> str:
        """Render the sentence that a run prints."""
        return f"copying: loss {self.loss:.2f} after {self.steps} steps, {self.seconds:.0f} s"


def pretrain_copying(model: Any, steps: int, seed: int) -> CopyResult:
    """Teach a model with random weights to copy: at most ``steps`` steps on sequences, and some on spans."""
    import torch

    rng, started = random.Random(seed), time.monotonic()
    layers, count, loss = model.model.layers, 0, 9.0
    _zero_outputs(layers[2:])
    model.model.layers = layers[:2]
    optimizer = torch.optim.AdamW(model.parameters(), lr=RATE, betas=(0.9, 0.98), weight_decay=0.0)
    while count < steps and loss > TARGET_LOSS:
        for group in optimizer.param_groups:
            group["lr"] = RATE * min(1.0, (count + 1) / WARM_UP)
        loss = 0.9 * loss + 0.1 * _train_step(model, optimizer, *_sequences(model.config.vocab_size, rng))
        count += 1
    for _ in range(min(SPAN_STEPS, steps)):
        loss = 0.9 * loss + 0.1 * _train_step(model, optimizer, *_spans(model.config.vocab_size, rng))
        count += 1
    model.model.layers = layers
    return CopyResult(count, time.monotonic() - started, loss)


def _zero_outputs(layers: Any) -> None:
    """Make layers add nothing for the time being."""
    for layer in layers:
        for name, weight in layer.named_parameters():
            if name.endswith(OUTPUT_WEIGHTS):
                weight.data.zero_()


def _train_step(model: "PreTrainedModel", optimizer: Any, ids: "Tensor", labels: "Tensor") -> float:
    """Take one step on a batch and return its mean loss over the labelled tokens."""
    import torch

    labels = labels.to(model.device)
    with torch.autocast(model.device.type, torch.bfloat16, enabled=computes_in_bfloat16()):
        summed: Any = labelled_loss(model, {"input_ids": ids.to(model.device)}, labels)
    loss = summed / (labels != IGNORED).sum()
    optimizer.zero_grad()
    loss.backward()
    torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
    optimizer.step()
    return float(loss.item())


def _sequences(vocabulary: int, rng: random.Random, batch: int = 32) -> "tuple[Tensor, Tensor]":
    """Draw random sequences, each repeated once, with loss on the second time."""
    import torch

    generator = torch.Generator().manual_seed(rng.getrandbits(32))
    once = torch.randint(SPECIAL, vocabulary, (batch, rng.randint(12, 29)), generator=generator)
    return torch.cat([once, once], 1), torch.cat([torch.full_like(once, IGNORED), once], 1)


def _spans(vocabulary: int, rng: random.Random, batch: int = 16, spans: int = 6) -> "tuple[Tensor, Tensor]":
    """Draw random sequences, then spans of them from anywhere; loss on all of a span but its first token."""
    import torch

    generator = torch.Generator().manual_seed(rng.getrandbits(32))
    length, widths = rng.randint(40, 150), [rng.randint(3, 10) for _ in range(spans)]
    sequence = torch.randint(SPECIAL, vocabulary, (batch, length), generator=generator)
    ids, labels = [sequence], [torch.full_like(sequence, IGNORED)]
    for width in widths:
        starts = torch.randint(0, length - width, (batch, 1), generator=generator)
        span = sequence.gather(1, starts + torch.arange(width))
        ids.append(span)
        labels.append(torch.cat([torch.full_like(span[:, :1], IGNORED), span[:, 1:]], 1))
    return torch.cat(ids, 1), torch.cat(labels, 1)
