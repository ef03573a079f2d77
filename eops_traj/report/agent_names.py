"""Names of agents in a report: model and orchestrator, and the settings in which they differ."""

import json
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.agent_settings import (
    NAMED_SETTINGS,
    Settings,
    differing_settings,
    flat_settings,
    named_values,
)
from eops_traj.protocol import ROBUST, SETTING
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    import polars as pl

TRAIN_SUFFIX = " (train split)"
"""The end of an agent's name for its attempts at tasks to train on, where it attempted others too."""


def add_agent_names(makers: "pl.DataFrame", notes: list[str]) -> "pl.DataFrame":
    """Add each agent's name as ``agent``, and make its ``settings`` flat JSON objects.

    Attempts at tasks to train on (``trained``) stand apart from others: an agent may know those tasks.
    """
    import polars as pl

    agents = makers.unique("agent_hash", keep="first", maintain_order=True).sort("agent_hash")
    settings = {row["agent_hash"]: flat_settings(row["settings"]) for row in agents.iter_rows(named=True)}
    if unread := sum(flat is None for flat in settings.values()):
        notes.append(f"The settings of {unread} agents are no JSON object; they count as empty.")
    known = {agent: flat or {} for agent, flat in settings.items()}
    names, apart = _choose_names(agents.to_dicts(), known), not makers["trained"].all()
    rows = makers.select("agent_hash", "trained").iter_rows()
    return makers.with_columns(
        pl.Series("agent", [names[agent] + TRAIN_SUFFIX * (trained and apart) for agent, trained in rows]),
        pl.Series("settings", [json.dumps(known[agent], sort_keys=True) for agent in makers["agent_hash"]]),
    )


def _choose_names(agents: Sequence[Mapping[str, Any]], settings: Mapping[str, Settings]) -> dict[str, str]:
    """Choose a name for each agent, no two alike."""
    several = len({agent["orchestrator"] for agent in agents}) > 1
    groups: dict[str, list[str]] = defaultdict(list)
    for agent in agents:
        parts = dict.fromkeys((agent["model"], agent["orchestrator"])[: 1 + several])
        groups[", ".join(parts)].append(agent["agent_hash"])
    names = {}
    for name, members in groups.items():
        differing = differing_settings([settings[member] for member in members])
        for member in members:
            names[member] = _extended_name(name, settings[member], differing[:NAMED_SETTINGS])
    taken = list(names.values())
    return {agent: f"{n} #{agent[:6]}" if taken.count(n) > 1 else n for agent, n in names.items()}


def _extended_name(name: str, settings: Settings, paths: Sequence[str]) -> str:
    parts = named_values(settings, paths)
    protocol = settings.get(SETTING, ROBUST.name)
    parts += [] if protocol == ROBUST.name else [f"protocol {protocol}"]
    return visible(", ".join((name, *parts)))
