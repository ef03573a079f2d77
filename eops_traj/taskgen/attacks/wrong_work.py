"""Wrong work on feasible tasks: arguments changed, left out or added, so that another state comes of it.

Besides it, what leaves no state behind and was seen all the same: mail that is sent and then removed.
"""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

from eops_traj.gym import registry
from eops_traj.plan import Call
from eops_traj.taskgen.attacks.arena import Arena, refused
from eops_traj.taskgen.attacks.attempt import Attempt, there_and_back, with_arguments
from eops_traj.taskgen.attacks.kinds import Try
from eops_traj.taskgen.attacks.plausible import new_values, other_values
from eops_traj.taskgen.told import normalize

Arguments = dict[str, Any]
_NO_TRACE = "no trace"
_HARMLESS = "harmless"


@dataclass(frozen=True)
class Mutant:
    """A write with other arguments than the plan's."""

    call: Call
    arguments: Arguments
    what: str


def value_changed(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Change one value of a write: another choice, the opposite, a lookalike, the day after."""
    mutants = []
    for call in arena.writes:
        for path, value, schema in _leaves(call.arguments, arena.properties(call.tool)):
            if not is_prose(value, arena.told(call.number)):
                for other in other_values(str(path[-1]), value, schema, arena.databases):
                    changed = _replaced(call.arguments, path, other)
                    mutants.append(Mutant(call, changed, f"{_dotted(path)}={other!r}"))
    return _tries(arena, mutants)


def argument_left_out(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Leave out one argument of a write that its tool does not require."""
    mutants = []
    for call in arena.writes:
        required = arena.schema(call.tool).get("required", ())
        for name in call.arguments:
            if name not in required:
                rest = {key: value for key, value in call.arguments.items() if key != name}
                mutants.append(Mutant(call, rest, f"without {name}"))
    return _tries(arena, mutants)


def argument_added(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Add an argument to a write that nobody asked for."""
    return _tries(
        arena,
        [
            Mutant(call, {**call.arguments, name: value}, f"with {name}={value!r}")
            for call in arena.writes
            for name, schema in arena.properties(call.tool).items()
            if name not in call.arguments
            for value in new_values(name, schema, arena.databases)
        ],
    )


def words_lost(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Put "x" in the place of a text that tells something which the request gave: names, numbers, dates."""
    mutants = []
    for call in arena.writes:
        for path, value, _ in _leaves(call.arguments, {}):
            prose = is_prose(value, arena.told(call.number))
            if prose and _facts(value) & _facts(arena.trial.task.user_prompt):
                mutants.append(Mutant(call, _replaced(call.arguments, path, "x"), f"{_dotted(path)}='x'"))
    return _tries(arena, mutants)


def sent_and_removed(arena: Arena, reasons: Sequence[str]) -> Iterator[Try]:
    """Do all of the work, and beside it send, post or share something of which the row is removed again."""
    gold, answer = arena.gold, arena.answer(arena.gold)
    for server in map(registry.server, arena.servers):
        for name, tool in server.tools.items():
            if tool.outward is not None and tool.table:
                calls = (*gold.calls, *there_and_back(server.gym_name, tool.table.name, name))
                yield Try(name, arena.trial.passes(gold.session, calls, answer))


def _tries(arena: Arena, mutants: Sequence[Mutant]) -> Iterator[Try]:
    """Yield the attempts with these mutants, in an order by chance, but for those that are refused."""
    for mutant in arena.trial.rng.sample(mutants, len(mutants)):
        made = arena.play(with_arguments(mutant.call.number, mutant.arguments))
        try:
            if not refused(made):
                free = _free(arena, made, mutant)
                yield Try(f"{mutant.call.tool} {mutant.what}", arena.passes(made), free)
        finally:
            made.session.close()


def _free(arena: Arena, made: Attempt, mutant: Mutant) -> str:
    """Return why an attempt may pass: it left the right state, or one that differs in harmless columns."""
    if arena.state(made) == arena.gold_state:
        return "" if _acts_outside(arena, mutant) else _NO_TRACE
    return _HARMLESS if arena.state(made, harmless=False) == arena.state(arena.gold, harmless=False) else ""


def _acts_outside(arena: Arena, mutant: Mutant) -> bool:
    """Check whether an argument that differs is one of those that act outside of the tables."""
    before, after = mutant.call.arguments, mutant.arguments
    effects = arena.effects(mutant.call.tool).items()
    return any(_as_text(before.get(n, default)) != _as_text(after.get(n, default)) for n, default in effects)


def _as_text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


Path = tuple[str | int, ...]


def _leaves(value: Any, properties: Any, path: Path = ()) -> Iterator[tuple[Path, Any, dict[str, Any]]]:
    """Yield each single value inside arguments with its path and, where it is known, its schema."""
    if isinstance(value, dict):
        for name, inner in value.items():
            schema = (properties or {}).get(name) or {}
            nested = schema.get("properties") if isinstance(inner, dict) else schema
            yield from _leaves(inner, nested, (*path, name))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            items = (properties or {}).get("items") or {}
            nested = items.get("properties") if isinstance(inner, dict) else items
            yield from _leaves(inner, nested, (*path, index))
    elif value is not None:
        yield path, value, properties or {}


def _replaced(arguments: Any, path: Path, value: Any) -> Any:
    copy = json.loads(json.dumps(arguments))
    at = copy
    for part in path[:-1]:
        at = at[part]
    at[path[-1]] = value
    return copy


def _dotted(path: Path) -> str:
    return ".".join(map(str, path))


def is_prose(value: Any, told: str) -> bool:
    """Check whether a value is a text that the agent words itself: some words, not told, not put together."""
    if not isinstance(value, str) or len(value.split()) < 3:
        return False
    known = normalize(told)
    return not all(normalize(part) in known for part in value.split(": "))


def _facts(text: str) -> set[str]:
    """Return the names and numbers of a text."""
    return set(re.findall(r"\b(?:[A-Z][a-z]{2,}|\w*\d\w*)\b", text)) - _STARTS


_STARTS = {"Please", "The", "This", "That", "You", "Your", "Hello", "Dear", "Thank", "Thanks", "From", "For"}


def reworded(arena: Arena, change: Callable[[str], str], call: Call) -> Arguments:
    """Return a call's arguments with each text that the agent words itself changed."""
    arguments = call.arguments
    for path, value, _ in _leaves(arguments, {}):
        if is_prose(value, arena.told(call.number)):
            arguments = _replaced(arguments, path, change(value))
    return dict(arguments)
