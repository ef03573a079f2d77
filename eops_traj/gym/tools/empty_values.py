"""The meaning of empty texts. Each real server has its own rule, and some of their tools another one:

``keep``   it is a text like any other
``drop``   it is not given
``clear``  it is NULL
``null``   it is NULL, and so is null, which everywhere else is not given

Under ``drop`` and ``clear``, a text of spaces that a write would store is NULL as well, a required argument
that is blank is missing, an empty list is not given, and lists and objects lose their empty texts. An empty
text for an argument whose schema wants a character is refused.
"""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.tool import Tool

_GIVEN, _ABSENT, _NULL = "given", "absent", "null"


def split_empty(tool: Tool, supplied: Mapping[str, Any], mode: str) -> tuple[dict[str, Any], dict[str, None]]:
    """Return the arguments that have a value, and those that are NULL."""
    known = {a.name: a for a in tool.arguments}
    kept: dict[str, Any] = {}
    cleared: dict[str, None] = {}
    for name, value in supplied.items():
        value = value if mode in ("keep", "null") else _without_blanks(value)
        argument = known.get(name)
        meaning = _meaning(argument, value, mode, _stores(tool)) if argument else _GIVEN
        if meaning == _GIVEN:
            kept[name] = value
        elif meaning == _NULL:
            cleared[name] = None
    return kept, cleared


def _meaning(argument: Argument, value: Any, mode: str, stored: bool) -> str:
    blank = isinstance(value, str) and not value.strip()
    if mode in ("drop", "clear") and value == "" and argument.schema.get("minLength"):
        return _GIVEN
    if argument.required:
        return _ABSENT if blank and stored and mode in ("drop", "clear") else _GIVEN
    if mode == "null":
        return _NULL if blank or value is None else _GIVEN
    if value is None or (mode != "keep" and value == []):
        return _ABSENT
    if mode == "keep" or not blank:
        return _GIVEN
    return _NULL if stored and (mode == "clear" or value) else _ABSENT


def _stores(tool: Tool) -> bool:
    """Check whether its arguments are written to columns, not searched for."""
    return tool.statement is not None and tool.statement.slot in ("values", "changes")


def _without_blanks(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: item for key, item in value.items() if item != ""}
    if isinstance(value, list):
        return [item for item in value if item != ""]
    return value
