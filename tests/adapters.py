"""A LoRA adapter over a tiny model, made with peft, whose replies are not its base's."""

import json
from pathlib import Path
from typing import Any

from tests.recipes.runs import SIZES, planner

BASE_SIZES = SIZES.model_copy(update={"layers": 2})


def tiny_base(folder: Path, **changes: Any) -> Path:
    """Save a model with random weights and its tokenizer."""
    return planner(folder, BASE_SIZES.model_copy(update=changes))


def tiny_adapter(folder: Path, base: Path, seed: int = 0, scale: float = 0.5, **settings: Any) -> Path:
    """Save an adapter over a base: random matrices, large enough that replies differ."""
    import torch
    from peft import LoraConfig, get_peft_model
    from transformers import AutoModelForCausalLM, AutoTokenizer

    torch.manual_seed(seed)
    lora = {"r": 4, "lora_alpha": 8, "target_modules": "all-linear", **settings}
    model = get_peft_model(
        AutoModelForCausalLM.from_pretrained(base), LoraConfig(task_type="CAUSAL_LM", **lora)
    )
    for name, weights in model.named_parameters():
        if "lora_" in name:
            torch.nn.init.normal_(weights.data, std=scale)
    model.save_pretrained(folder)
    AutoTokenizer.from_pretrained(base).save_pretrained(folder)
    return folder


def resettled(adapter: Path, **settings: Any) -> Path:
    """Change settings of an adapter."""
    path = adapter / "adapter_config.json"
    path.write_text(json.dumps({**json.loads(path.read_text()), **settings}))
    return adapter
