"""Episodes from chat lines: ``messages`` and ``tools`` as the OpenAI API has them, or as SFT takes them.

A user message after the first stands before the next reply, as its nudge. Arguments may be JSON text or
objects. The older ``functions``, ``function_call`` and results of the role ``function`` are tools, calls and
results like the newer ones. A reply that is not to be trained on (``weight`` 0) is refused: no turn says so.
"""

from typing import Any, Literal

from pydantic import BaseModel, ConfigDict, Field

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.anthropic_blocks import is_anthropic
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
    role: Literal["system", "developer", "user", "assistant", "tool", "function"]
    content: str | list[dict[str, Any]] | None = None
    refusal: str | None = None
    reasoning_content: str | None = None
    reasoning: str | None = None
    tool_calls: list[_Call] | None = None
    function_call: _Function | None = None
    tool_call_id: str | None = None
    name: str | None = None
    weight: float | None = None


class _Line(BaseModel):
    model_config = ConfigDict(extra="allow")
    messages: list[_Message] = Field(min_length=1)
    system: str | list[dict[str, Any]] | None = None
    tools: list[dict[str, Any]] | None = None
    functions: list[dict[str, Any]] | None = None
    task_id: str | None = None


class ChatReader(Reader):
    """Reads chat lines."""

    name = "openai"

    def recognises(self, record: Record) -> bool:
        """Check whether the record has messages, other than those of Anthropic's API."""
        return isinstance(record.get("messages"), list) and not is_anthropic(record)

    def bare(self, record: Record) -> EpisodeBundle:
        """Return the episode of a line. Raises FormatError for one of Anthropic's API."""
        if is_anthropic(record):
            raise FormatError("its messages are those of Anthropic's API, which the format anthropic reads")
        line = _Line.model_validate(record)
        conversation = Conversation()
        if line.system:
            conversation.instruct(text_of(line.system))
        for message in line.messages:
            _take(conversation, message)
        foreign_record = ForeignRecord(
            format=self.name,
            content=record,
            tools=_tools(line),
            details=line.model_extra or {},
            task_id=line.task_id,
        )
        return foreign_episode(conversation, foreign_record)


def _tools(line: _Line) -> list[dict[str, Any]] | None:
    """Return the tools of a line, newer and older; None where it lists none."""
    if line.tools is None and line.functions is None:
        return None
    return mcp_tools([*(line.tools or ()), *(line.functions or ())])


def _take(conversation: Conversation, message: _Message) -> None:
    text = text_of(message.content)
    match message.role:
        case "system" | "developer":
            conversation.instruct(text)
        case "user":
            conversation.ask(text)
        case "tool" | "function":
            conversation.answer(text, message.tool_call_id, name=_name(conversation, message))
        case "assistant":
            conversation.reply(_turn(message, text, len(conversation.turns)))


def _name(conversation: Conversation, message: _Message) -> str | None:
    """Return the function whose result a message is; None where its id or else its place tells the call."""
    if message.tool_call_id is not None:
        return None
    named = message.role == "function" or conversation.open_call(name=message.name) is not None
    return message.name if named else None


def _id(call: _Call, turn: int, place: int) -> str:
    """Return the call's id, or one from its position where it has none."""
    return f"call_{turn}_{place}" if call.id is None else call.id


def _turn(message: _Message, text: str, index: int) -> Turn:
    """Return the turn of a reply. Raises ValueError for one of another weight than 1."""
    if message.weight is not None and message.weight != 1:
        told = f"reply {index + 1} has the weight {message.weight:g}, of which a turn has no field"
        raise ValueError(f"{told}: it would be trained on like any other; only 1 is read")
    calls = [
        call_of(_id(call, index, n), call.function.name, call.function.arguments)
        for n, call in enumerate(_calls(message))
    ]
    return Turn(
        text="\n".join(filter(None, (text, message.refusal))),
        reasoning=message.reasoning if message.reasoning_content is None else message.reasoning_content,
        tool_calls=tuple(calls),
    )


def _calls(message: _Message) -> list[_Call]:
    """Return the calls of a reply; gateways repeat one of the newer form in the older."""
    calls, older = message.tool_calls or [], message.function_call
    if older is None or any(call.function == older for call in calls):
        return calls
    return [*calls, _Call(function=older)]
