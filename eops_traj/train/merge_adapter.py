"""A LoRA adapter merged into its base: a whole model, which everything serves, with its card and lineage."""

from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

from eops_traj.config import Settings
from eops_traj.errors import InputError
from eops_traj.files import put_in_place, require_no_file, with_a_name, work_folder
from eops_traj.llm.chat_template import load_tokenizer
from eops_traj.llm.lora import apply_adapter
from eops_traj.provenance.adapter import Adapter, ModelParts, find_base, read_adapter
from eops_traj.provenance.adapter_base import check_base, model_folder
from eops_traj.provenance.checkpoint import checkpoint_hash, checkpoint_name
from eops_traj.provenance.lineage_file import write_lineage
from eops_traj.provenance.tensor_shapes import tensor_shapes
from eops_traj.train.model_card import CARD
from eops_traj.untrusted.markdown import front_matter, markdown_template

if TYPE_CHECKING:
    import torch

MERGED = "merged"
"""The folder beside the adapter's, where no other is named."""
EMBEDDINGS = ("lm_head", "embed_tokens", "wte")
"""The modules that many models tie: one matrix that reads tokens and writes them."""


class MergeSettings(Settings):
    """The settings of a merge, as lineage.json keeps them."""

    recipe: Literal["merge"] = "merge"
    model: str
    """The adapter."""
    base: str
    output: str
    """The folder that the merged model lies in."""


@dataclass(frozen=True)
class MergedModel:
    """A merged model, and how far its logits are from the adapter's over the base, on a short prompt."""

    folder: str
    checkpoint: str
    adapter: str
    base: str
    moved: float
    """The largest change of a logit that the adapter makes to its base."""
    rounded: float
    """The largest difference of a logit between merged and not: rounding alone."""


def merge(run: Path, out: Path | None = None, base: str | None = None) -> MergedModel:
    """Merge the adapter of a run, or in a folder, into its base, and write the model whole or not at all.

    Raises InputError, before any weight is loaded: no adapter, a base that is missing or another, an adapter
    that cannot be merged, or a place that is taken.
    """
    adapter = read_adapter(run)
    base = base or find_base(adapter)
    check_base(adapter.folder, adapter.named_base, base)
    check_mergeable(adapter, base)
    place = with_a_name(out or adapter.folder.parent / MERGED)
    check_free(place)
    with work_folder(place) as part:
        moved, rounded = _write_model(adapter, base, part)
        settings = MergeSettings(model=str(adapter.folder), base=base, output=str(place.parent))
        lineage = write_lineage(part, checkpoint_hash(adapter.folder), None, settings)
        merged = MergedModel(
            str(place), lineage.checkpoint, str(lineage.parent), checkpoint_name(base), moved, rounded
        )
        (part / CARD).write_text(render_card(merged, settings), encoding="utf-8")
        put_in_place(part, place)
    return merged


def check_mergeable(adapter: Adapter, base: str) -> None:
    """Check that merging gives the same model. Raises InputError for a quantized base and tied embeddings."""
    from transformers import AutoConfig

    try:
        config = AutoConfig.from_pretrained(str(model_folder(base)), local_files_only=True)
    except (OSError, ValueError) as error:
        raise InputError(f"{base}: its config.json cannot be read: {error}") from error
    if getattr(config, "quantization_config", None):
        raise InputError(f"{base} is quantized: merge into the model that it was made from (--base)")
    changed = {part for name in tensor_shapes(adapter.folder) for part in name.split(".")}
    if config.tie_word_embeddings and (tied := changed & set(EMBEDDINGS)):
        raise InputError(
            f"{adapter.folder} changes {', '.join(sorted(tied))}, one side of embeddings that {base} ties: "
            "it cannot be merged; serve it over its base"
        )


def check_free(place: Path) -> None:
    """Check that a merged model can be written to a place. Raises InputError where it holds something."""
    require_no_file(place)
    if place.exists() and any(place.iterdir()):
        raise InputError(f"{place} is not an empty folder; choose another place with --out")


def _write_model(adapter: Adapter, base: str, folder: Path) -> tuple[float, float]:
    """Write weights, tokenizer and chat template of the merged model; return the two changes of logits."""
    from eops_traj.llm.local_model import load_weights

    tokenizer = load_tokenizer(ModelParts(MERGED, base, adapter).speaker)
    adapted = apply_adapter(load_weights(base, "auto"), adapter.folder).eval()
    with adapted.disable_adapter():
        bare = _logits(adapted)
    before = _logits(adapted)
    merged = adapted.merge_and_unload(safe_merge=True)
    after = _logits(merged)
    merged.save_pretrained(folder)
    tokenizer.save_pretrained(folder)
    return (before - bare).abs().max().item(), (after - before).abs().max().item()


def _logits(model: Any) -> "torch.Tensor":
    """Return the logits of a model, (tokens, vocabulary), for a prompt of its first tokens."""
    import torch

    with torch.inference_mode():
        logits: torch.Tensor = model(input_ids=torch.arange(16)[None]).logits
    return logits[0].float()


def render_card(merged: MergedModel, settings: MergeSettings) -> str:
    """Render the card of a merged model as Markdown."""
    fields: dict[str, Any] = {
        "library_name": "transformers",
        "pipeline_tag": "text-generation",
        "tags": ["agents", "planning", "tool-use", "eops-traj", "merge"],
    }
    if not Path(settings.base).exists():
        fields["base_model"] = settings.base
    return markdown_template("eops_traj.recipes", "merged_card.md.jinja", trim_blocks=True).render(
        front_matter=front_matter(fields), merged=merged, base=settings.base, name=Path(merged.folder).name
    )
