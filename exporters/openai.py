"""Chat lines as the OpenAI API takes them for fine-tuning: arguments are JSON text."""

import json
from collections.abc import Callable
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.export.rows import Row
from eops_traj.interchange.writer import ExchangeLines
from eops_traj.messages import Message, messages
from eops_traj.schema import Episode, ToolCall


class OpenAI(ExchangeLines):
    """One line an episode. What a model wrote as arguments is given as it was, even where it is no JSON."""

    name = "openai"
    title = "OpenAI chat lines"
    room = False
    features = (
        {"name": "messages", "list": "json"},
        {"name": "tools", "list": "json"},
    )

    def document(self, sample: EpisodeBundle) -> dict[str, Any]:
        """The line of an episode. The API takes no empty list of tools, and no tool name beside a result."""
        texts = iter(_text(call) for call in sample.episode.tool_calls())
        said = messages(sample.episode, sample.system_prompt, reasoning=self.reasoning)
        said = [_with_arguments(message, lambda _: next(texts)) for message in said]
        line: dict[str, Any] = {"messages": [{k: v for k, v in m.items() if k != "name"} for m in said]}
        return {**line, "tools": sample.tools()} if sample.tools() else line

    def row(self, place: str, record: dict[str, Any]) -> Row:
        """The row that a line holds, with arguments decoded as chat templates want them."""
        said = [_with_arguments(message, _value) for message in record["messages"]]
        return Row(place, record, said, record.get("tools") or [])

    def calls(self, episode: Episode) -> list[tuple[str, Any]]:
        """Every call, with what the model wrote where its arguments did not parse."""
        return [(call.name, _value(_text(call))) for call in episode.tool_calls()]


def _text(call: ToolCall) -> str:
    """The arguments as the model wrote them, or as JSON text."""
    return call.raw if call.raw is not None else json.dumps(json.loads(call.arguments), ensure_ascii=False)


def _value(text: str) -> Any:
    """The arguments as an object where the text is one, else the text."""
    try:
        value = json.loads(text)
    except ValueError:
        return text
    return value if isinstance(value, dict) else text


def _with_arguments(message: Message, change: Callable[[Any], Any]) -> Message:
    """The message with the arguments of its calls changed."""
    if "tool_calls" not in message:
        return message
    changed = [
        {**call, "function": {**call["function"], "arguments": change(call["function"]["arguments"])}}
        for call in message["tool_calls"]
    ]
    return {**message, "tool_calls": changed}
