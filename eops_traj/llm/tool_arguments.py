"""Tool calls whose arguments do not parse: read all the same where that can be done in one way only.

The written text is kept beside the reading of it (``ToolCall.raw``), so that no one takes a salvaged call
for a clean one. Text that could have meant two things is left alone, and the model is told.
"""

import json
import re
from collections.abc import Collection, Iterable, Mapping
from typing import Any, NamedTuple

from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json, clean
from eops_traj.llm.lenient_json import Unreadable, read_lenient_json
from eops_traj.schema import Json, ToolCall
from eops_traj.untrusted.json_text import parse_json, shorten_value

_FENCE = "```"
_FENCED = re.compile(r"```\w*\s*")
_MARK = re.compile(r"(?:<\|[^<>|]*\|>|</?s>|</?tool_call>)\s*")
"""The marks of a chat template that a server let through at the end."""
_MARK_CHARS = 100
"""Characters of a mark with the blanks after it."""


class Arguments(NamedTuple):
    """Arguments as a model wrote them, and as they are read."""

    value: dict[str, Any] | None
    """The arguments; None where they cannot be read, or in more ways than one."""
    raw: str | None
    """The written text, where it is not plain JSON."""


def read_arguments(written: Any, *, cut: bool = False, required: Collection[str] = ()) -> Arguments:
    """Read the arguments in a text. Empty text and null stand for none.

    ``cut`` says that the reply was cut short, so that brackets at its end are not the only thing missing;
    ``required`` are the arguments that a call must have, without which no brackets are supplied.
    """
    if written is None or isinstance(written, dict):  # some servers decode them for us
        return _storable(written or {}, None, str(written))
    text = written if isinstance(written, str) else json.dumps(written)
    if not text.strip():
        return Arguments({}, None)
    try:
        value = parse_json(text)
    except FormatError:
        return _storable(_salvaged(text, cut, required), text, text)
    if _key_written_twice(text) is not None:
        return Arguments(None, text)
    if isinstance(value, dict) or value is None:
        return _storable(value or {}, None, text)
    return _storable(_unwrapped(value, cut, required), text, text)


def read_call_arguments(
    written: Any, name: str, tools: Iterable[Mapping[str, Any]], *, cut: bool = False
) -> Arguments:
    """Read the arguments in a call of one of these tools, whose required ones `read_arguments` looks for."""
    arguments = read_arguments(written, cut=cut)
    if arguments.raw is None:
        return arguments
    return read_arguments(written, cut=cut, required=_required(tools, name))


def problem_of(raw: str) -> str:
    """Say what is wrong with arguments that could not be read, after "The arguments are"."""
    try:
        json.loads(raw)
        parse_json(raw)
    except FormatError as error:  # NaN, 1e999: JSON to Python alone
        return str(error)
    except (ValueError, RecursionError) as error:
        return f"not valid JSON: {error}"
    key = _key_written_twice(raw)
    return (
        "not a JSON object" if key is None else f"not clear: the key {shorten_value(key)} stands there twice"
    )


def _key_written_twice(text: str) -> str | None:
    """Return a key that an object of a JSON text has twice: nobody knows which of its values was meant."""
    twice: list[str] = []

    def note(pairs: list[tuple[str, Any]]) -> None:
        before = set[str]()
        for key, _ in pairs:
            twice.extend([key] if key in before else [])
            before.add(key)

    try:
        json.loads(text, object_pairs_hook=note)
    except (ValueError, RecursionError):
        return None
    return twice[0] if twice else None


def _required(tools: Iterable[Mapping[str, Any]], name: str) -> Collection[str]:
    """Return the arguments that a tool must have."""
    functions = (tool["function"] for tool in tools)
    declared: dict[str, Any] = next((one for one in functions if one["name"] == name), {})
    return (declared.get("parameters") or {}).get("required") or ()


def tool_call(call_id: str, name: str, arguments: Arguments) -> ToolCall:
    """Make a call without a result; its arguments are empty where they could not be read."""
    raw = None if arguments.raw is None else clean(arguments.raw)
    return ToolCall(id=call_id, name=name, arguments=Json(canonical_json(arguments.value or {})), raw=raw)


def is_unreadable(call: ToolCall) -> bool:
    """Check whether the call's arguments could not be read, so that it must not be run."""
    return call.raw is not None and call.arguments == "{}" and read_arguments(call.raw).value != {}


def _storable(value: dict[str, Any] | None, raw: str | None, written: str) -> Arguments:
    """Return the arguments, unless they hold a number that JSON cannot (1e999)."""
    try:
        canonical_json(value)
    except (ValueError, RecursionError):
        return Arguments(None, written)
    return Arguments(value, raw)


def _salvaged(text: str, cut: bool, required: Collection[str]) -> dict[str, Any] | None:
    """Read the object in a text that is not JSON; None where there is none, or more than one."""
    text = _unfenced(text)
    try:
        return _unwrapped(read_lenient_json(text), cut, required)
    except Unreadable:
        if cut:
            return None
    try:
        arguments = _unwrapped(read_lenient_json(text, closing=True), cut, required)
    except Unreadable:
        return None
    return arguments if arguments is not None and set(required) <= set(arguments) else None


def _unfenced(text: str) -> str:
    """Return the text without a fence around it, and without a template's marks after it."""
    text = text.strip()
    if len(text) > len(_FENCE) and text.endswith(_FENCE):
        text = _FENCED.sub("", text.removesuffix(_FENCE), count=1) if _FENCED.match(text) else text
    return _without_marks(text).strip()


def _without_marks(text: str) -> str:
    """Return the text without the marks at its end, each looked for where it would stand, however many."""
    end = len(text)
    while (start := text.rfind("<", max(0, end - _MARK_CHARS), end)) >= 0 and _MARK.fullmatch(
        text, start, end
    ):
        end = start
    return text[:end]


def _unwrapped(value: Any, cut: bool, required: Collection[str]) -> dict[str, Any] | None:
    """Return the object in a list of one, or in a string that holds JSON again."""
    if isinstance(value, list) and len(value) == 1:
        value = value[0]
    if isinstance(value, str) and value.lstrip()[:1] in ("{", "[", '"'):
        return read_arguments(value, cut=cut, required=required).value
    return value if isinstance(value, dict) else None
