"""A planner that is torn between two answers to one prompt: about half of its tries are each."""

from collections.abc import Sequence
from pathlib import Path

from eops_traj.llm.chat_template import ChatTemplate
from eops_traj.messages import Message
from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer

SIZES = ScratchConfig(vocabulary=400, hidden=64, layers=2, heads=2, intermediate=128)
STEPS = 200


def torn_planner(folder: Path, prompt: list[Message], answers: Sequence[str]) -> Path:
    """Train a small model on each of the answers alike, and save it with its tokenizer."""
    import torch

    torch.manual_seed(0)
    rows = [{"messages": [*prompt, {"role": "assistant", "content": text}], "tools": []} for text in answers]
    tokenizer = train_tokenizer(rows, SIZES.vocabulary)
    template, model = ChatTemplate.of(tokenizer, "torn"), make_scratch_model(SIZES, tokenizer, 2048)
    optimizer = torch.optim.AdamW(model.parameters(), lr=3e-3)
    encoded = [template.encode(row["messages"], []) for row in rows]
    for _ in range(STEPS):
        losses = []
        for tokens in encoded:
            labels = [n if with_loss else -100 for n, with_loss in zip(tokens.ids, tokens.mask, strict=True)]
            losses.append(model(input_ids=torch.tensor([tokens.ids]), labels=torch.tensor([labels])).loss)
        optimizer.zero_grad()
        torch.stack(losses).mean().backward()
        torch.nn.utils.clip_grad_norm_(model.parameters(), 1.0)
        optimizer.step()
    model.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder
