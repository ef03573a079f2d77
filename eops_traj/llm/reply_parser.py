"""Replies that are one text: reasoning between ``<think>`` tags, tool calls between ``<tool_call>`` tags.

That is how Qwen, Hermes and models trained on ``recipes/chatml.jinja`` write; a server with the right parsers
splits such a text itself. What cannot be read as a call stays in the text.
"""

import re
from typing import NamedTuple

from eops_traj.llm.tool_arguments import Arguments, read_arguments

_THINKING, _THOUGHT = "<think>", "</think>"
_CALL = re.compile(r"<tool_call>(.*?)(</tool_call>|\Z)", re.DOTALL)
_NAME = re.compile(r'["\']name["\']\s*:\s*["\']([^"\'\s]+)["\']')


class ParsedCall(NamedTuple):
    """A call in a text: the tool's name, its arguments, and the block that holds both (their raw form)."""

    name: str
    arguments: Arguments
    block: str


class ParsedReply(NamedTuple):
    """The parts of a reply's text."""

    text: str
    reasoning: str | None
    calls: tuple[ParsedCall, ...]


def parse_reply(reply: str, *, thinking: bool = False, cut: bool = False) -> ParsedReply:
    """Split a reply into reasoning, calls and the text between them.

    ``thinking`` says that the prompt ended in an open ``<think>``, ``cut`` that the reply was cut short.
    """
    reasoning, rest = split_reasoning(reply, thinking=thinking)
    calls: list[ParsedCall] = []

    def take(match: re.Match[str]) -> str:
        call = _call(match.group(1).strip(), cut and not match.group(2))
        calls.extend([call] if call else [])
        return "" if call else match.group()

    text = _CALL.sub(take, rest)
    return ParsedReply(text.strip() if calls else text, reasoning, tuple(calls))


def split_reasoning(reply: str, *, thinking: bool = False) -> tuple[str | None, str]:
    """Split off the reasoning that a text begins with (None where it has none) from the rest."""
    opened = reply.lstrip().startswith(_THINKING)
    if not (opened or thinking):
        return None, reply
    body = reply.lstrip().removeprefix(_THINKING) if opened else reply
    reasoning, _, rest = body.partition(_THOUGHT)
    return reasoning.strip() or None, rest.lstrip()


def _call(block: str, cut: bool) -> ParsedCall | None:
    """Read the call in a block; None where there is not even a name in it."""
    outer = read_arguments(block, cut=cut, required=("name", "arguments"))
    value = outer.value or {}
    if isinstance(name := value.get("name"), str):
        inner = read_arguments(value.get("arguments", value.get("parameters")), cut=cut)
        plain = outer.raw is None and inner.raw is None
        return ParsedCall(name, inner if plain else Arguments(inner.value, block), block)
    match = _NAME.search(block)
    return ParsedCall(match.group(1), Arguments(None, block), block) if match else None
