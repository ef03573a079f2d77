"""Values that the fallible expert passes where it does not know: fabricated ones, and those of others."""

import re
import string
from collections.abc import Callable, Iterator, Mapping
from itertools import count
from random import Random
from typing import Any

from eops_traj.collect.orchestrator import AgentContext
from eops_traj.plan import Function, Ref, Step, Text, Unresolved, resolve, resolve_ref, rewrite

_FIRST = ("Aurelia", "Benno", "Cosima", "Dagobert", "Elfrieda", "Fridolin", "Gisela", "Hartmut", "Isolde")
_LAST = ("Zwickenpflug", "Quastenhuber", "Xylander", "Ypsilanti", "Wrzesniok", "Vogtsberger")
STRANGERS = tuple(f"{first} {last}" for last in _LAST for first in _FIRST)
"""People whom no company knows."""


def fill_references(value: Any, of: Callable[[Ref], Any]) -> Any:
    """Return an argument with its references filled in by ``of``."""
    match value:
        case Ref():
            return of(value)
        case Text(parts=parts):
            return "".join(part if isinstance(part, str) else str(of(part)) for part in parts)
        case Function():
            return _computed(rewrite(value, of))
        case dict():
            return {name: fill_references(inner, of) for name, inner in value.items()}
        case list():
            return [fill_references(inner, of) for inner in value]
    return value


def _computed(value: Any) -> Any:
    """Compute a function of made-up values; where they do not have its form, return the first of them."""
    try:
        return resolve(value, {})
    except Unresolved:
        return _computed(value.arguments[0]) if isinstance(value, Function) else value


def values_of(key: str, result: Any) -> Iterator[Any]:
    """Yield every value that stands under this key, anywhere in a result."""
    if isinstance(result, Mapping):
        if isinstance(result.get(key), str | int):
            yield result[key]
        for inner in result.values():
            yield from values_of(key, inner)
    elif isinstance(result, list):
        for inner in result:
            yield from values_of(key, inner)


def is_identifier(name: str) -> bool:
    """Check whether an argument or a field is named as an identifier: ``case_id``, ``teamId``, ``ids``."""
    return bool(re.search(r"(?:^|_)ids?$|[a-z]Ids?$", name))


def identifiers(step: Step) -> dict[str, Ref]:
    """Return the identifiers that a step takes from earlier results, by argument."""
    return {n: v for n, v in step.arguments.items() if isinstance(v, Ref) and is_identifier(n)}


def whole_names(step: Step) -> dict[str, str]:
    """Return the arguments of a step that read as a person's name: two or three words, letters only."""
    name = re.compile(r"[^\W\d_]+(?: [^\W\d_]+){1,2}")
    return {n: v for n, v in step.arguments.items() if isinstance(v, str) and name.fullmatch(v)}


def similar_values(ref: Ref, results: Mapping[int, Any]) -> list[Any]:
    """Return other values in the results under the field that a reference ends in."""
    key = next((part for part in reversed(ref.path) if isinstance(part, str)), None)
    try:
        meant = resolve_ref(ref, results)
    except Unresolved:
        return []
    values = dict.fromkeys(values_of(key, list(results.values()))) if key else {}
    return [value for value in values if value != meant and type(value) is type(meant)]


def schema_of(context: AgentContext, tool: str) -> dict[str, Any]:
    """Return the schema of a tool's arguments, as it is shown; empty for a tool that is not."""
    functions = (t["function"] for t in context.tools)
    schema: dict[str, Any] = next((f.get("parameters") or {} for f in functions if f["name"] == tool), {})
    return schema


def fabricate(
    rng: Random, context: AgentContext, results: Mapping[int, Any], tool: str, argument: str, ref: Ref
) -> Any:
    """Fabricate a value for an argument, in the place of a reference: one that no one has shown.

    Where the tool names the choices it is one of them, which may have been shown.
    """
    schema = schema_of(context, tool).get("properties", {}).get(argument, {})
    if choices := [choice for choice in schema.get("enum") or () if choice is not None]:
        return rng.choice(choices)
    key = next((part for part in reversed(ref.path) if isinstance(part, str)), argument)
    if "mail" in key.lower():
        return f"{rng.choice(STRANGERS).lower().replace(' ', '.')}@corvane.example"
    pattern = next(values_of(key, list(results.values())), None)
    seen, number = _seen(context), isinstance(pattern, int) or _is_number(schema)
    for tries in count(1):
        made_up = rng.randrange(400 * tries) + 1 if number else _text(rng, pattern, argument, tries)
        if not set(re.findall(r"\w+", str(made_up).lower())) <= seen:
            return made_up
    raise AssertionError("numbers do not run out")


def _is_number(schema: Mapping[str, Any]) -> bool:
    return any(kind.get("type") == "integer" for kind in (schema, *schema.get("anyOf", ())))


def _text(rng: Random, pattern: str | None, argument: str, tries: int) -> str:
    """Make a text of the pattern's form; where there is none, or it leaves no choice, one with a number."""
    if pattern and tries < 10:
        return "".join(_character(rng, c) for c in pattern)
    return f"{re.sub('_?[iI]ds?$', '', argument)}-{rng.randrange(1000 * tries):04d}"


def _character(rng: Random, character: str) -> str:
    if character.isdigit():
        return rng.choice(string.digits)
    return rng.choice("abcdef") if character in "abcdef" else character


def _seen(context: AgentContext) -> set[str]:
    """Return every word that policy, request, the caller's context and the results have shown."""
    texts = [
        context.task.system_prompt,
        context.task.user_prompt,
        *(server.context for server in context.task.servers),
    ]
    texts += [call.result or "" for turn in context.turns for call in turn.tool_calls]
    return {word for text in texts for word in re.findall(r"\w+", text.lower())}
