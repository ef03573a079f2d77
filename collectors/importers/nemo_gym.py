"""Episodes from the rollouts of NVIDIA NeMo Gym: lines with a request to a Responses API, and its response.

``response.output`` is the whole of what came after the request, in order: what the model said
(``reasoning``, ``message``, ``function_call``), the results (``function_call_output``) and whatever a user
said between. Which items are of one reply it does not say. A reply ends where a result or a user follows,
where token ids stand (on its last item), and where an item follows that no reply has so late: reasoning
comes first, then text, then calls.

The reward is the verdict of another's verifier: it is kept, and makes no label.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.interchange.conversation import Conversation, call_of, mcp_tools, text_of
from eops_traj.interchange.episode_from_conversation import UNKNOWN, Told, foreign
from eops_traj.interchange.reader import Reader, Record
from eops_traj.schema import Turn

ORDER = {"reasoning": 0, "message": 1, "function_call": 2}
"""The kinds of items of a reply, in the order in which a reply has them."""
TOKENS = "generation_token_ids"


class _Params(BaseModel):
    model_config = ConfigDict(extra="allow")
    input: str | list[dict[str, Any]]
    tools: list[dict[str, Any]] | None = None


class _Response(BaseModel):
    model_config = ConfigDict(extra="allow")
    output: list[dict[str, Any]]
    model: str | None = None
    created_at: float | None = None
    tools: Any = None
    usage: dict[str, Any] | None = None


class _Agent(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str = UNKNOWN


class _Rollout(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True)
    responses_create_params: _Params
    response: _Response
    agent_ref: _Agent = Field(default_factory=_Agent)
    rollout_index: int = Field(default=0, alias="_ng_rollout_index", ge=0)


class NemoGymReader(Reader):
    """Reads rollouts, one a line."""

    name = "nemo_gym"

    def recognises(self, record: Record) -> bool:
        """It holds what a Responses API was asked, and what it answered."""
        return "responses_create_params" in record and "response" in record

    def bare(self, record: Record) -> EpisodeBundle:
        """The episode of a rollout."""
        found = _Rollout.model_validate(record)
        asked, given = found.responses_create_params, found.response
        said = Conversation()
        whole = _ask(said, asked.input)
        _Replies(said).read(given.output)
        told = Told(
            format=self.name,
            content=record,
            tools=mcp_tools(asked.tools) if asked.tools is not None else None,
            model=given.model or UNKNOWN,
            orchestrator=found.agent_ref.name,
            settings=asked.model_extra or {},
            details=_details(found, whole),
            attempt=found.rollout_index + 1,
            started_at=_moment(given.created_at),
            totals=_usage(given.usage),
        )
        return foreign(said, told)


def _ask(said: Conversation, given: str | Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """The policy and the request: of an earlier conversation, the last thing that the user said.

    Returns the messages whole where not all of them are a policy or something a user says.
    """
    messages = [{"role": "user", "content": given}] if isinstance(given, str) else list(given)
    for message in messages:
        if message.get("role") in ("system", "developer"):
            said.instruct(text_of(message.get("content")))
    users = [text_of(m.get("content")) for m in messages if m.get("role") == "user"]
    earlier = any(m.get("role") not in ("system", "developer", "user") for m in messages)
    for text in users[-1:] if earlier else users:
        said.ask(text)
    return messages if earlier else []


@dataclass
class _Replies:
    """Puts the items of an output together into replies."""

    said: Conversation
    items: list[dict[str, Any]] = field(default_factory=list)

    def read(self, output: Sequence[dict[str, Any]]) -> None:
        """Read every item. Raises ValueError for a result that answers no call."""
        for item in output:
            kind = item.get("type", "message")
            if kind in ORDER and item.get("role", "assistant") == "assistant":
                self._add(item, kind)
                continue
            self._end()
            if kind == "function_call_output":
                self.said.answer(text_of(item["output"]), item["call_id"])
            elif kind == "message" and item["role"] == "user":
                self.said.ask(text_of(item["content"]))
            else:
                self.said.put_aside(item=item)
        self._end()

    def _add(self, item: dict[str, Any], kind: str) -> None:
        if self.items:
            last = self.items[-1]
            before, now = ORDER[last.get("type", "message")], ORDER[kind]
            if TOKENS in last or now < before or before == now == ORDER["message"]:
                self._end()
        self.items.append(item)

    def _end(self) -> None:
        if self.items:
            self.said.reply(_turn(self.items))
            self.items = []


def _turn(items: Sequence[dict[str, Any]]) -> Turn:
    """One reply of its items."""
    by_kind = {kind: [i for i in items if i.get("type", "message") == kind] for kind in ORDER}
    thoughts = [text_of(i.get("summary")) or text_of(i.get("content")) for i in by_kind["reasoning"]]
    tokens: dict[str, Any] = next((item for item in items if TOKENS in item), {})
    return Turn(
        text="\n".join(text_of(item["content"]) for item in by_kind["message"]),
        reasoning="\n".join(thoughts) if thoughts else None,
        tool_calls=tuple(call_of(i["call_id"], i["name"], i["arguments"]) for i in by_kind["function_call"]),
        prompt_token_ids=_numbers(tokens.get("prompt_token_ids")),
        token_ids=_numbers(tokens.get(TOKENS)),
        logprobs=_numbers(tokens.get("generation_log_probs")),
    )


def _numbers(values: Sequence[Any] | None) -> tuple[Any, ...] | None:
    return None if values is None else tuple(values)


def _moment(created_at: float | None) -> str | None:
    """When the response was made, unless that is not said: 0 stands for it."""
    if not created_at:
        return None
    return datetime.fromtimestamp(created_at, UTC).isoformat(timespec="milliseconds")


def _usage(usage: dict[str, Any] | None) -> dict[str, int]:
    """The tokens of the whole."""
    if not usage:
        return {}
    found = {
        "input_tokens": usage.get("input_tokens"),
        "output_tokens": usage.get("output_tokens"),
        "cached_tokens": (usage.get("input_tokens_details") or {}).get("cached_tokens"),
        "reasoning_tokens": (usage.get("output_tokens_details") or {}).get("reasoning_tokens"),
    }
    return {name: count for name, count in found.items() if isinstance(count, int)}


def _details(found: _Rollout, whole: list[dict[str, Any]]) -> dict[str, Any]:
    """What an episode has no field for, the reward among it."""
    response = {k: v for k, v in (found.response.model_extra or {}).items() if v is not None}
    asked = found.responses_create_params.tools
    if found.response.tools not in (None, [], asked):
        response["tools"] = found.response.tools
    agent = found.agent_ref.model_extra or {}
    left = {"response": response, "agent_ref": agent, "input": whole}
    return {**(found.model_extra or {}), **{name: value for name, value in left.items() if value}}
