"""What a model must be given back with its own reply, and what a conversation's messages do not hold.

Reasoning models think between tool calls and want to see what they thought: DeepSeek and vLLM as reasoning,
Anthropic and Gemini as signed blocks without which they refuse to go on. A client remembers such fields by
the call that they came with, and puts them back where that call is sent again.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from eops_traj.llm.base import Request
from eops_traj.messages import Message
from eops_traj.schema import ToolCall

MOST = 20_000
"""Replies remembered; the oldest are forgotten first."""


class ReasoningReplay:
    """Fields of replies, by episode and call."""

    def __init__(self) -> None:
        self._fields: OrderedDict[tuple[str, str], Mapping[str, Any]] = OrderedDict()

    def remember(self, request: Request, calls: Iterable[ToolCall], fields: Mapping[str, Any]) -> None:
        """Keep the fields of a reply that made these calls."""
        first = next(iter(calls), None)
        if first is None or not fields:
            return
        self._fields[request.episode, first.id] = fields
        if len(self._fields) > MOST:
            self._fields.popitem(last=False)

    def restored(self, request: Request) -> list[Message]:
        """The request's messages, each reply with the fields it came with; given ones are kept."""
        return [self._restored(request.episode, message) for message in request.messages]

    def _restored(self, episode: str, message: Message) -> Message:
        calls = message.get("tool_calls")
        if not calls or (fields := self._fields.get((episode, calls[0]["id"]))) is None:
            return message
        return {**fields, **message}
