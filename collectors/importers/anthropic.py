"""Episodes from records of Anthropic's Messages API: ``system``, ``tools`` and ``messages`` made of blocks.

A ``tool_use`` is a call, a ``tool_result`` of the next user message its result, ``thinking`` the reasoning.
A user message after the first stands before the next reply, as its nudge. Calls that the endpoint answers
itself (``server_tool_use``) stand in the middle of a reply, where a turn has no place for them: a record with
one is refused.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.interchange.anthropic_blocks import (
    blocks_of,
    is_anthropic,
    put_others_aside,
    rest_of,
    results_of,
    turn_of,
)
from eops_traj.interchange.conversation import Conversation, mcp_tools, text_of
from eops_traj.interchange.episode_from_conversation import UNKNOWN, ForeignRecord, foreign_episode
from eops_traj.interchange.reader import Reader, Record


class _Message(BaseModel):
    model_config = ConfigDict(extra="allow")
    role: Literal["system", "user", "assistant"]
    content: str | list[dict[str, Any]]
    model: str | None = None


class _Line(BaseModel):
    model_config = ConfigDict(extra="allow")
    messages: list[_Message] = Field(min_length=1)
    system: str | list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None
    model: str | None = None
    task_id: str | None = None


class AnthropicReader(Reader):
    """Reads requests with their whole conversation, one a line."""

    name = "anthropic"

    def recognises(self, record: Record) -> bool:
        """Check whether the record has blocks, tools or a policy as only this API has them."""
        return is_anthropic(record)

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a record."""
        line = _Line.model_validate(record)
        conversation = Conversation()
        if line.system:
            conversation.instruct(text_of(line.system))
        for message in line.messages:
            _take(conversation, message)
        models = [line.model, *(message.model for message in line.messages)]
        foreign_record = ForeignRecord(
            format=self.name,
            content=record,
            tools=mcp_tools(line.tools) if line.tools is not None else None,
            model=next(filter(None, models), UNKNOWN),
            details=line.model_extra or {},
            task_id=line.task_id,
        )
        return foreign_episode(conversation, foreign_record)


def _take(conversation: Conversation, message: _Message) -> None:
    match message.role:
        case "system":
            conversation.instruct(text_of(message.content))
        case "user":
            _hear(conversation, message.content)
        case "assistant":
            blocks = blocks_of(message.content)
            put_others_aside(conversation, blocks)
            conversation.reply(turn_of(blocks, message.model_dump()))


def _hear(conversation: Conversation, content: str | list[dict[str, Any]]) -> None:
    """Add a message of the user: results of calls, a request, or both."""
    for result in results_of(content):
        text = text_of(result.get("content"))
        conversation.answer(text, str(result["tool_use_id"]), bool(result.get("is_error")))
    if rest := rest_of(content):
        conversation.ask(text_of(rest))
