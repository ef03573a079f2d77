"""The conditions of a comparison: where two sides were not asked alike, which no statistic can tell.

What is compared are agents' settings, and the kinds of clients that the records of runs name. A model's name,
checkpoint and adapter are what a comparison is about; all else that differs is one of these:

- ``sampling``: temperature, top-p, penalties, and other fields of a request;
- ``cap``: the most tokens of a reply or a conversation, and the limits of an attempt;
- ``prompt``: the orchestrator, its prompts, what a planner is shown, and the chat template;
- ``engine``: what generated (the kind of client, precision, parsers), and the sandbox;
- ``executor``: the model that followed a planner's plans.
"""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

NOT_GIVEN = "not given"
CAPS = frozenset({"max_tokens", "max_model_len"})
PROMPTS = frozenset({"chat_template", "chat_template_kwargs", "send_reasoning", "tool_dialect"})
ENGINES = frozenset({"kind", "dtype", "family", "tool_parser", "reasoning_parser", "args"})
IDENTITY = frozenset({"model", "checkpoint", "base", "replies"})
"""What a model is: that it differs is why one compares."""
SEED = "seed"
"""Another seed is another sample of the same thing."""
MAY_BE_UNKNOWN = frozenset({"chat_template", "kind"})
"""Settings that episodes of other machines and older versions do not tell."""
TOKENS = "max_completion_tokens"
"""The newer name of ``max_tokens``."""


@dataclass(frozen=True)
class UnlikeSetting:
    """A setting in which the sides differ: what it belongs to, its name, and the values of both."""

    about: str
    setting: str
    base: str
    new: str

    def __str__(self) -> str:
        return f"{self.about}: {self.setting} is {self.base} on one side, {self.new} on the other"


def unlike_settings(
    base: Iterable[Mapping[str, Any]], new: Iterable[Mapping[str, Any]]
) -> tuple[UnlikeSetting, ...]:
    """Return where two sides differ, by what it belongs to; a side is its agents' conditions.

    A setting that some agents of a side lack is among its values as not given.
    """
    sides = [_values(side) for side in (base, new)]
    unlike = []
    for setting in sorted(sides[0].keys() | sides[1].keys()):
        if (about := _about(setting, sides)) is None:
            continue
        values = [side.get(setting, {NOT_GIVEN}) for side in sides]
        if setting.rpartition(".")[2] in MAY_BE_UNKNOWN:
            values = [side - {NOT_GIVEN} for side in values]
        if values[0] != values[1] and all(values):
            unlike.append(UnlikeSetting(about, setting, *(" or ".join(sorted(side)) for side in values)))
    return tuple(sorted(unlike, key=lambda each: (each.about, each.setting)))


def agents_conditions(episodes: "pl.DataFrame", runs: "pl.DataFrame | None" = None) -> list[dict[str, Any]]:
    """Return the conditions of each agent among episodes; ``runs`` are the records of their runs."""
    kinds = {} if runs is None else _client_kinds(runs)
    agents = episodes.select("run_id", "orchestrator", "settings").unique()
    return [
        agent_conditions(settings, name, kinds.get(run, {})) for run, name, settings in agents.iter_rows()
    ]


def agent_conditions(settings: str, orchestrator: str, kinds: Mapping[str, str]) -> dict[str, Any]:
    """Return the conditions of an agent: its settings (JSON), orchestrator, and kinds of clients by role."""
    stated = _object(settings)
    models = {
        role: {**_object(model), **({"kind": kinds[role]} if role in kinds else {})}
        for role, model in _object(stated.get("models")).items()
    }
    return {**stated, "models": models, "agent": orchestrator}


def _client_kinds(runs: "pl.DataFrame") -> dict[str, dict[str, str]]:
    """Return the kind of client of every role that a run's record names, by run."""
    found = {}
    for run_id, config in runs.select("run_id", "config").iter_rows():
        models = _object(_object(config).get("models"))
        named = {role: _object(model).get("kind") for role, model in models.items()}
        found[run_id] = {role: str(kind) for role, kind in named.items() if kind}
    return found


def _values(side: Iterable[Mapping[str, Any]]) -> dict[str, set[str]]:
    """Collect the values of every setting on a side, as JSON."""
    agents = [_agent_values(settings) for settings in side]
    names = set().union(*agents)
    return {name: set().union(*(agent.get(name, {NOT_GIVEN}) for agent in agents)) for name in names}


def _agent_values(settings: Mapping[str, Any]) -> dict[str, set[str]]:
    """Collect the values of every setting of an agent; a pool may have several."""
    values: dict[str, set[str]] = {}
    for name, value in _leaves(settings):
        values.setdefault(name, set()).add(json.dumps(value, ensure_ascii=False, sort_keys=True))
    return values


def _leaves(settings: Mapping[str, Any], prefix: str = "") -> Iterator[tuple[str, Any]]:
    """Yield every value among settings with its dotted name."""
    for name, value in settings.items():
        if isinstance(value, dict) and value:
            yield from _leaves(value, f"{prefix}{name}.")
        elif isinstance(value, list) and value and all(isinstance(part, dict) for part in value):
            for part in value:  # the members of a pool
                yield from _leaves(part, f"{prefix}{name}.")
        else:
            yield prefix + ("max_tokens" if name == TOKENS else name), value


def _about(setting: str, sides: list[dict[str, set[str]]]) -> str | None:
    """Return what a setting belongs to; None for what models are, and what protocols are."""
    group, *path = setting.split(".")
    if group != "models":
        return {"limits": "cap", "orchestrator": "prompt", "agent": "prompt", "sandbox": "engine"}.get(group)
    if len(path) < 2 or path[-1] == SEED:
        return None
    role, words = path[0], set(path[1:])
    if words & IDENTITY:
        planned = all(any(name.startswith("models.planner.") for name in side) for side in sides)
        return "executor" if planned and role == "executor" else None
    kinds = {"cap": CAPS, "prompt": PROMPTS, "engine": ENGINES}
    return next((about for about, names in kinds.items() if words & names), "sampling")


def _object(value: Any) -> dict[str, Any]:
    """Return a value, or the JSON of a text, where it is an object; an empty one otherwise."""
    if isinstance(value, str):
        try:
            value = json.loads(value)
        except ValueError:
            return {}
    return value if isinstance(value, dict) else {}
