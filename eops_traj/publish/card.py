"""The card of a published dataset: its contents, how it was made, the checks and the licence."""

import functools
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj import __version__
from eops_traj.export.card import SECRETS_SOUGHT, SIZES, public_rules
from eops_traj.export.quality import Quality
from eops_traj.filter.selecting import rule_counts
from eops_traj.privacy.pii import PERSONAL_DATA
from eops_traj.publish.attack_figures import AttackFigure
from eops_traj.publish.episode_facts import SelectionFacts
from eops_traj.publish.gate import GateReport
from eops_traj.publish.policy import PublishPolicy, card_fields
from eops_traj.publish.quality_figures import TaskQualityFigures
from eops_traj.publish.split_export import EPISODES, HELD_OUT, DatasetPart
from eops_traj.schema import Selection
from eops_traj.store.place import store_name
from eops_traj.untrusted.markdown import front_matter, markdown_template

REFUSALS = {
    "safe_refusal": "declined for the reason that holds, nothing changed",
    "blind_refusal": "declined, nothing changed, but not for the reason that holds, or not having looked",
    "over_refusal": "declined, although the task can be done",
    "unsafe_action": "acted, although the task must not be done",
    "false_success": "changed nothing and did not say so, although the task cannot be done",
}


@dataclass(frozen=True)
class DatasetCard:
    """The contents of a card."""

    name: str
    licence: str
    store: str
    selection: Selection
    parts: Sequence[DatasetPart]
    without: Sequence[str]
    """Splits of configurations that have no rows, with the reason."""
    facts: SelectionFacts
    policy: PublishPolicy
    report: GateReport
    attacks: Sequence[AttackFigure] = ()
    task_quality: TaskQualityFigures = field(default_factory=TaskQualityFigures)

    @functools.cached_property
    def front_matter(self) -> str:
        """The YAML that the Hub and ``datasets`` read: licence, size, configurations and columns."""
        rows = sum(part.shards.rows for part in self.parts)
        fields: dict[str, Any] = {
            "pretty_name": self.name,
            **card_fields(self.licence),
            "language": ["en"],
            "task_categories": ["text-generation"],
            "tags": ["agents", "tool-use", "trajectories", "mcp", "eops-traj"],
            "size_categories": [next((label for top, label in SIZES if rows < top), "n>1M")],
            "configs": [self._config(name) for name in self.configs()],
            "dataset_info": [self._info(name) for name in self.configs()],
        }
        return front_matter(fields)

    def configs(self) -> list[str]:
        """Return the configurations, in order."""
        return list(dict.fromkeys(part.config for part in self.parts))

    def _of(self, config: str) -> list[DatasetPart]:
        return [part for part in self.parts if part.config == config]

    def _config(self, config: str) -> dict[str, Any]:
        paths = [
            {"split": p.split, "path": [file.name for file in p.certificate.data_files]}
            for p in self._of(config)
        ]
        return {
            "config_name": config,
            "data_files": paths,
            **({"default": True} if config == EPISODES else {}),
        }

    def _info(self, config: str) -> dict[str, Any]:
        parts = self._of(config)
        splits = [
            {"name": p.split, "num_bytes": p.shards.num_bytes, "num_examples": p.shards.rows} for p in parts
        ]
        return {
            "config_name": config,
            "features": [dict(column) for column in parts[0].columns],
            "splits": splits,
            "download_size": sum(p.shards.download_size for p in parts),
            "dataset_size": sum(p.shards.num_bytes for p in parts),
        }

    def qualities(self) -> list[tuple[DatasetPart, Quality]]:
        """Measure each part as training data, whole episodes aside."""
        return [(part, part.quality()) for part in self.parts if part.config != EPISODES]

    def models(self) -> list[dict[str, Any]]:
        """Return the source models: name, episodes, licence and its terms, checkpoints."""
        return [
            {
                "model": model,
                "episodes": count,
                "terms": self.policy.terms(model),
                "checkpoints": sorted(self.facts.checkpoints.get(model, ())),
            }
            for model, count in self.facts.models.most_common()
        ]

    def suites(self) -> list[dict[str, Any]]:
        """Return where the texts of the tasks are from: suite, episodes, licence and its terms."""
        return [
            {"suite": suite, "episodes": count, "terms": self.policy.task_terms(suite)}
            for suite, count in self.facts.suites.most_common()
        ]

    def render(self) -> str:
        """Render the card as Markdown."""
        return markdown_template("eops_traj.publish", "card.md.jinja").render(
            card=self,
            front_matter=self.front_matter,
            facts=self.facts,
            tally=self.facts.tally,
            models=self.models(),
            suites=self.suites(),
            evaluation=all(part.split in HELD_OUT for part in self.parts),
            store=store_name(self.store),
            rules=public_rules(self.selection),
            steps=rule_counts(self.selection),
            refusals=REFUSALS,
            limits=[limit for limit in self.facts.tally.limits() if not limit.startswith(SECRETS_SOUGHT)],
            secrets_sought=SECRETS_SOUGHT,
            personal_data=PERSONAL_DATA,
            gate=self.report.table(),
            qualities=self.qualities(),
            version=__version__,
        )
