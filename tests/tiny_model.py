"""A tiny Llama that knows a few conversations by heart, to be served where a real model would be."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer

SIZES = ScratchConfig(
    vocabulary=900, hidden=128, layers=2, heads=4, intermediate=256
)  # heads of 32, as vLLM needs
POSITIONS = 4096
SURE = 0.3
"""The loss of the least certain token at which replies are repeated to the letter: a probability of 0.74."""


def train_tiny_model(folder: Path, rows: Sequence[dict[str, Any]], steps: int = 600) -> Path:
    """Train a model on conversations (``messages`` and ``tools``) until it repeats them."""
    import torch

    torch.manual_seed(0)
    torch.set_num_threads(1)  # so small a model gains nothing from more, and loses much on a busy machine
    tokenizer = train_tokenizer(rows, SIZES.vocabulary)
    template = ChatTemplate.of(tokenizer, "tiny")
    encoded = [template.encode(row["messages"], row["tools"]) for row in rows]
    model = make_scratch_model(SIZES, tokenizer, POSITIONS)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    worst = math.inf
    for _ in range(steps):
        losses = [_losses(model, tokens) for tokens in encoded]
        if (worst := max(each.max().item() for each in losses)) < SURE:
            break
        optimizer.zero_grad()
        torch.stack([each.mean() for each in losses]).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    assert worst < SURE
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def _losses(model: Any, tokens: Any) -> Any:
    """Compute the loss of each token of the assistant."""
    import torch

    ids, with_loss = torch.tensor(tokens.ids), torch.tensor(tokens.mask, dtype=torch.bool)
    logits = model(input_ids=ids[None]).logits[0, :-1]
    return torch.nn.functional.cross_entropy(logits[with_loss[1:]], ids[1:][with_loss[1:]], reduction="none")
