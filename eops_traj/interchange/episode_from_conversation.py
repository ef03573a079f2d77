"""An episode out of a foreign conversation: whose, of what task, and that nobody verified it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.bundle import EpisodeBundle, build_episode, build_run
from eops_traj.hashing import canonical_json, digest
from eops_traj.interchange.conversation import Conversation
from eops_traj.schema import UNVERIFIED, Agent, Json, Prompt, Run, Task, ToolCall, ToolSet, Turn
from eops_traj.verify.failure_modes import diagnose

UNKNOWN = "unknown"


@dataclass(frozen=True)
class Told:
    """What a foreign record says besides its conversation.

    ``tools`` are MCP tools, None where the record lists none; ``details`` is what an episode has no field
    for; ``content`` is the whole of the record, which tells one episode from another; ``totals`` are tokens
    and cost of the whole, where they are told of it alone.
    """

    format: str
    content: Any
    tools: list[dict[str, Any]] | None = None
    model: str = UNKNOWN
    orchestrator: str = UNKNOWN
    settings: Mapping[str, Any] = field(default_factory=dict)
    details: Mapping[str, Any] = field(default_factory=dict)
    task_id: str | None = None
    attempt: int = 1
    started_at: str | None = None
    totals: Mapping[str, Any] = field(default_factory=dict)


def foreign(said: Conversation, told: Told) -> EpisodeBundle:
    """The episode of a conversation, its labels unknown: no verifier of ours looked at what it did."""
    agent = _agent(told)
    task, toolset = _task(said, told), _toolset(said, told)
    run = _run(told, agent)
    episode = build_episode(
        task,
        agent,
        said.turns,
        toolset,
        episode_id=digest(told.format, told.content),
        attempt=told.attempt,
        run_id=run.run_id,
        source=told.format,
        stop_reason=_stop_reason(said.turns),
        verdicts=(),
        success_parity=None,
        success_strict=None,
        verifier_pass_parity=None,
        verifier_pass_strict=None,
        outcome=UNVERIFIED,
        started_at=told.started_at,
        details=_details(said, told),
        **told.totals,
    )
    return EpisodeBundle(episode, Prompt.of(said.system_prompt), toolset, run)


def diagnosed(found: EpisodeBundle) -> EpisodeBundle:
    """The same with the failure modes that its turns show."""
    modes = dict.fromkeys(finding.mode for finding in diagnose(found.episode, found.prompt.text))
    return replace(found, episode=replace(found.episode, failure_modes=tuple(modes)))


def _agent(told: Told) -> Agent:
    settings = Json(canonical_json(dict(told.settings)))
    return Agent(model=told.model, orchestrator=told.orchestrator, settings=settings)


def _task(said: Conversation, told: Told) -> Task:
    """The task as the conversation shows it; where none is named, its words are its name."""
    request = said.request or ""
    return Task(
        task_id=told.task_id or "task_" + digest(said.system_prompt, request),
        domain=UNKNOWN,
        mode=UNKNOWN,
        suite=told.format,
        system_prompt=said.system_prompt,
        user_prompt=request,
        servers=(),
    )


def _toolset(said: Conversation, told: Told) -> ToolSet:
    """The tools listed, or what the calls show of them."""
    if told.tools is not None:
        return ToolSet.of(told.tools)
    calls = [call for turn in said.turns for call in turn.tool_calls]
    return ToolSet.of([observed(name, calls) for name in dict.fromkeys(c.name for c in calls)], "observed")


def _run(told: Told, agent: Agent) -> Run:
    """The run: such files name none, so that one agent in files of one format is one."""
    config = {"source": told.format, "model": agent.model, "orchestrator": agent.orchestrator}
    return build_run("import", config)


def _stop_reason(turns: Sequence[Turn]) -> str:
    """How it ended, as far as the last reply tells."""
    if turns and turns[-1].finish_reason == "length":
        return "max_tokens"
    return "max_turns" if turns and turns[-1].tool_calls else "completed"


def _details(said: Conversation, told: Told) -> Json:
    """What no field holds, under the format's name."""
    left = {**told.details, "aside": said.left_over()}
    kept = {name: value for name, value in left.items() if value not in (None, [], {}, "")}
    return Json(canonical_json({told.format: kept} if kept else {}))


def observed(name: str, calls: Iterable[ToolCall]) -> dict[str, Any]:
    """A declaration of a tool known only from its calls: the arguments seen, with the types seen."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    properties: dict[str, Any] = {}
    for call in calls:
        if call.name == name:
            for key, value in json.loads(call.arguments).items():
                properties.setdefault(key, {"type": names[type(value)]} if value is not None else {})
    return {"name": name, "description": "", "inputSchema": {"type": "object", "properties": properties}}
