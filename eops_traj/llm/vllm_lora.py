"""A LoRA adapter under vLLM: its flags, what vLLM cannot serve, and the proof that it is what answers."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError

RANKS = (8, 16, 32, 64, 128, 256, 320, 512)
"""The values that ``--max-lora-rank`` takes."""
UNSERVED = {
    "modules_to_save": "whole modules beside the matrices (modules_to_save)",
    "use_dora": "DoRA",
    "lora_bias": "biases",
    "alora_invocation_tokens": "activated LoRA",
    "layer_replication": "replicated layers",
    "use_bdlora": "block-diagonal LoRA",
    "use_qalora": "QALoRA",
    "target_parameters": "parameters that are no module's weight (target_parameters)",
}
"""The settings of an adapter that vLLM 0.32 does not serve, in words."""
SERVING_FLAGS = frozenset(
    {
        *("--model", "--served-model-name", "--tokenizer", "--enable-lora", "--no-enable-lora"),
        *("--lora-modules", "--max-lora-rank"),
    }
)
"""The flags that say what is served, and under which name."""


def lora_flags(name: str, folder: Path, settings: Mapping[str, Any], base: str) -> list[str]:
    """Return the flags that serve the adapter in a folder under a name of its own, over its base.

    Raises InputError for an adapter that vLLM does not serve; merged into its base it can be.
    """
    if unserved := [what for key, what in UNSERVED.items() if settings.get(key)]:
        raise InputError(
            f"vLLM serves no adapter with {', '.join(unserved)}: `eops-traj merge {folder}` it first"
        )
    ranks = [settings["r"], *(settings.get("rank_pattern") or {}).values()]
    fitting = [rank for rank in RANKS if rank >= max(ranks)]
    if not fitting:
        raise InputError(f"vLLM serves adapters up to rank {RANKS[-1]}, not {max(ranks)}: merge it first")
    module = {"name": name, "path": str(folder), "base_model_name": base}
    return [
        "--enable-lora",
        "--max-loras=1",
        f"--max-lora-rank={fitting[0]}",
        f"--lora-modules={json.dumps(module)}",
    ]


def check_listed(name: str, base: str, models: Mapping[str, str | None]) -> None:
    """Check that vLLM lists an adapter as one over its base, and the base apart. Raises InputError."""
    if models.get(name, name) != base or base not in models:
        listed = ", ".join(f"{model} over {over}" if over else model for model, over in models.items())
        raise InputError(f"vLLM does not serve {name} as an adapter over {base}, but: {listed or 'nothing'}")


def check_answered(name: str, provider: str) -> None:
    """Check that a reply is the adapter's, by the name in its body. Raises InputError for any other."""
    answered = json.loads(provider).get("model")
    if answered != name:
        raise InputError(f"{answered!r} answered in the place of the adapter {name!r}")
