"""Replies that are one text: reasoning between ``<think>`` tags, tool calls between ``<tool_call>`` tags.

That is how Qwen, Hermes and models trained on ``recipes/chatml.jinja`` write; a server with the right parsers
takes such a text apart itself. What cannot be read as a call stays in the text.
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
    """What a reply's text comes apart into."""

    text: str
    reasoning: str | None
    calls: tuple[ParsedCall, ...]


def parse_reply(reply: str, *, thinking: bool = False, cut: bool = False) -> ParsedReply:
    """Reasoning, calls and the text between them.

    ``thinking`` says that the prompt ended in an open ``<think>``, ``cut`` that the reply was cut short.
    """
    reasoning, said = split_reasoning(reply, thinking=thinking)
    calls: list[ParsedCall] = []

    def take(found: re.Match[str]) -> str:
        call = _call(found.group(1).strip(), cut and not found.group(2))
        calls.extend([call] if call else [])
        return "" if call else found.group()

    text = _CALL.sub(take, said)
    return ParsedReply(text.strip() if calls else text, reasoning, tuple(calls))


def split_reasoning(reply: str, *, thinking: bool = False) -> tuple[str | None, str]:
    """The reasoning that a text begins with (None where it has none), and what follows."""
    opened = reply.lstrip().startswith(_THINKING)
    if not (opened or thinking):
        return None, reply
    body = reply.lstrip().removeprefix(_THINKING) if opened else reply
    reasoning, _, said = body.partition(_THOUGHT)
    return reasoning.strip() or None, said.lstrip()


def _call(block: str, cut: bool) -> ParsedCall | None:
    """The call in a block; None where there is not even a name in it."""
    outer = read_arguments(block, cut=cut, required=("name", "arguments"))
    value = outer.value or {}
    if isinstance(name := value.get("name"), str):
        inner = read_arguments(value.get("arguments", value.get("parameters")), cut=cut)
        plain = outer.raw is None and inner.raw is None
        return ParsedCall(name, inner if plain else Arguments(inner.value, block), block)
    guessed = _NAME.search(block)
    return ParsedCall(guessed.group(1), Arguments(None, block), block) if guessed else None
