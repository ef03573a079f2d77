"""What is to be published: everything that the dataset depends on."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eops_traj import __version__
from eops_traj.errors import InputError
from eops_traj.publish.licences import spdx
from eops_traj.publish.policy import DEFAULT, Policy, load_policy
from eops_traj.publish.split_export import EPISODES, exporter_of
from eops_traj.store.store import Store


@dataclass(frozen=True)
class Request:
    """A selection of a store, and what is to be made of it."""

    name: str
    """What the card calls the dataset: ``ORG/NAME`` on the Hub, else the folder's name."""
    selection: str
    store: str
    licence: str
    configs: tuple[str, ...] = (EPISODES,)
    tasks: str | None = None
    """The place of the tasks that hold the held-out ones; None for those that the runs name."""
    policy: str = DEFAULT
    model_licences: Mapping[str, str] = field(default_factory=dict)
    tokenizer: str | None = None
    held_out_ok: bool = False

    def check(self) -> None:
        """Raises InputError for a licence, policy or configuration that is none, or one asked for twice."""
        spdx(self.licence)
        load_policy(self.policy)
        for config in self.configs:
            exporter_of(config)
        if len(set(self.configs)) < len(self.configs):
            raise InputError(f"a configuration is asked for twice: {', '.join(self.configs)}")

    def permits(self) -> Policy:
        """The policy, with the licences that the caller vouches for."""
        return load_policy(self.policy).with_models(dict(self.model_licences))

    def depends_on(self) -> dict[str, Any]:
        """Everything that decides what is made, as plain values."""
        with Store.open(self.store) as store:
            chosen = store.selection(self.selection)
        own = {
            "store": self.store if "://" in self.store else str(Path(self.store).resolve()),
            "version": chosen.store_version,
            "made": chosen.created_at,
            "policy": self.permits().model_dump(mode="json"),
            "model_licences": dict(self.model_licences),
            "eops_traj": __version__,
        }
        return {**vars(self), **own}
