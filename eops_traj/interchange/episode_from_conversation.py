"""An episode from a foreign conversation: its agent and its task; no verifier of ours has seen it."""

import json
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from typing import Any

from eops_traj.bundle import EpisodeBundle, build_episode, build_run
from eops_traj.causes.find import diagnosed
from eops_traj.hashing import canonical_json, digest
from eops_traj.interchange.conversation import Conversation
from eops_traj.schema import UNVERIFIED, Agent, Json, Prompt, Task, ToolCall, ToolSet, Turn

UNKNOWN = "unknown"


@dataclass(frozen=True)
class ForeignRecord:
    """The facts of a foreign record besides its conversation.

    ``tools`` are MCP tools, None where the record lists none; ``details`` is what an episode has no field
    for; ``content`` is the whole of the record, which tells one episode from another; ``totals`` are tokens
    and cost of the whole, where only those are known.
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


def foreign_episode(conversation: Conversation, record: ForeignRecord) -> EpisodeBundle:
    """Build the episode of a conversation, its labels unknown: it was not verified here."""
    settings = Json(canonical_json(dict(record.settings)))
    agent = Agent(model=record.model, orchestrator=record.orchestrator, settings=settings)
    task, toolset = _task(conversation, record), _toolset(conversation, record)
    # such files name no run, so that one agent in files of one format is one
    config = {"source": record.format, "model": agent.model, "orchestrator": agent.orchestrator}
    run = build_run("import", config)
    episode = build_episode(
        task,
        agent,
        conversation.turns,
        toolset,
        episode_id=digest(record.format, record.content),
        attempt=record.attempt,
        run_id=run.run_id,
        source=record.format,
        stop_reason=_stop_reason(conversation.turns),
        verdicts=(),
        success_parity=None,
        success_strict=None,
        verifier_pass_parity=None,
        verifier_pass_strict=None,
        outcome=UNVERIFIED,
        started_at=in_utc(record.started_at),
        details=_details(conversation, record),
        **record.totals,
    )
    return EpisodeBundle(episode, Prompt.of(conversation.system_prompt), toolset, run)


def in_utc(moment: str | None) -> str | None:
    """Return a time as the schema has it, in UTC, which it is taken for where it names no zone.

    One that is in UTC already stays as it is written, and so does a text that is no time.
    """
    try:
        time = datetime.fromisoformat(moment or "")
        if time.tzinfo and not time.utcoffset():
            return moment
        return (time if time.tzinfo else time.replace(tzinfo=UTC)).astimezone(UTC).isoformat()
    except (TypeError, ValueError, OverflowError):
        return moment


def with_failure_modes(bundle: EpisodeBundle) -> EpisodeBundle:
    """Return the bundle with the failure modes that its turns show, and the causes of its failure."""
    return replace(bundle, episode=diagnosed(bundle.episode, bundle.prompt.text))


def _task(conversation: Conversation, record: ForeignRecord) -> Task:
    """Return the task that the conversation shows; where none is named, its words are its name."""
    request = conversation.request or ""
    return Task(
        task_id=record.task_id or "task_" + digest(conversation.system_prompt, request),
        domain=UNKNOWN,
        mode=UNKNOWN,
        suite=record.format,
        system_prompt=conversation.system_prompt,
        user_prompt=request,
        servers=(),
    )


def _toolset(conversation: Conversation, record: ForeignRecord) -> ToolSet:
    """Return the tools listed, or those that the calls show."""
    if record.tools is not None:
        return ToolSet.of(record.tools)
    calls = [call for turn in conversation.turns for call in turn.tool_calls]
    return ToolSet.of(
        [observed_tool(name, calls) for name in dict.fromkeys(c.name for c in calls)], "observed"
    )


def _stop_reason(turns: Sequence[Turn]) -> str:
    """Return how the episode ended, as far as the last reply shows."""
    if turns and turns[-1].finish_reason in ("length", "max_tokens"):
        return "max_tokens"
    return "max_turns" if turns and turns[-1].tool_calls else "completed"


def _details(conversation: Conversation, record: ForeignRecord) -> Json:
    """Return what no field holds, under the format's name."""
    left = {**record.details, "aside": conversation.left_over()}
    kept = {name: value for name, value in left.items() if value not in (None, [], {}, "")}
    return Json(canonical_json({record.format: kept} if kept else {}))


def observed_tool(name: str, calls: Iterable[ToolCall]) -> dict[str, Any]:
    """Declare a tool known only from its calls: the arguments seen, with the types seen."""
    names = {bool: "boolean", int: "integer", float: "number", str: "string", list: "array", dict: "object"}
    properties: dict[str, Any] = {}
    for call in calls:
        if call.name == name:
            for key, value in json.loads(call.arguments).items():
                properties.setdefault(key, {"type": names[type(value)]} if value is not None else {})
    return {"name": name, "description": "", "inputSchema": {"type": "object", "properties": properties}}
