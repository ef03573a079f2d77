"""The command line, with a hash of each rank's weights: ``hashed_run.py FOLDER train CONFIG ...``.

Started by ``accelerate launch``. When a trainer is done, every rank writes ``FOLDER/rank-N``. With ``FORCED``
in the environment a model that acts plays its part, and every other try goes the right way.
"""

import hashlib
import os
import sys
from pathlib import Path
from typing import Any

from transformers import Trainer

from eops_traj.cli.main import main
from tests.recipes.forced import HALF, force

train = Trainer.train


def train_and_hash(trainer: Trainer, *arguments: Any, **options: Any) -> Any:
    """Train, then write the SHA-256 of this rank's weights."""
    if "FORCED" in os.environ:
        force(trainer, HALF)
    result = train(trainer, *arguments, **options)
    weights = hashlib.sha256()
    for name, weight in sorted(trainer.accelerator.unwrap_model(trainer.model).state_dict().items()):
        weights.update(name.encode() + weight.float().numpy().tobytes())
    Path(sys.argv[1], f"rank-{trainer.args.process_index}").write_text(weights.hexdigest(), encoding="utf-8")
    return result


Trainer.train = train_and_hash  # type: ignore[assignment]

if __name__ == "__main__":
    main(sys.argv[2:])
