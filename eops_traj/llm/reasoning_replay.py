"""The reasoning that a model must be given back with its own reply, and that messages do not hold.

Reasoning models think between tool calls and want to see their thoughts again: DeepSeek and vLLM as
reasoning, Anthropic and Gemini as signed blocks without which they refuse to go on. A client remembers such
fields by the call that they came with, and puts them back where that call is sent again and its message lacks
them: a collection's messages hold the text of the reasoning, so that another client can send it, too.
"""

from collections import OrderedDict
from collections.abc import Iterable, Mapping
from typing import Any

from eops_traj.llm.base import Request
from eops_traj.messages import Message
from eops_traj.schema import ToolCall

MAX_REMEMBERED = 20_000
"""Replies remembered; the oldest are forgotten first."""


class ReasoningReplay:
    """The remembered fields of replies, by episode and call."""

    def __init__(self) -> None:
        self._fields: OrderedDict[tuple[str, str], Mapping[str, Any]] = OrderedDict()

    def remember(self, request: Request, calls: Iterable[ToolCall], fields: Mapping[str, Any]) -> None:
        """Keep the fields of a reply that made these calls."""
        first = next(iter(calls), None)
        if first is None or not fields:
            return
        self._fields[request.episode, first.id] = fields
        if len(self._fields) > MAX_REMEMBERED:
            self._fields.popitem(last=False)

    def restore(self, request: Request) -> list[Message]:
        """Return the request's messages, each reply with the fields it came with; given ones are kept."""
        return [self._restore(request.episode, message) for message in request.messages]

    def _restore(self, episode: str, message: Message) -> Message:
        calls = message.get("tool_calls")
        if not calls or (fields := self._fields.get((episode, calls[0]["id"]))) is None:
            return message
        return {**fields, **message}
