"""Episodes from chat lines: ``messages`` and ``tools`` as the OpenAI API has them, or as SFT takes them.

A user message after the first stands before the next reply, as its nudge. Arguments may be JSON text or
objects.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.interchange.conversation import Conversation, call_of, mcp_tools, text_of
from eops_traj.interchange.episode_from_conversation import ForeignRecord, foreign_episode
from eops_traj.interchange.reader import Reader, Record
from eops_traj.schema import Turn


class _Function(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str
    arguments: str | dict[str, Any] = "{}"


class _Call(BaseModel):
    model_config = ConfigDict(extra="allow")
    id: str | None = None
    function: _Function


class _Message(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: Literal["system", "developer", "user", "assistant", "tool"]
    content: str | list[dict[str, Any]] | None = None
    reasoning_content: str | None = None
    tool_calls: list[_Call] | None = None
    tool_call_id: str | None = None


class _Line(BaseModel):
    model_config = ConfigDict(extra="allow")
    messages: list[_Message] = Field(min_length=1)
    tools: list[dict[str, Any]] | None = None
    task_id: str | None = None


class ChatReader(Reader):
    """Reads chat lines."""

    name = "openai"

    def recognises(self, record: Record) -> bool:
        """Check whether the record has messages."""
        return isinstance(record.get("messages"), list)

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a line."""
        line = _Line.model_validate(record)
        conversation = Conversation()
        for message in line.messages:
            _take(conversation, message)
        foreign_record = ForeignRecord(
            format=self.name,
            content=record,
            tools=mcp_tools(line.tools) if line.tools is not None else None,
            details=line.model_extra or {},
            task_id=line.task_id,
        )
        return foreign_episode(conversation, foreign_record)


def _take(conversation: Conversation, message: _Message) -> None:
    text = text_of(message.content)
    match message.role:
        case "system" | "developer":
            conversation.instruct(text)
        case "user":
            conversation.ask(text)
        case "tool":
            conversation.answer(text, message.tool_call_id)
        case "assistant":
            conversation.reply(_turn(message, text, len(conversation.turns)))


def _id(call: _Call, turn: int, place: int) -> str:
    """Return the call's id, or one from its position where it has none."""
    return f"call_{turn}_{place}" if call.id is None else call.id


def _turn(message: _Message, text: str, index: int) -> Turn:
    calls = [
        call_of(_id(call, index, n), call.function.name, call.function.arguments)
        for n, call in enumerate(message.tool_calls or ())
    ]
    return Turn(text=text, reasoning=message.reasoning_content, tool_calls=tuple(calls))
