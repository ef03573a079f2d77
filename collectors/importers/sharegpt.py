"""Episodes from ShareGPT conversations, with the roles for tools that LLaMA-Factory added.

``from`` is one of ``system``, ``human``, ``gpt``, ``function_call`` and ``observation``, or another
harness's word for one of these. The policy and the tools (JSON text) may stand in columns of their own. The
calls of a turn are one JSON value, their results one text, which is a JSON list where there are several, or a
message each.
"""

import json
from collections.abc import Sequence
from itertools import groupby
from typing import Any

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.conversation import Conversation, call_of, mcp_tools
from eops_traj.interchange.episode_from_conversation import ForeignRecord, foreign_episode
from eops_traj.interchange.reader import Reader, Record
from eops_traj.schema import ToolCall, Turn
from eops_traj.untrusted.json_text import parse_json

ROLES = {
    "system": "system",
    "human": "human",
    "user": "human",
    "gpt": "gpt",
    "assistant": "gpt",
    "function_call": "function_call",
    "observation": "observation",
    "tool": "observation",
}
"""The words for who speaks, and the roles that they stand for."""


class _Message(BaseModel):
    model_config = ConfigDict(extra="allow", populate_by_name=True)
    speaker: str = Field(alias="from")
    value: str


class _Line(BaseModel):
    model_config = ConfigDict(extra="allow")
    conversations: list[_Message] = Field(min_length=1)
    system: str | None = None
    tools: str | list[dict[str, Any]] | None = None


class ShareGptReader(Reader):
    """Reads conversations, one a line or a list of them in a file."""

    name = "sharegpt"

    def recognises(self, record: Record) -> bool:
        """Check whether the record has conversations."""
        return isinstance(record.get("conversations"), list)

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a conversation."""
        line = _Line.model_validate(record)
        conversation = Conversation()
        if line.system:
            conversation.instruct(line.system)
        for role, messages in groupby(line.conversations, lambda message: ROLES.get(message.speaker)):
            if role == "observation":
                _answer(conversation, [message.value for message in messages])
                continue
            for message in messages:
                _take(conversation, message)
        foreign_record = ForeignRecord(
            format=self.name, content=record, tools=_tools(line.tools), details=line.model_extra or {}
        )
        return foreign_episode(conversation, foreign_record)


def _tools(tools: str | list[dict[str, Any]] | None) -> list[dict[str, Any]] | None:
    """Read the tools, None where none are listed; a text that is no JSON raises FormatError."""
    if tools is None or tools == "":
        return None
    return mcp_tools(parse_json(tools) if isinstance(tools, str) else tools)


def _take(conversation: Conversation, message: _Message) -> None:
    match ROLES.get(message.speaker):
        case "system":
            conversation.instruct(message.value)
        case "human":
            conversation.ask(message.value)
        case "gpt":
            conversation.reply(Turn(text=message.value))
        case "function_call":
            calls = _calls(parse_json(message.value), len(conversation.turns))
            conversation.reply(Turn(text="", tool_calls=calls))
        case _:
            known = ", ".join(ROLES)
            raise ValueError(f"nobody is called {message.speaker!r}; choose from {known}")


def _calls(value: Any, index: int) -> tuple[ToolCall, ...]:
    """Read the calls of a turn, for which the format has no ids."""
    calls = value if isinstance(value, list) else [value]
    return tuple(
        call_of(f"call_{index}_{n}", call["name"], call.get("arguments") or {})
        for n, call in enumerate(calls)
    )


def _answer(conversation: Conversation, values: Sequence[str]) -> None:
    """Add the results in observations that follow each other; only one alone can hold those of all calls."""
    results = _results(conversation.turns, values[0]) if len(values) == 1 else values
    for result in results:
        conversation.answer(result)


def _results(turns: Sequence[Turn], value: str) -> list[str]:
    """Read the results of the last turn's calls: one text, or a JSON list of as many as there are calls."""
    calls = turns[-1].tool_calls if turns else ()
    if len(calls) < 2:
        return [value]
    try:
        results = parse_json(value)
    except FormatError:
        return [value]
    if not isinstance(results, list) or len(results) != len(calls):
        return [value]
    return [r if isinstance(r, str) else json.dumps(r, ensure_ascii=False) for r in results]
