"""Names of agents in a report: model and orchestrator, and the settings in which they differ."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.protocol import ROBUST, SETTING
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    import polars as pl

NAMED_SETTINGS = 2
"""Settings that a name holds; agents that are alike in these have their hash in it besides."""
TRAIN_SUFFIX = " (train split)"
"""The end of an agent's name for its attempts at tasks to train on, where it attempted others too."""

MAX_VALUE_LENGTH = 20
"""Characters of a setting's value that a name has room for."""

Settings = dict[str, Any]


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


def flat_settings(text: str | None) -> Settings | None:
    """Return an agent's settings by dotted path; None for a text that is no JSON object."""
    try:
        settings = json.loads(text or "")
    except ValueError:
        return None
    return dict(_flatten(settings, "")) if isinstance(settings, dict) else None


def _flatten(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from _flatten(part, f"{path}.{name}" if path else name)
    else:
        yield path, value


def _choose_names(agents: Sequence[Mapping[str, Any]], settings: Mapping[str, Settings]) -> dict[str, str]:
    """Choose a name for each agent, no two alike."""
    several = len({agent["orchestrator"] for agent in agents}) > 1
    groups: dict[str, list[str]] = defaultdict(list)
    for agent in agents:
        parts = dict.fromkeys((agent["model"], agent["orchestrator"])[: 1 + several])
        groups[", ".join(parts)].append(agent["agent_hash"])
    names = {}
    for name, members in groups.items():
        differing = _differing_settings([settings[member] for member in members])
        for member in members:
            names[member] = _extended_name(name, settings[member], differing[:NAMED_SETTINGS])
    taken = list(names.values())
    return {agent: f"{n} #{agent[:6]}" if taken.count(n) > 1 else n for agent, n in names.items()}


def _differing_settings(members: Sequence[Settings]) -> list[str]:
    """Return the settings in which agents differ, last those too long for a name: digests, most often."""
    paths = sorted({path for settings in members for path in settings} - {SETTING})
    differing = [p for p in paths if len({json.dumps(settings.get(p)) for settings in members}) > 1]
    return sorted(differing, key=lambda p: (any(len(str(s.get(p))) > MAX_VALUE_LENGTH for s in members), p))


def _extended_name(name: str, settings: Settings, paths: Sequence[str]) -> str:
    parts = [f"{path.rpartition('.')[2]} {_value(settings[path])}" for path in paths if path in settings]
    protocol = settings.get(SETTING, ROBUST.name)
    parts += [] if protocol == ROBUST.name else [f"protocol {protocol}"]
    return visible(", ".join((name, *parts)))


def _value(value: Any) -> str:
    """Format a setting's value for a name: of a long one, a digest most often, only the beginning."""
    text = str(value)
    return text if len(text) <= MAX_VALUE_LENGTH else text[:8]
