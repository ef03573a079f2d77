"""Chat lines as the OpenAI API takes them for fine-tuning: arguments are JSON text."""

import json
from collections.abc import Callable
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.checks import Row
from eops_traj.export.conversations import AS_ONE, is_one
from eops_traj.interchange.writer import ExchangeLines, decoded_arguments
from eops_traj.messages import Message, messages
from eops_traj.schema import Episode, ToolCall


class OpenAI(ExchangeLines):
    """One line an episode. What a model wrote as arguments is given as it was, even where it is no JSON."""

    name = "openai"
    title = "OpenAI chat lines"
    room = False
    keeps_raw = True
    features = (
        {"name": "messages", "list": "json"},
        {"name": "tools", "list": "json"},
    )

    def document(self, bundle: EpisodeBundle) -> dict[str, Any]:
        """Return the line of an episode. The API takes no empty tools, and no tool name with a result."""
        if not is_one(bundle.episode):
            self.counts[AS_ONE] += 1
        texts = iter(_text(call) for call in bundle.episode.tool_calls())
        plain = messages(bundle.episode, bundle.system_prompt, reasoning=self.reasoning)
        chat = [_with_arguments(message, lambda _: next(texts)) for message in plain]
        line: dict[str, Any] = {"messages": [{k: v for k, v in m.items() if k != "name"} for m in chat]}
        return {**line, "tools": bundle.tools()} if bundle.tools() else line

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """Return the row that a line holds, with arguments decoded as chat templates want them."""
        chat = [_with_arguments(message, decoded_arguments) for message in record["messages"]]
        return Row(place, record, chat, record.get("tools") or [])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Return every call, with what the model wrote where its arguments did not parse."""
        return [(call.name, decoded_arguments(_text(call))) for call in episode.tool_calls()]


def _text(call: ToolCall) -> str:
    """Return the arguments as the model wrote them, or as JSON text."""
    return call.raw if call.raw is not None else json.dumps(json.loads(call.arguments), ensure_ascii=False)


def _with_arguments(message: Message, change: Callable[[Any], Any]) -> Message:
    """Return the message with the arguments of its calls changed."""
    if "tool_calls" not in message:
        return message
    changed = [
        {**call, "function": {**call["function"], "arguments": change(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": changed}
