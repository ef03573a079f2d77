"""The card of a trained model: on what data, by what recipe, from which checkpoint, and how it fared."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from eops_traj.provenance.checkpoint import checkpoint_hash, checkpoint_name
from eops_traj.provenance.lineage_file import TrainedOn, write_lineage
from eops_traj.train.config import TrainingConfig
from eops_traj.untrusted.markdown import front_matter, markdown_template

CARD = "README.md"


def write_card(model: Path, config: TrainingConfig, metrics: Mapping[str, Any]) -> None:
    """Write README.md and lineage.json beside the weights of a trained model, once those are all there.

    ``metrics`` is the result of the run, as metrics.json holds it.
    """
    parent = checkpoint_name(config.model) if config.model else None
    data = TrainedOn(folder=str(config.data), **metrics["data"])
    write_lineage(model, parent, data, config, metrics.get("leaks"))
    (model / CARD).write_text(render_card(model, config, metrics, parent), encoding="utf-8")


def render_card(model: Path, config: TrainingConfig, metrics: Mapping[str, Any], parent: str | None) -> str:
    """Render the card as Markdown."""
    return markdown_template("eops_traj.recipes", "model_card.md.jinja", trim_blocks=True).render(
        front_matter=_front_matter(config),
        name=config.output.name,
        checkpoint=checkpoint_hash(model),
        parent=parent,
        base=config.model,
        config=json.dumps(config.model_dump(mode="json"), indent=2, ensure_ascii=False),
        metrics=metrics,
    )


def _front_matter(config: TrainingConfig) -> str:
    """Render what the Hub reads: the library, the task, and the model that this one comes from, if named."""
    fields: dict[str, Any] = {
        "library_name": "peft" if config.lora else "transformers",
        "pipeline_tag": "text-generation",
        "tags": ["agents", "planning", "tool-use", "eops-traj", config.recipe],
    }
    if config.model and not Path(config.model).exists():
        fields["base_model"] = config.model
    return front_matter(fields)
