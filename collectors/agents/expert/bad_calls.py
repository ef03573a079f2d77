"""Calls that the fallible expert makes wrongly, and calls that it makes for nothing."""

from typing import Any

from eops_traj.collectors.agents.expert.executor import ExpertAttempt
from eops_traj.collectors.agents.expert.fabricated_values import STRANGERS, schema_of, whole_names
from eops_traj.hashing import canonical_json
from eops_traj.plan import Call
from eops_traj.schema import Json, ToolCall, json_of
from eops_traj.tool_effects import is_write

_PAGES = ("limit", "top", "$top", "pageSize", "page_size", "maxResults", "offset", "skip", "$skip")


def wrong_calls(work: ExpertAttempt, number: int) -> list[ToolCall]:
    """The call of a step as it must not be made, in every way that its tool is sure to refuse, by chance.

    Cut off in the middle always; without a required argument, or with an object in the place of a plain
    value, where there is one.
    """
    step, given = work.step(number), work.known_arguments(number)
    schema = schema_of(work.context, step.tool)
    place = f"call_{len(work.context.turns)}"
    cut = canonical_json(given)[: -1 - work.rng.randrange(4)] or "{"
    wrong = [ToolCall(id=f"{place}_c", name=step.tool, arguments=Json("{}"), raw=cut)]
    if required := [name for name in schema.get("required", ()) if name in given]:
        missing = work.rng.choice(required)
        rest = {name: value for name, value in given.items() if name != missing}
        wrong.append(ToolCall(id=f"{place}_m", name=step.tool, arguments=json_of(rest)))
    if plain := [name for name in given if _is_plain(schema, name)]:
        boxed = work.rng.choice(plain)
        box = given | {boxed: {"value": given[boxed]}}
        wrong.append(ToolCall(id=f"{place}_b", name=step.tool, arguments=json_of(box)))
    work.rng.shuffle(wrong)
    return wrong


def idle_calls(work: ExpertAttempt, number: int) -> list[Call]:
    """That many look-ups that lead to nothing: pages of what was seen, or people whom nobody knows."""
    paged: list[Call] = []
    named: list[Call] = []
    for n, step in work.plan.calls():
        if is_write(step.tool) or n not in work.results:
            continue
        given = work.known_arguments(n)
        taken = schema_of(work.context, step.tool).get("properties", {})
        pages = [page for page in _PAGES if page in taken and page not in given]
        paged += [Call(n, step.tool, given | {pages[0]: k}) for k in range(1, number + 1) if pages]
        named += [Call(n, step.tool, given | {a: s}) for a in whole_names(step) for s in STRANGERS]
    calls = paged if len(paged) >= number else named
    different = list({json_of([call.tool, call.arguments]): call for call in calls}.values())
    return work.rng.sample(different, number) if len(different) >= number else []


def _is_plain(schema: dict[str, Any], name: str) -> bool:
    return schema.get("properties", {}).get(name, {}).get("type") in ("string", "integer")
