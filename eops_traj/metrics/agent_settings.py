"""Settings in which agents differ, by which tables and reports tell agents of one model apart."""

import json
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from eops_traj.hashing import digest
from eops_traj.metrics.conditions import SEED
from eops_traj.protocol import SETTING

NAMED_SETTINGS = 2
"""Settings that a name holds; agents that are alike in these have their hash in it besides."""
MAX_VALUE_LENGTH = 20
"""Characters of a setting's value that a name has room for."""

Settings = dict[str, Any]


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


def differing_settings(members: Sequence[Settings]) -> list[str]:
    """Return the settings in which agents differ, last those too long for a name: digests, most often."""
    paths = sorted({path for settings in members for path in settings} - {SETTING})
    differing = [p for p in paths if len({json.dumps(settings.get(p)) for settings in members}) > 1]
    return sorted(differing, key=lambda p: (any(len(str(s.get(p))) > MAX_VALUE_LENGTH for s in members), p))


def named_values(settings: Settings, paths: Sequence[str]) -> list[str]:
    """Name an agent's values of some settings: ``temperature 0.7``."""
    return [f"{path.rpartition('.')[2]} {_value(settings[path])}" for path in paths if path in settings]


def told_apart(texts: Iterable[str | None]) -> dict[str | None, str]:
    """Name each of some agents' settings (JSON) by what differs; nothing is said of one alone."""
    known = {text: flat_settings(text) or {} for text in texts}
    paths = differing_settings(list(known.values()))[:NAMED_SETTINGS]
    names = {text: ", ".join(named_values(settings, paths)) for text, settings in known.items()}
    taken = list(names.values())
    return {
        text: f"{name} #{digest(text)[:6]}".strip() if taken.count(name) > 1 else name
        for text, name in names.items()
    }


def without_seed(settings: str | None) -> str:
    """Return an agent's settings (JSON) without seeds: another seed is another sample of the same agent."""
    try:
        stated = json.loads(settings or "{}")
    except ValueError:
        return settings or "{}"
    return json.dumps(_seedless(stated), sort_keys=True)


def _seedless(value: Any) -> Any:
    if isinstance(value, dict):
        return {name: _seedless(part) for name, part in value.items() if name != SEED}
    return [_seedless(part) for part in value] if isinstance(value, list) else value


def _value(value: Any) -> str:
    """Format a setting's value for a name: of a long one, a digest most often, only the beginning."""
    text = str(value)
    return text if len(text) <= MAX_VALUE_LENGTH else text[:8]
