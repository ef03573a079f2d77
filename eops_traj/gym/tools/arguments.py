"""Tool arguments: their JSON Schemas, and values made to conform to them.

Values are read as pydantic reads them in its lax mode, for the real servers do: ``"7"`` is an integer where
an integer is wanted, ``"yes"`` a boolean, but 7 is never a string. A value that does not conform leaves a
`Problem` with pydantic's own type and message.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any

from eops_traj.gym.engine.schema import Column
from eops_traj.gym.tools.errors import Problem

Report = Callable[[str, str, Mapping[str, Any]], Any]
_WORDS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
_BIGGEST = 2**63


@dataclass(frozen=True)
class Argument:
    """One argument of a tool: its schema, and the column and comparison that it stands for."""

    name: str
    schema: Mapping[str, Any]
    required: bool = False
    column: Column | None = None
    target: str = ""
    operator: str = "="


def input_schema(
    arguments: tuple[Argument, ...], extra: Mapping[str, Any], plain: bool = False
) -> dict[str, Any]:
    """The ``inputSchema`` that MCP shows for a tool with these arguments."""
    properties = {a.name: _plain(a.schema) if plain else dict(a.schema) for a in arguments}
    shown: dict[str, Any] = {"type": "object", "properties": properties}
    required = [a.name for a in arguments if a.required]
    return shown | ({"required": required} if required else {}) | dict(extra)


def _plain(schema: Mapping[str, Any]) -> dict[str, Any]:
    """The schema with its enum in words, for tools that check what their schemas do not say."""
    shown = {key: value for key, value in schema.items() if key not in ("enum", "to_lower")}
    if "items" in shown:
        shown["items"] = _plain(shown["items"])
    if choices := schema.get("items", schema).get("enum"):
        shown["description"] = f"{schema.get('description', '')} One of: {', '.join(choices)}.".strip()
    return shown


def conform(
    arguments: tuple[Argument, ...], given: Mapping[str, Any], closed: bool = False
) -> tuple[dict[str, Any], list[Problem]]:
    """The given values, converted, and every problem with them."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for argument in arguments:
        if argument.name in given:
            value = given[argument.name]
            values[argument.name] = _conform(value, argument.schema, (argument.name,), problems)
        elif argument.required:
            problems.append(Problem("missing", (argument.name,), "Field required", dict(given)))
    if closed:
        known = {a.name for a in arguments}
        problems += [
            Problem("extra_forbidden", (name,), "Extra inputs are not permitted", given[name])
            for name in given
            if name not in known
        ]
    return values, problems


def _conform(value: Any, schema: Mapping[str, Any], loc: tuple[str | int, ...], found: list[Problem]) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        if value is None and "null" in kind:
            return None
        kind = next((k for k in kind if k != "null"), None)

    def report(type: str, msg: str, ctx: Mapping[str, Any]) -> None:
        found.append(Problem(type, loc, msg, value, ctx))

    before = len(found)
    if kind == "array":
        value = _array(value, schema, loc, found, report)
    elif kind == "object":
        value = _object(value, schema, loc, found, report)
    elif kind is not None:
        value = _READERS[kind](value, report)
    if len(found) == before:
        if schema.get("to_lower") and isinstance(value, str):
            value = value.strip().lower()
        _limits(value, schema, report)
    return value


def _array(
    value: Any, schema: Mapping[str, Any], loc: tuple[str | int, ...], found: list[Problem], report: Report
) -> Any:
    if not isinstance(value, list):
        return report("list_type", "Input should be a valid list", {})
    items = schema.get("items", {})
    return [_conform(item, items, (*loc, index), found) for index, item in enumerate(value)]


def _object(
    value: Any, schema: Mapping[str, Any], loc: tuple[str | int, ...], found: list[Problem], report: Report
) -> Any:
    if not isinstance(value, dict):
        return report("dict_type", "Input should be a valid dictionary", {})
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            found.append(Problem("missing", (*loc, name), "Field required", value))
    return {
        key: _conform(item, properties[key], (*loc, key), found) if key in properties else item
        for key, item in value.items()
    }


def _string(value: Any, report: Report) -> Any:
    if not isinstance(value, str):
        return report("string_type", "Input should be a valid string", {})
    try:
        value.encode()
    except UnicodeEncodeError:  # a lone surrogate, which JSON can carry and SQLite cannot
        report(
            "string_unicode",
            "Input should be a valid string, unable to parse raw data as a unicode string",
            {},
        )
    return value


def _integer(value: Any, report: Report) -> Any:
    number: Any = None
    if isinstance(value, int):
        number = int(value)
    elif isinstance(value, float):
        if value != value or math.isinf(value):
            return report("finite_number", "Input should be a finite number", {})
        if value % 1:
            message = "Input should be a valid integer, got a number with a fractional part"
            return report("int_from_float", message, {})
        number = int(value)
    elif isinstance(value, str):
        if not re.fullmatch(r"\s*[+-]?\d{1,40}(\.0*)?\s*", value, re.ASCII):
            message = "Input should be a valid integer, unable to parse string as an integer"
            return report("int_parsing", message, {})
        number = int(value.strip().split(".")[0])
    else:
        return report("int_type", "Input should be a valid integer", {})
    if not -_BIGGEST <= number < _BIGGEST:
        return report(
            "int_parsing_size", "Unable to parse input string as an integer, exceeded maximum size", {}
        )
    return number


def _number(value: Any, report: Report) -> Any:
    if isinstance(value, int | str) and not isinstance(value, bool):
        try:
            value = float(value)
        except (ValueError, OverflowError):
            message = "Input should be a valid number, unable to parse string as a number"
            return report("float_parsing", message, {})
    if not isinstance(value, float | bool):
        return report("float_type", "Input should be a valid number", {})
    if not math.isfinite(value):
        return report("finite_number", "Input should be a finite number", {})
    return float(value)


def _boolean(value: Any, report: Report) -> Any:
    if isinstance(value, bool):
        return value
    if isinstance(value, int | float) and value in (0, 1):
        return bool(value)
    if isinstance(value, str) and value.strip().lower() in _WORDS:
        return _WORDS[value.strip().lower()]
    if isinstance(value, int | float | str):
        return report("bool_parsing", "Input should be a valid boolean, unable to interpret input", {})
    return report("bool_type", "Input should be a valid boolean", {})


_READERS: dict[str, Callable[[Any, Report], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}


def _limits(value: Any, schema: Mapping[str, Any], report: Report) -> None:
    if (choices := schema.get("enum")) and value not in choices:
        shown = [repr(c) for c in choices]
        expected = " or ".join(part for part in (", ".join(shown[:-1]), shown[-1]) if part)
        report("enum", f"Input should be {expected}", {"expected": expected})
    if isinstance(value, str):
        _lengths(value, schema, report)
    elif isinstance(value, list):
        _sizes(value, schema, report)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            least = schema["minimum"]
            report("greater_than_equal", f"Input should be greater than or equal to {least}", {"ge": least})
        if value > schema.get("maximum", value):
            most = schema["maximum"]
            report("less_than_equal", f"Input should be less than or equal to {most}", {"le": most})


def _lengths(value: str, schema: Mapping[str, Any], report: Report) -> None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if len(value) < least:
        message = f"String should have at least {least} character{'s' * (least != 1)}"
        report("string_too_short", message, {"min_length": least})
    if len(value) > most:
        message = f"String should have at most {most} character{'s' * (most != 1)}"
        report("string_too_long", message, {"max_length": most})
    if (pattern := schema.get("pattern")) and not re.search(pattern, value):
        report("string_pattern_mismatch", f"String should match pattern '{pattern}'", {"pattern": pattern})
    if schema.get("format") == "email" and not re.fullmatch(r"[^@\s]+@[^@\s]+\.[^@\s]+", value):
        message = "value is not a valid email address: An email address must have an @-sign."
        report("value_error", message, {"reason": "An email address must have an @-sign."})


def _sizes(value: list[Any], schema: Mapping[str, Any], report: Report) -> None:
    least, most = schema.get("minItems", 0), schema.get("maxItems", len(value))
    if len(value) < least:
        message = (
            f"List should have at least {least} item{'s' * (least != 1)} after validation, not {len(value)}"
        )
        report("too_short", message, {"min_length": least, "actual_length": len(value)})
    if len(value) > most:
        message = (
            f"List should have at most {most} item{'s' * (most != 1)} after validation, not {len(value)}"
        )
        report("too_long", message, {"max_length": most, "actual_length": len(value)})
