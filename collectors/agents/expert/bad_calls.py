"""Calls that the fallible expert makes wrongly, and calls that serve no purpose."""

from typing import Any

from eops_traj.collectors.agents.expert.executor import ExpertAttempt
from eops_traj.collectors.agents.expert.fabricated_values import STRANGERS, schema_of, whole_names
from eops_traj.hashing import canonical_json
from eops_traj.plan import Call
from eops_traj.schema import Json, ToolCall, json_of
from eops_traj.tool_effects import is_write

_PAGES = ("limit", "top", "$top", "pageSize", "page_size", "maxResults", "offset", "skip", "$skip")


def wrong_calls(attempt: ExpertAttempt, number: int) -> list[ToolCall]:
    """Return wrong forms of a step's call, every way that its tool is sure to refuse, in random order.

    Cut off in the middle always; without a required argument, or with an object in the place of a plain
    value, where there is one.
    """
    step, arguments = attempt.step(number), attempt.known_arguments(number)
    schema = schema_of(attempt.context, step.tool)
    place = f"call_{len(attempt.context.turns)}"
    cut = canonical_json(arguments)[: -1 - attempt.rng.randrange(4)] or "{"
    calls = [ToolCall(id=f"{place}_c", name=step.tool, arguments=Json("{}"), raw=cut)]
    if required := [name for name in schema.get("required", ()) if name in arguments]:
        missing = attempt.rng.choice(required)
        rest = {name: value for name, value in arguments.items() if name != missing}
        calls.append(ToolCall(id=f"{place}_m", name=step.tool, arguments=json_of(rest)))
    if plain := [name for name in arguments if _is_plain(schema, name)]:
        boxed = attempt.rng.choice(plain)
        box = arguments | {boxed: {"value": arguments[boxed]}}
        calls.append(ToolCall(id=f"{place}_b", name=step.tool, arguments=json_of(box)))
    attempt.rng.shuffle(calls)
    return calls


def idle_calls(attempt: ExpertAttempt, number: int) -> list[Call]:
    """Return that many useless look-ups: further pages of results seen, or people who do not exist."""
    paged: list[Call] = []
    named: list[Call] = []
    for n, step in attempt.plan.calls():
        if is_write(step.tool) or n not in attempt.results:
            continue
        arguments = attempt.known_arguments(n)
        accepted = schema_of(attempt.context, step.tool).get("properties", {})
        pages = [page for page in _PAGES if page in accepted and page not in arguments]
        paged += [Call(n, step.tool, arguments | {pages[0]: k}) for k in range(1, number + 1) if pages]
        named += [Call(n, step.tool, arguments | {a: s}) for a in whole_names(step) for s in STRANGERS]
    calls = paged if len(paged) >= number else named
    different = list({json_of([call.tool, call.arguments]): call for call in calls}.values())
    return attempt.rng.sample(different, number) if len(different) >= number else []


def _is_plain(schema: dict[str, Any], name: str) -> bool:
    return schema.get("properties", {}).get(name, {}).get("type") in ("string", "integer")
