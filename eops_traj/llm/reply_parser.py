"""Replies that are one text, taken apart as their model's family writes them.

``hermes``: reasoning between ``<think>`` tags, of which the prompt may hold the first, tool calls between
``<tool_call>`` tags, as Qwen, SmolLM and models trained on ``recipes/chatml.jinja`` write. ``llama3_json``: a
call is the whole reply, a JSON object with name and parameters. ``harmony``: the channels of gpt-oss for
thoughts, calls and the answer. A server with the right parsers splits such a text itself. What cannot be read
as a call stays in the text.
"""

import json
import re
from typing import Any, Literal, NamedTuple

from eops_traj.errors import FormatError
from eops_traj.llm.tool_arguments import Arguments, read_arguments
from eops_traj.untrusted.json_text import parse_json

_THINKING, _THOUGHT = "<think>", "</think>"
_CALL = re.compile(r"<tool_call>(.*?)(</tool_call>|\Z)", re.DOTALL)
_NAME = re.compile(r'["\']name["\']\s*:\s*["\']([^"\'\s]+)["\']')


Style = Literal["hermes", "llama3_json", "harmony"]
"""How a family of models writes calls and thoughts."""

STYLES: dict[str, Style] = {"openai": "harmony", "llama3_json": "llama3_json"}
"""The style of those families (by vLLM's parser of their calls) that do not write as Hermes does."""

_HARMONY_END = re.compile(r"<\|(?:end|call|return)\|>")
_CALL_KEYS = {"type", "name", "parameters", "arguments"}
_CHANNEL = re.compile(r"<\|channel\|>\s*(\w+)")
_RECIPIENT = re.compile(r"to=functions\.([^\s<]+)")


class ParsedCall(NamedTuple):
    """A call in a text."""

    name: str
    """The tool's."""
    arguments: Arguments
    written: str
    """The arguments as they stand in the text; the block with the name, where that is no plain JSON."""


class ParsedReply(NamedTuple):
    """The parts of a reply's text."""

    text: str
    reasoning: str | None
    calls: tuple[ParsedCall, ...]


def parse_reply(
    reply: str, *, thinking: bool = False, cut: bool = False, style: Style = "hermes"
) -> ParsedReply:
    """Split a reply into reasoning, calls and the text between them.

    ``thinking`` says that the prompt ended in an open ``<think>``, ``cut`` that the reply was cut short.
    """
    if style == "harmony" and "<|message|>" in reply:
        return _parse_harmony(reply, cut)
    if style == "llama3_json" and (call := _bare_call(reply, cut)):
        return ParsedReply("", None, (call,))
    reasoning, rest = split_reasoning(reply, thinking=thinking)
    calls: list[ParsedCall] = []

    def take(match: re.Match[str]) -> str:
        call = _call(match.group(1).strip(), cut and not match.group(2))
        calls.extend([call] if call else [])
        return "" if call else match.group()

    text = _CALL.sub(take, rest)
    return ParsedReply(text.strip() if calls else text, reasoning, tuple(calls))


def split_reasoning(reply: str, *, thinking: bool = False) -> tuple[str | None, str]:
    """Split off the reasoning that a text begins with (None where it has none) from the rest.

    What stands before a ``</think>`` that nothing opened is reasoning, too: the prompt opened it, and servers
    that have no parser for it do not say so.
    """
    before, closed, rest = reply.partition(_THOUGHT)
    opened = before.lstrip().startswith(_THINKING)
    if not (opened or thinking or (closed and _THINKING not in before)):
        return None, reply
    return before.lstrip().removeprefix(_THINKING).strip() or None, rest.lstrip()


def _parse_harmony(reply: str, cut: bool) -> ParsedReply:
    """Split a reply by its channels: thoughts in analysis, calls by their recipient, all else is text."""
    thoughts: list[str] = []
    texts: list[str] = []
    calls: list[ParsedCall] = []
    parts = _HARMONY_END.split(reply)
    for number, part in enumerate(parts, 1):
        header, said, body = part.partition("<|message|>")
        if not said:  # no channel, so text, or the start of one that was cut
            texts += [header] if header.strip() else []
        elif recipient := _RECIPIENT.search(header):
            arguments = read_arguments(body, cut=cut and number == len(parts))
            calls.append(ParsedCall(recipient.group(1), arguments, body))
        else:
            channel = _CHANNEL.search(header)
            (thoughts if channel and channel.group(1) == "analysis" else texts).append(body)
    return ParsedReply("\n".join(texts), "\n".join(thoughts).strip() or None, tuple(calls))


def _bare_call(reply: str, cut: bool) -> ParsedCall | None:
    """Read the call that a whole reply is; None where it is none."""
    block = reply.strip().removeprefix("<|python_tag|>").strip()
    if not (block.startswith("{") and _NAME.search(block)):
        return None
    try:
        value = parse_json(block)
    except FormatError:
        return _call(block, cut)
    return _call(block, cut) if isinstance(value, dict) and value.keys() <= _CALL_KEYS else None


def _call(block: str, cut: bool) -> ParsedCall | None:
    """Read the call in a block; None where there is not even a name in it."""
    outer = read_arguments(block, cut=cut, required=("name", "arguments"))
    value = outer.value or {}
    if isinstance(name := value.get("name"), str):
        given = value.get("arguments", value.get("parameters"))
        inner, written = read_arguments(given, cut=cut), _as_text(given)
        if outer.raw is None:
            return ParsedCall(name, inner, written)
        written = block if inner.value else written  # of a call without arguments it would read as some
        return ParsedCall(name, Arguments(inner.value, written), written)
    match = _NAME.search(block)
    return ParsedCall(match.group(1), Arguments(None, block), block) if match else None


def _as_text(arguments: Any) -> str:
    if isinstance(arguments, str):
        return arguments
    return json.dumps({} if arguments is None else arguments, ensure_ascii=False)
