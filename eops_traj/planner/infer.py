"""Plans read off episodes: the calls that were made, with what came from earlier results as references.

Where the task can be opened here, the plan is run: it has to come to what the episode came to. Where it does
not, references become literals again, as few as it takes, until it does.
"""

import json
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from eops_traj.errors import InputError, UnknownName
from eops_traj.gym import registry
from eops_traj.plan import Plan, Step, render
from eops_traj.planner.mentioned_values import Told
from eops_traj.planner.plan_check import prove
from eops_traj.planner.reasons import because, refused
from eops_traj.planner.reference_linker import Linker
from eops_traj.planner.repair import mended
from eops_traj.schema import Episode, ToolCall
from eops_traj.tasks.from_episode import task_of_episode
from eops_traj.tool_effects import is_write, succeeded

DECLINED = frozenset({"safe_refusal", "over_refusal"})


def inferred(
    episode: Episode, system_prompt: str = "", tools: Sequence[Mapping[str, Any]] = (),
    root: Path | None = None,
) -> Plan | None:  # fmt: skip
    """The plan that an episode followed; it comes to the same outcome where it is run.

    ``tools`` are those shown, in the function format; without them and the system prompt, the gym's own tools
    and pages stand in. None for an episode that failed to run, or neither called nor declined; and where even
    the literal calls come to something else. Where the task cannot be opened here (no seed, a server that the
    gym lacks) the plan is as it was read off, and proven by nobody.
    """
    if episode.error is not None:
        return None
    if episode.outcome in DECLINED:
        return Plan(refusal=refused(episode.response))
    calls = kept(episode)
    if not calls:
        return None
    schemas = _schemas(episode, tools)
    literal = Plan(tuple(Step(c.name, _arguments(c, schemas.get(c.name)), reason) for c, reason in calls))
    told = Told(episode.user_prompt, system_prompt or _pages(episode))
    linker = Linker(told, schemas)
    linked = [
        linker.link(number, call, step.arguments)
        for number, ((call, _), (_, step)) in enumerate(zip(calls, literal.calls(), strict=True), 1)
    ]
    return mended(literal, linked, _check(episode, root))


def kept(episode: Episode) -> list[tuple[ToolCall, str]]:
    """The calls that a plan of the episode makes, each with its reason.

    Calls that failed are left out, and look-ups made again with the same result.
    """
    found: list[tuple[ToolCall, str]] = []
    seen = set[tuple[str, str, str | None]]()
    for turn in episode.turns:
        reason = because(turn.text)
        for call in turn.tool_calls:
            made = (call.name, call.arguments, call.result)
            again = made in seen and not call.changes and not is_write(call.name)
            if call.result is not None and succeeded(call) and not again:
                found.append((call, reason))
                reason = ""
            seen.add(made)
    return found


def _arguments(call: ToolCall, schema: Mapping[str, Any] | None) -> dict[str, Any]:
    """The arguments of a call in the order in which the tool's schema has them; stored they are sorted."""
    given = json.loads(call.arguments)
    order = list((schema or {}).get("properties") or ())
    return {
        name: given[name]
        for name in [*(n for n in order if n in given), *(n for n in given if n not in order)]
    }


def _check(episode: Episode, root: Path | None) -> Callable[[Plan], bool]:
    """Whether a plan comes to what the episode came to; any does where its task cannot be opened here."""
    task = task_of_episode(episode)

    def same(plan: Plan) -> bool:
        try:
            return prove(render(plan), task, root).outcome == episode.outcome
        except InputError:
            return True

    return same


def _servers(episode: Episode) -> Iterator[Any]:
    """The gym's own servers among those of an episode."""
    for server in episode.servers:
        try:
            yield registry.server(server.name)
        except UnknownName:
            continue


def _pages(episode: Episode) -> str:
    return "\n\n".join(server.policy for server in _servers(episode))


def _schemas(episode: Episode, tools: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """The schemas of the tools' arguments, by the tools' names."""
    if tools:
        return {tool["function"]["name"]: tool["function"].get("parameters") for tool in tools}
    return {tool.name: tool.input_schema for server in _servers(episode) for tool in server.tools.values()}
