"""What agents are called in a report: by model and orchestrator, and by what else tells them apart."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

TOLD = 2
"""Settings that a name tells; agents that these do not tell apart go by their hash besides."""
TRAIN = " (train split)"
"""What an agent's name ends in for its attempts at tasks to train on, where it attempted others too."""

LONG = 20
"""Characters of a setting's value that a name has room for."""

Settings = dict[str, Any]


def agent_names(episodes: "pl.DataFrame", notes: list[str]) -> "pl.DataFrame":
    """The episodes with their agent's name in ``agent``, and its ``settings`` as flat JSON objects.

    Attempts at tasks of the train split stand apart from others: an agent may know those tasks.
    """
    import polars as pl

    agents = episodes.select("agent_hash", "model", "orchestrator", "settings").unique("agent_hash")
    settings = {row["agent_hash"]: flat_settings(row["settings"]) for row in agents.iter_rows(named=True)}
    if unread := sorted(agent for agent, found in settings.items() if found is None):
        notes.append(f"The settings of {len(unread)} agents are no JSON object; they count as empty.")
    known = {agent: found or {} for agent, found in settings.items()}
    names = _names(agents.sort("agent_hash").to_dicts(), known)
    split = pl.col("split").eq_missing("train")
    suffix = pl.when(split & ~split.all()).then(pl.lit(TRAIN)).otherwise(pl.lit(""))
    named = pl.col("agent_hash").replace_strict(names, return_dtype=pl.String)
    flat = pl.col("agent_hash").replace_strict(
        {agent: json.dumps(found, sort_keys=True) for agent, found in known.items()}, return_dtype=pl.String
    )
    return episodes.with_columns(agent=named + suffix, settings=flat)


def flat_settings(text: str | None) -> Settings | None:
    """An agent's settings by dotted path; None for a text that is no JSON object."""
    try:
        found = json.loads(text or "")
    except ValueError:
        return None
    return dict(_flat(found, "")) if isinstance(found, dict) else None


def _flat(value: Any, path: str) -> Iterator[tuple[str, Any]]:
    if isinstance(value, dict) and value:
        for name, part in value.items():
            yield from _flat(part, f"{path}.{name}" if path else name)
    else:
        yield path, value


def _names(agents: Sequence[Mapping[str, Any]], settings: Mapping[str, Settings]) -> dict[str, str]:
    """A name for each agent, no two alike."""
    several = len({agent["orchestrator"] for agent in agents}) > 1
    groups: dict[str, list[str]] = defaultdict(list)
    for agent in agents:
        parts = dict.fromkeys((agent["model"], agent["orchestrator"])[: 1 + several])
        groups[", ".join(parts)].append(agent["agent_hash"])
    names = {}
    for name, members in groups.items():
        differing = _differing([settings[member] for member in members])
        names.update({member: _told(name, settings[member], differing[:TOLD]) for member in members})
    return _apart(names)


def _differing(members: Sequence[Settings]) -> list[str]:
    """The settings in which agents differ: first those that say in words what they are."""
    paths = sorted({path for found in members for path in found})
    differing = [p for p in paths if len({json.dumps(found.get(p)) for found in members}) > 1]
    return sorted(differing, key=lambda path: (_opaque(members, path), path))


def _opaque(members: Sequence[Settings], path: str) -> bool:
    """Whether a setting has values too long for a name, digests most often, which tell a reader nothing."""
    return any(len(str(found.get(path))) > LONG for found in members)


def _told(name: str, settings: Settings, paths: Sequence[str]) -> str:
    parts = [f"{path.rpartition('.')[2]} {_value(settings[path])}" for path in paths if path in settings]
    return ", ".join((name, *parts))


def _value(value: Any) -> str:
    """A setting's value in a name: of a long one, a digest most often, how it begins."""
    text = str(value)
    return text if len(text) <= LONG else text[:8]


def _apart(names: Mapping[str, str]) -> dict[str, str]:
    taken = list(names.values())
    return {agent: f"{n} #{agent[:6]}" if taken.count(n) > 1 else n for agent, n in names.items()}
