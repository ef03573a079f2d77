"""Tiny training runs: their settings, a planner to start from, and what they leave."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from eops_traj.train.scratch_model import Scratch, make_scratch, train_tokenizer
from tests.planner_data import NAMES, plan, prompt

TINY: dict[str, Any] = {
    "max_length": 400,
    "learning_rate": 0.01,
    "batch_size": 2,
    "max_steps": 4,
    "save_steps": 2,
    "log_steps": 1,
    "keep_checkpoints": 9,
    "bf16": False,
}
SIZES = Scratch(vocabulary=320, hidden=32, layers=1, heads=2, intermediate=32)


def config(output: Path, settings: dict[str, Any], **changes: Any) -> Path:
    """A config file for a run."""
    given = {name: str(value) if isinstance(value, Path) else value for name, value in changes.items()}
    path = output.parent / f"{output.name}.yaml"
    path.write_text(yaml.safe_dump({**settings, "output": str(output), **given}), encoding="utf-8")
    return path


def planner(folder: Path, sizes: Scratch = SIZES, positions: int = 512) -> Path:
    """A checkpoint with random weights, its tokenizer trained on a few plans."""
    import torch

    torch.manual_seed(0)
    rows = [{"messages": prompt(name) + plan(name), "tools": []} for name in NAMES]
    tokenizer = train_tokenizer(rows, sizes.vocabulary)
    make_scratch(sizes, tokenizer, positions).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def metrics(output: Path) -> dict[str, Any]:
    """What a run's metrics.json holds."""
    found: dict[str, Any] = json.loads((output / "metrics.json").read_text(encoding="utf-8"))
    return found


def weights(folder: Path) -> bytes:
    """The weights of a checkpoint."""
    return (folder / "model.safetensors").read_bytes()


def killed(output: Path, copy: Path, step: int = 4) -> Path:
    """A copy of a run as if it had been killed while it wrote the checkpoint of a step."""
    left = shutil.ignore_patterns("model", "metrics.json", "best-*")
    shutil.copytree(output, copy, ignore=left)
    (copy / f"checkpoint-{step}" / "trainer_state.json").unlink()
    return copy
