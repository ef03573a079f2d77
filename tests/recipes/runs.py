"""Tiny training runs: their settings, a planner to start from, and their output."""

import json
import shutil
from pathlib import Path
from typing import Any

import yaml

from eops_traj.train.scratch_model import ScratchConfig, make_scratch_model, train_tokenizer
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
SIZES = ScratchConfig(vocabulary=320, hidden=32, layers=1, heads=2, intermediate=32)


def config(output: Path, settings: dict[str, Any], **changes: Any) -> Path:
    """Write a config file for a run."""
    changed = {name: str(value) if isinstance(value, Path) else value for name, value in changes.items()}
    path = output.parent / f"{output.name}.yaml"
    path.write_text(yaml.safe_dump({**settings, "output": str(output), **changed}), encoding="utf-8")
    return path


def planner(folder: Path, sizes: ScratchConfig = SIZES, positions: int = 512) -> Path:
    """Save a checkpoint with random weights, its tokenizer trained on a few plans."""
    import torch

    torch.manual_seed(0)
    rows = [{"messages": prompt(name) + plan(name), "tools": []} for name in NAMES]
    tokenizer = train_tokenizer(rows, sizes.vocabulary, pieces=sizes.pieces)
    make_scratch_model(sizes, tokenizer, positions).save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return folder


def metrics(output: Path) -> dict[str, Any]:
    """Read a run's metrics.json."""
    content: dict[str, Any] = json.loads((output / "metrics.json").read_text(encoding="utf-8"))
    return content


def weights(folder: Path) -> bytes:
    """Read the weights of a checkpoint."""
    return (folder / "model.safetensors").read_bytes()


def killed(output: Path, copy: Path, step: int = 4) -> Path:
    """Copy a run as if it had been killed while it wrote the checkpoint of a step."""
    ignored = shutil.ignore_patterns("model", "metrics.json", "best-*")
    shutil.copytree(output, copy, ignore=ignored)
    (copy / f"checkpoint-{step}" / "trainer_state.json").unlink()
    return copy
