"""A LoRA adapter put over a loaded base, whole or not at all."""

from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError

if TYPE_CHECKING:
    from peft import PeftModel


def apply_adapter(model: Any, folder: Path) -> "PeftModel":
    """Put the adapter in a folder over its base, to be used and not trained.

    peft passes over tensors that fit no module, and the base would answer in the adapter's name: raises
    InputError for those, and for shapes that differ.
    """
    from peft import PeftModel, get_peft_model_state_dict
    from safetensors import safe_open

    try:
        adapted: PeftModel = PeftModel.from_pretrained(model, str(folder), is_trainable=False)
    except (OSError, ValueError, KeyError, RuntimeError) as error:
        raise InputError(f"the adapter of {folder} does not load over its base: {error}") from error
    with safe_open(folder / "adapter_model.safetensors", framework="pt") as file:
        stored = set(file.keys())
    if strays := stored - set(get_peft_model_state_dict(adapted)):
        first = min(strays)
        raise InputError(
            f"the adapter of {folder} is for another base: {len(strays)} of its {len(stored)} tensors fit "
            f"nothing there, such as {first}"
        )
    return adapted
