"""A checkpoint's identity: a hash of what determines its answers, wherever its folder lies."""

import hashlib
import re
from functools import lru_cache
from pathlib import Path
from typing import NamedTuple

from eops_traj.errors import FormatError, InputError
from eops_traj.files import hash_files, read_json
from eops_traj.hashing import canonical_json

WEIGHTS = "*.safetensors"
"""The weights: of a whole model, of its shards, or of an adapter."""
WORDS = (
    *("tokenizer*", "special_tokens_map.json", "added_tokens.json", "vocab.*", "merges.txt", "*.model"),
    *("chat_template*", "additional_chat_templates/*.jinja"),
)
"""The tokenizer and the chat templates."""
ADAPTER_SETTINGS = "adapter_config.json"
"""The file that makes a folder one of an adapter, as peft names it."""
NOT_ANSWERS = {
    *("base_model_name_or_path", "revision", "auto_mapping", "inference_mode", "peft_version", "task_type"),
    *("lora_dropout", "eva_config", "corda_config", "loftq_config", "lora_ga_config", "megatron_core"),
}
"""The settings of an adapter that do not shape its answers: where things were, and how it was trained."""


class _Part(NamedTuple):
    """A file of a checkpoint; where size and time are as they were, so are the bytes."""

    path: Path
    size: int
    modified: int


def checkpoint_hash(folder: Path) -> str:
    """Return the SHA-256 of weights, tokenizer and chat template: their names and bytes, nothing else.

    Of an adapter the settings count as well, by value: another ``lora_alpha`` gives other answers with the
    same weights. A model card, a log or a trainer's state beside them changes nothing. Files are read again
    only where their size or time of change is another one. Raises InputError where the folder holds no
    safetensors.
    """
    if not any(folder.glob(WEIGHTS)):
        raise InputError(f"{str(folder)!r} is no checkpoint: it holds no safetensors")
    paths = sorted({path for pattern in (WEIGHTS, *WORDS) for path in folder.glob(pattern) if path.is_file()})
    parts = []
    for path in paths:
        state = path.stat()
        parts.append(_Part(path, state.st_size, state.st_mtime_ns))
    whole = _hash(folder, tuple(parts))
    return _with_settings(folder, whole) if is_adapter(folder) else whole


def is_adapter(folder: Path) -> bool:
    """Check whether a folder is that of an adapter, which is nothing without its base."""
    return (folder / ADAPTER_SETTINGS).is_file()


def _with_settings(folder: Path, weights: str) -> str:
    """Return the hash of an adapter: of its files, and of the settings that shape its answers."""
    settings = read_json(folder / ADAPTER_SETTINGS)
    if not isinstance(settings, dict):
        raise FormatError(f"{folder / ADAPTER_SETTINGS}: no object")
    shaping = {name: value for name, value in settings.items() if name not in NOT_ANSWERS}
    if isinstance(modules := shaping.get("target_modules"), list):
        shaping["target_modules"] = sorted(map(str, modules))  # peft writes a set, in any order
    return hashlib.sha256(f"{weights} {canonical_json(shaping)}".encode()).hexdigest()


@lru_cache(maxsize=64)
def _hash(folder: Path, parts: tuple[_Part, ...]) -> str:
    return hash_files(folder, (part.path for part in parts))


def checkpoint_name(model: str, path: str | None = None) -> str:
    """Return a model's lasting name: the hash of the checkpoint at its path, else the model's name.

    A name may be a path too; one of a hub, or a path where nothing lies on this machine, leaves the name.
    """
    folder = Path(path or model)
    return checkpoint_hash(folder) if any(folder.glob(WEIGHTS)) else model


def is_hash(name: str) -> bool:
    """Check whether a model is named by its hash, and not by a name on the hub."""
    return re.fullmatch("[0-9a-f]{64}", name) is not None
