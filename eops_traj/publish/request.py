"""The request to publish: everything that the dataset depends on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eops_traj import __version__
from eops_traj.errors import InputError
from eops_traj.publish.attack_figures import AttackFigure, read_attacks
from eops_traj.publish.fingerprints import labels_digest, tasks_digest, tokenizer_digest
from eops_traj.publish.policy import DEFAULT, PublishPolicy, load_policy, to_spdx
from eops_traj.publish.quality_figures import TaskQualityFigures, read_quality
from eops_traj.publish.split_export import EPISODES, new_exporter
from eops_traj.store.store import Store


@dataclass(frozen=True)
class PublishRequest:
    """A selection of a store, and how to publish it."""

    name: str
    """The dataset's name on the card: ``ORG/NAME`` on the Hub, else the folder's name."""
    selection: str
    store: str
    licence: str
    configs: tuple[str, ...] = (EPISODES,)
    tasks: str | None = None
    """The place of the tasks that hold the held-out ones; None for those that the runs name."""
    policy: str = DEFAULT
    model_licences: Mapping[str, str] = field(default_factory=dict)
    task_licences: Mapping[str, str] = field(default_factory=dict)
    tokenizer: str | None = None
    held_out_ok: bool = False
    attacks: str | None = None
    """The file that ``tasks attack --json`` printed of the dataset's tasks, for the card."""
    quality: str | None = None
    """The file that ``tasks quality --json`` printed of them, for the card."""

    def check(self) -> None:
        """Raise InputError for an invalid licence, policy or configuration, or one asked for twice."""
        to_spdx(self.licence)
        load_policy(self.policy)
        for config in self.configs:
            new_exporter(config)
        self.attack_figures()
        self.task_quality()
        if len(set(self.configs)) < len(self.configs):
            raise InputError(f"a configuration is asked for twice: {', '.join(self.configs)}")

    def attack_figures(self) -> list[AttackFigure]:
        """Read the figures of the attacks on the tasks; none where no file is given."""
        return read_attacks(Path(self.attacks)) if self.attacks else []

    def task_quality(self) -> TaskQualityFigures:
        """Read the figures of the tasks' quality; none where no file is given."""
        return read_quality(Path(self.quality)) if self.quality else TaskQualityFigures()

    def effective_policy(self) -> PublishPolicy:
        """Load the policy, with the licences that the caller vouches for."""
        policy = load_policy(self.policy).with_models(dict(self.model_licences))
        return policy.with_tasks(dict(self.task_licences))

    def dependencies(self) -> dict[str, Any]:
        """Return everything that determines the dataset, as plain values."""
        with Store.open(self.store) as store:
            selection = store.selection(self.selection)
            tasks, labels = tasks_digest(self.tasks, store, selection), labels_digest(store)
        own = {
            "store": self.store if "://" in self.store else str(Path(self.store).resolve()),
            "version": selection.store_version,
            "made": selection.created_at,
            "policy": self.effective_policy().model_dump(mode="json"),
            "model_licences": dict(self.model_licences),
            "task_licences": dict(self.task_licences),
            "eops_traj": __version__,
            "attack_figures": [vars(figure) for figure in self.attack_figures()],
            "task_quality": self.task_quality().plain(),
            "tasks": tasks,
            "labels": labels,
            "tokenizer": self.tokenizer and tokenizer_digest(self.tokenizer),
        }
        return {**vars(self), **own}
