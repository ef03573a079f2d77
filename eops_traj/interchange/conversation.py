"""A conversation while it is read from a foreign file, message by message, into turns."""

import json
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, ToolCall, Turn
from eops_traj.untrusted.json_text import parse_json

NO_ARGUMENTS = Json("{}")
ACTION = re.compile(r"(tool|function)[_-]?(use|call|result|response)|_call(_output)?$", re.IGNORECASE)
"""What is in the type of a part that is a call or its result, whoever's API it is of."""
PARAMETERS = ("parameters", "input_schema", "inputSchema")
"""The names of a tool's parameters: OpenAI's, Anthropic's, MCP's."""


@dataclass
class Conversation:
    """A conversation read so far.

    The first message of a user is the request; later ones are the nudge of the next reply. ``aside`` holds,
    with its place, what no turn has a field for.
    """

    system: list[str] = field(default_factory=list)
    request: str | None = None
    turns: list[Turn] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    aside: list[dict[str, Any]] = field(default_factory=list)
    _block: int = 0
    """The first of the last replies that follow each other with nothing between them."""
    _in_block: bool = False

    @property
    def system_prompt(self) -> str:
        """The system messages before the first reply."""
        return "\n\n".join(self.system)

    def instruct(self, text: str) -> None:
        """Add a system message; one after a reply comes before the next one, as a user's does.

        No turn has a field for it: what it was is noted aside.
        """
        if self.turns:
            self.ask(text)
            self.put_aside(system=text)
        else:
            self.system.append(text)

    def ask(self, text: str) -> None:
        """Add a message of the user, or of the environment outside of any call."""
        self._in_block = False
        if self.request is None and not self.turns:
            self.request = text
        else:
            self.waiting.append(text)

    def reply(self, turn: Turn) -> None:
        """Add a reply of the model."""
        nudge = "\n\n".join(self.waiting) if self.waiting else None
        if not self._in_block:
            self._block, self._in_block = len(self.turns), True
        self.turns.append(replace(turn, nudge=nudge))
        self.waiting = []

    def answer(
        self, text: str, call_id: str | None = None, is_error: bool = False, name: str | None = None
    ) -> None:
        """Add a result: of the call of this id, or else of the first call (of this name) that has none yet.

        Raises ValueError where there is no such call.
        """
        self._in_block = False
        if (found := self.open_call(call_id, name)) is None:
            whose = f"for {call_id!r}" if name is None else f"of the function {name!r}"
            raise ValueError(f"a result {whose}, which no call waits for")
        self._put(*found, text, is_error)

    def open_call(self, call_id: str | None = None, name: str | None = None) -> tuple[int, int] | None:
        """Return turn and place of the call that the next result is of; None where no such call waits."""
        for index in self._latest_first() if call_id is None else reversed(range(len(self.turns))):
            for place, call in enumerate(self.turns[index].tool_calls):
                if call.result is None and call_id in (None, call.id) and name in (None, call.name):
                    return index, place
        return None

    def _latest_first(self) -> Iterator[int]:
        """Yield the turns by which of them a result without an id answers.

        Replies that follow each other were answered together, in their order; what went unanswered before
        another message was given up, as a rule.
        """
        yield from range(self._block, len(self.turns))
        yield from reversed(range(self._block))

    def _put(self, index: int, place: int, text: str, is_error: bool) -> None:
        calls = list(self.turns[index].tool_calls)
        calls[place] = replace(calls[place], result=text, is_error=is_error)
        self.turns[index] = replace(self.turns[index], tool_calls=tuple(calls))

    def put_aside(self, **what: Any) -> None:
        """Keep what no turn has a field for, with the number of turns before it."""
        self.aside.append({"after_turns": len(self.turns), **what})

    def left_over(self) -> list[dict[str, Any]]:
        """Return what was put aside, and the user's last messages that were not answered."""
        noted = [(entry["after_turns"], entry.get("system")) for entry in self.aside]
        unanswered = [text for text in self.waiting if (len(self.turns), text) not in noted]
        return self.aside + [{"after_turns": len(self.turns), "user": text} for text in unanswered]


def call_of(call_id: str, name: str, arguments: Any) -> ToolCall:
    """Return a call with its arguments: an object, or the text that the model wrote, which may be none."""
    value = arguments
    if isinstance(arguments, str):
        try:
            value = parse_json(arguments)
        except FormatError:
            value = None
    if isinstance(value, dict):
        return ToolCall(id=call_id, name=name, arguments=Json(canonical_json(value)))
    raw = arguments if isinstance(arguments, str) else canonical_json(arguments)
    return ToolCall(id=call_id, name=name, arguments=NO_ARGUMENTS, raw=raw)


def text_of(content: Any) -> str:
    """Return the text of a message: itself, or its parts that are text, a line each.

    Of any other part there is a word that it was left out. Raises ValueError for one that is an action.
    """
    if content is None or isinstance(content, str):
        return content or ""
    return "\n".join(_part(part) for part in content)


def _part(part: Any) -> str:
    if isinstance(part, str):
        return part
    refuse_action(part)
    for name in ("text", "refusal"):
        if isinstance(part.get(name), str):
            return str(part[name])
    return f"[{part.get('type', 'unknown')} left out]"


def refuse_action(part: dict[str, Any]) -> None:
    """Raise ValueError for a part that is a call or a result: no word can stand in its place."""
    kind = str(part.get("type") or ", ".join(part))[:80]  # some APIs tell the type by the key
    if ACTION.search(kind):
        raise ValueError(f"a part of the type {kind!r} is a call or a result, and is not read at this place")


def is_text(content: Any) -> bool:
    """Check whether :func:`text_of` leaves nothing out."""
    plain = content is None or isinstance(content, str)
    return plain or all(isinstance(p, str) or isinstance(p.get("text"), str) for p in content)


def mcp_tools(functions: Iterable[dict[str, Any]]) -> list[dict[str, Any]]:
    """Return tools in the format of either OpenAI API, of Anthropic's, or of MCP as MCP declares them.

    Raises ValueError for one without a name.
    """
    return [_tool(function.get("function", function)) for function in functions]


def _tool(function: dict[str, Any]) -> dict[str, Any]:
    if not isinstance(function.get("name"), str):
        raise ValueError(f"a tool without a name: {json.dumps(function)[:80]}")
    schemas = [function[name] for name in PARAMETERS if function.get(name)]
    return {
        "name": function["name"],
        "description": function.get("description") or "",
        "inputSchema": schemas[0] if schemas else {"type": "object", "properties": {}},
    }
