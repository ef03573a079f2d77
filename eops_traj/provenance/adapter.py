"""A LoRA adapter in peft's form: its folder, its base, and the model that both make up.

The folder holds ``adapter_config.json`` and ``adapter_model.safetensors``; those that the recipes write hold
tokenizer, chat template and ``lineage.json`` as well. Nothing here loads a weight.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any, Literal

from pydantic import BaseModel, ConfigDict, Field, PositiveInt, ValidationError

from eops_traj.config import problems
from eops_traj.errors import FormatError, InputError
from eops_traj.files import read_json
from eops_traj.hashing import digest
from eops_traj.llm.chat_template import read_template
from eops_traj.llm.vllm_parsers import read_chat_template
from eops_traj.provenance.adapter_base import check_base, model_folder
from eops_traj.provenance.checkpoint import ADAPTER_SETTINGS, checkpoint_hash, checkpoint_name, is_adapter
from eops_traj.provenance.checkpoint import WEIGHTS as SAFETENSORS
from eops_traj.provenance.lineage_file import LINEAGE, checkpoint_folder, read_lineage

WEIGHTS = "adapter_model.safetensors"
TOKENIZER = ("tokenizer.json", "tokenizer_config.json", "tokenizer.model", "vocab.json")


class AdapterSettings(BaseModel):
    """The settings of an adapter that are read here; peft has many others, which are kept."""

    model_config = ConfigDict(extra="allow", frozen=True)

    peft_type: Literal["LORA"]
    base_model_name_or_path: Annotated[str, Field(min_length=1)]
    r: PositiveInt
    rank_pattern: dict[str, PositiveInt] | None = None


@dataclass(frozen=True)
class Adapter:
    """An adapter's folder and its settings."""

    folder: Path
    settings: Mapping[str, Any]

    @property
    def named_base(self) -> str:
        """The base that it was trained over, as peft noted it: a path of that time, or a name on the hub."""
        return str(self.settings["base_model_name_or_path"])

    @property
    def has_tokenizer(self) -> bool:
        """Whether it brings its own tokenizer, and with that the chat template that it was trained with."""
        return any((self.folder / name).is_file() for name in TOKENIZER)


@dataclass(frozen=True)
class ModelParts:
    """The parts of a model that is served: its name, the base (a folder, a name on the hub), the adapter."""

    model: str
    base: str
    adapter: Adapter | None = None

    @property
    def speaker(self) -> str:
        """The part whose tokenizer and chat template are used."""
        return str(self.adapter.folder) if self.adapter and self.adapter.has_tokenizer else self.base

    def identity(self) -> dict[str, str]:
        """Return the parts by content: the checkpoint, which is the adapter's hash, and then its base."""
        if self.adapter is None:
            return {"checkpoint": checkpoint_name(self.model, self.base)}
        return {"checkpoint": checkpoint_hash(self.adapter.folder), "base": checkpoint_name(self.base)}


def model_parts(model: str, path: str | None = None, lora: str | None = None) -> ModelParts:
    """Return the parts of a model: ``path``, or ``model`` where that is its place, and ``lora`` over it.

    A place that holds an adapter stands for the adapter over its base, and a training run's output for its
    model. Raises InputError: no such adapter, a base that is missing or another, or the base's name as
    ``model``, which is the adapter's in episodes.
    """
    place = model_place(path or model)
    if lora is None and not is_adapter(Path(place)):
        return ModelParts(model, place)
    adapter = read_adapter(Path(lora or place))
    base = place if lora and path else find_base(adapter)
    if model in (base, adapter.named_base):
        raise InputError(f"model {model!r} is the name of the base, not of {adapter.folder}: choose another")
    check_base(adapter.folder, adapter.named_base, base)
    return ModelParts(model, base, adapter)


def model_place(given: str) -> str:
    """Return where a model is: a training run's output holds it as ``model``."""
    inner = Path(given) / "model"
    return str(inner) if any(inner.glob(SAFETENSORS)) and not any(Path(given).glob(SAFETENSORS)) else given


def template_identity(parts: ModelParts, given: Path | None = None) -> dict[str, str]:
    """Return the chat template that renders a model's prompts, by content: the one given, or its own.

    Nothing, where it is not on this machine. Raises InputError where the one given cannot be read.
    """
    if given is not None:
        return {"chat_template": digest(read_template(given))}
    folder = model_folder(parts.speaker)
    own = read_chat_template(folder) if folder else ""
    return {"chat_template": digest(own)} if own else {}


def read_adapter(path: Path) -> Adapter:
    """Read the adapter of a folder, or of the training run with that output.

    Raises InputError where there is none that can be read safely, FormatError for malformed settings.
    """
    folder = checkpoint_folder(path)
    if not is_adapter(folder):
        raise InputError(f"{folder} is no adapter: it has no {ADAPTER_SETTINGS}")
    if not (folder / WEIGHTS).is_file():
        raise InputError(f"{folder} is no adapter: it has no {WEIGHTS}")
    try:
        settings = AdapterSettings.model_validate(read_json(folder / ADAPTER_SETTINGS))
    except ValidationError as error:
        raise FormatError(f"{folder / ADAPTER_SETTINGS}: {'; '.join(problems(error))}") from error
    return Adapter(folder, settings.model_dump())


def find_base(adapter: Adapter) -> str:
    """Return the base that an adapter names; a path of a run that was moved is found where it is now."""
    named = adapter.named_base
    if (adapter.folder / LINEAGE).is_file():
        moved = read_lineage(adapter.folder).resolve(named, adapter.folder)
        return str(moved) if moved.exists() else named
    return named
