"""The parts of a conversation that a chat template renders, found out by trying, not by its name.

Templates drop what they do not know without a word: SmolLM2's the tools, gpt-oss's all calls of a reply but
the first, Llama 3's the text beside a call. Each part is tried once with a word that is nowhere else.
"""

from collections.abc import Callable
from dataclasses import dataclass, fields
from typing import Any

from eops_traj.llm.rendering import Renderer, Tools
from eops_traj.messages import Message

SYSTEM: Message = {"role": "system", "content": "probe_policy"}
USER: Message = {"role": "user", "content": "probe_request"}
TOOL: dict[str, Any] = {
    "type": "function",
    "function": {
        "name": "probe_tool",
        "description": "Probes.",
        "parameters": {"type": "object", "properties": {"key": {"type": "string"}}},
    },
}


@dataclass(frozen=True)
class Abilities:
    """Which parts of a conversation come out of a chat template."""

    tools: bool
    """The list of tools."""
    calls: bool
    """A call of a tool, with its arguments."""
    results: bool
    """The result of a call."""
    parallel_calls: bool
    """Several calls in one reply."""
    text_beside_calls: bool
    thoughts: bool
    """The thoughts before the last reply."""
    earlier_thoughts: bool
    """The thoughts before a reply that others follow, in the same request."""

    @classmethod
    def of(cls, renderer: Renderer) -> "Abilities":
        """Try a template. One that begins each reply with a closed thought shows none."""
        found = {field.name: PROBES[field.name](renderer) for field in fields(cls)}
        if closes_thought(renderer):
            found |= {"thoughts": False, "earlier_thoughts": False}
        return cls(**found)

    def missing(self, messages: list[Message], tools: Tools) -> list[str]:
        """Return what a conversation has and the template leaves out, where that makes it another one."""
        calls = [message["tool_calls"] for message in messages if message.get("tool_calls")]
        has = {
            "tools": bool(tools),
            "calls": bool(calls),
            "results": any(message["role"] == "tool" for message in messages),
            "parallel_calls": any(len(each) > 1 for each in calls),
        }
        return [NAMES[name] for name, needed in has.items() if needed and not getattr(self, name)]

    def dropped(self, messages: list[Message]) -> list[str]:
        """Return what a conversation has and the template leaves out, where it stays the same without."""
        said = [message for message in messages if message["role"] == "assistant"]
        has = {
            "text_beside_calls": any(
                message.get("tool_calls") and message.get("content") for message in said
            ),
            "thoughts": any(message.get("reasoning_content") for message in said),
        }
        return [NAMES[name] for name, there in has.items() if there and not getattr(self, name)]


NAMES = {
    "tools": "the list of tools",
    "calls": "calls of tools",
    "results": "results of tools",
    "parallel_calls": "all but one of several calls in a reply",
    "text_beside_calls": "text beside calls",
    "thoughts": "thoughts",
}
"""What is left out where an ability is missing."""


def closes_thought(renderer: Renderer) -> bool:
    """Check whether the generation prompt ends in a thought that is over: thinking is off."""
    try:
        return renderer.text([SYSTEM, USER], [], reply_next=True).rstrip().endswith("</think>")
    except Exception:  # noqa: BLE001 - a template raises whatever its author chose
        return False


def probe_call(number: int = 1) -> dict[str, Any]:
    """Return a call for trying, whose argument says which it is."""
    function = {"name": "probe_tool", "arguments": {"key": f"probe_argument_{number}"}}
    return {"id": f"call0000{number}", "type": "function", "function": function}


def probe_reply(*calls: int, **parts: str) -> Message:
    """Return a reply for trying, with these calls and parts."""
    asked = {"tool_calls": [probe_call(number) for number in calls]} if calls else {}
    return {"role": "assistant", "content": "", **asked, **parts}


def probe_result(number: int = 1) -> Message:
    """Return the result of a call for trying."""
    text = f"probe_out_{number}"
    return {"role": "tool", "tool_call_id": f"call0000{number}", "name": "probe_tool", "content": text}


def _shown(messages: list[Message], *words: str, tools: bool = False) -> Callable[[Renderer], bool]:
    """Make the check that a template shows words of a conversation; one that it refuses shows none."""

    def check(renderer: Renderer) -> bool:
        try:
            text = renderer.text(messages, [TOOL] if tools else [])
        except Exception:  # noqa: BLE001 - a template raises whatever its author chose
            return False
        return all(word in text for word in words)

    return check


_ASKED = [SYSTEM, USER]
_THOUGHT = "probe_thought"
PROBES: dict[str, Callable[[Renderer], bool]] = {
    "tools": _shown(_ASKED, "probe_tool", tools=True),
    "calls": _shown([*_ASKED, probe_reply(1)], "probe_tool", "probe_argument_1"),
    "results": _shown([*_ASKED, probe_reply(1), probe_result()], "probe_out_1"),
    "parallel_calls": _shown([*_ASKED, probe_reply(1, 2)], "probe_argument_1", "probe_argument_2"),
    "text_beside_calls": _shown([*_ASKED, probe_reply(1, content="probe_text")], "probe_text"),
    "thoughts": _shown([*_ASKED, probe_reply(content="Done.", reasoning_content=_THOUGHT)], _THOUGHT),
    "earlier_thoughts": _shown(
        [
            *_ASKED,
            probe_reply(1, reasoning_content=_THOUGHT),
            probe_result(),
            probe_reply(content="Done."),
        ],
        _THOUGHT,
    ),
}
