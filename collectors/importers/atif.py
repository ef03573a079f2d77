"""Episodes from ATIF, the Agent Trajectory Interchange Format (Harbor RFC 0001), versions 1.0 to 1.8.

A step of source ``agent`` is a turn; its observation holds the results of its calls. An observation that
answers no call (a terminal's output, say) is the environment's next message. Steps that were copied from an
earlier trajectory are put aside, since the format forbids to train on them; so is everything that a turn
has no field for.
"""

import re
from typing import TYPE_CHECKING, Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json
from eops_traj.interchange.conversation import Conversation, call_of, is_text, mcp_tools, text_of
from eops_traj.interchange.episode_from_conversation import UNKNOWN, ForeignRecord, foreign_episode
from eops_traj.interchange.extension_key import KEY
from eops_traj.interchange.reader import Reader, Record
from eops_traj.optional import require
from eops_traj.schema import Json, ToolCall, Turn

if TYPE_CHECKING:
    import atif


MINOR = 8
"""The newest minor version of ATIF 1 that is read."""
VERSION = f"ATIF-v1.{MINOR}"
HELD = ("step_id", "source", "message", "reasoning_content", "tool_calls", "observation", "metrics")
"""The fields of a step that a turn has fields for."""


class AtifReader(Reader):
    """Reads trajectories, one a file."""

    name = "atif"

    def recognises(self, record: Record) -> bool:
        """Check whether the record names a version of ATIF."""
        return str(record.get("schema_version", "")).startswith("ATIF")

    def extension(self, record: Record) -> tuple[Record, Any]:
        """Split off our own key, which stands in ``extra``, the format's place for such."""
        extra = record.get("extra")
        if not isinstance(extra, dict) or KEY not in extra:
            return record, None
        rest = {name: value for name, value in extra.items() if name != KEY}
        return {**record, "extra": rest or None}, extra[KEY]

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a trajectory."""
        trajectory = validate_trajectory(record)
        conversation = Conversation()
        for step in trajectory.steps:
            _take(conversation, step)
        tools = trajectory.agent.tool_definitions
        foreign_record = ForeignRecord(
            format=self.name,
            content=record,
            tools=mcp_tools(tools) if tools is not None else None,
            model=trajectory.agent.model_name or UNKNOWN,
            orchestrator=trajectory.agent.name,
            settings=trajectory.agent.extra or {},
            details=_details(trajectory),
            started_at=next((step.timestamp for step in trajectory.steps if step.timestamp), None),
        )
        return foreign_episode(conversation, foreign_record)


def validate_trajectory(record: Record) -> "atif.Trajectory":
    """Validate the record as the ``atif`` package has it.

    Raises FormatError for another version, InputError where the package is not installed, and pydantic's
    ValidationError for what the format forbids.
    """
    require("exchange")
    import atif

    version = str(record.get("schema_version"))
    match = re.fullmatch(r"ATIF-v1\.(\d{1,3})", version)
    if not match or int(match[1]) > MINOR:
        raise FormatError(f"schema_version {version!r}; this eops-traj reads ATIF-v1.0 to {VERSION}")
    return atif.Trajectory.model_validate(record)


def _take(conversation: Conversation, step: "atif.Step") -> None:
    if step.is_copied_context:
        conversation.put_aside(copied=step.model_dump(mode="json", exclude_none=True))
    elif step.source == "agent":
        conversation.reply(_turn(step, len(conversation.turns)))
        _observe(conversation, step)
    else:
        text = text_of(_plain(step.message))
        conversation.instruct(text) if step.source == "system" else conversation.ask(text)
        if left := _left(step) | _unread(step):
            conversation.put_aside(step=left)
        _observe(conversation, step)


def _turn(step: "atif.Step", index: int) -> Turn:
    metrics = step.metrics.model_dump(exclude_none=True) if step.metrics else {}
    aside = _left(step) | _unread(step)
    extra = dict(metrics.pop("extra", {}))
    reasoning = extra.pop("reasoning_tokens", None)
    if extra:
        aside["metrics_extra"] = extra
    ids, prompt, logprobs = (
        metrics.get(name) for name in ("completion_token_ids", "prompt_token_ids", "logprobs")
    )
    return Turn(
        text=text_of(_plain(step.message)),
        reasoning=step.reasoning_content,
        tool_calls=tuple(_call(call) for call in step.tool_calls or ()),
        input_tokens=metrics.get("prompt_tokens"),
        cached_tokens=metrics.get("cached_tokens"),
        output_tokens=metrics.get("completion_tokens"),
        reasoning_tokens=reasoning if isinstance(reasoning, int) else None,
        cost=metrics.get("cost_usd"),
        provider=Json(canonical_json({"atif": aside} if aside else {})),
        prompt_token_ids=tuple(prompt) if prompt is not None else None,
        token_ids=tuple(ids) if ids is not None else None,
        logprobs=tuple(logprobs) if logprobs is not None else None,
    )


def _call(call: "atif.ToolCall") -> ToolCall:
    return call_of(call.tool_call_id, call.function_name, call.arguments)


def _observe(conversation: Conversation, step: "atif.Step") -> None:
    """Add the results of a step: those of its calls, and the environment's other messages."""
    results = step.observation.results if step.observation else []
    unnamed = all(result.source_call_id is None for result in results)
    by_place = unnamed and step.tool_calls is not None and len(results) == len(step.tool_calls)
    for result in results:
        text = text_of(_plain(result.content))
        if result.source_call_id is not None or by_place:
            conversation.answer(text, result.source_call_id)
        elif text:
            conversation.ask(text)


def _plain(content: Any) -> Any:
    """Render the content of a message as JSON."""
    return content if content is None or isinstance(content, str) else [p.model_dump() for p in content]


def _left(step: "atif.Step") -> dict[str, Any]:
    """Return the parts of a step that a turn has no field for."""
    left = step.model_dump(mode="json", exclude_none=True, exclude=set(HELD))
    calls = {c.tool_call_id: c.extra for c in step.tool_calls or () if c.extra}
    results = [r for r in (step.observation.results if step.observation else ()) if _more(r)]
    left |= {"tool_calls_extra": calls} if calls else {}
    return left | ({"results": [_more(r) for r in results]} if results else {})


def _more(result: "atif.ObservationResult") -> dict[str, Any]:
    """Return the parts of a result beside its text."""
    more = result.model_dump(mode="json", exclude_none=True, include={"subagent_trajectory_ref", "extra"})
    if not is_text(_plain(result.content)):
        more["content"] = _plain(result.content)
    return more and {"source_call_id": result.source_call_id, **more}


def _unread(step: "atif.Step") -> dict[str, Any]:
    """Return a message whose text leaves something out."""
    plain = _plain(step.message)
    return {} if is_text(plain) else {"message": plain}


def _details(trajectory: "atif.Trajectory") -> dict[str, Any]:
    """Return the parts of a trajectory that an episode has no field for."""
    left = trajectory.model_dump(mode="json", exclude_none=True, exclude={"agent", "steps"})
    return {**left, "agent_version": trajectory.agent.version}
