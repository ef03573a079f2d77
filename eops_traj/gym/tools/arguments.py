"""Tool arguments: their JSON Schemas, and the conversion of values to them.

Values are read as pydantic reads them in its lax mode, as the real servers do: ``"7"`` is an integer where
an integer is wanted, ``"yes"`` a boolean, but 7 is never a string. A value that does not conform leaves a
`Problem` with pydantic's own type and message.
"""

import math
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import Any

import re2

from eops_traj.gym.engine.schema import Column
from eops_traj.gym.tools.errors import Problem
from eops_traj.gym.tools.patterns import matches
from eops_traj.gym.tools.sizes import ITEMS, QUERY, TEXT, size_problems

Report = Callable[[str, str, Mapping[str, Any]], Any]
_BOOLEAN_TEXTS = {
    **dict.fromkeys(("true", "t", "yes", "y", "on", "1"), True),
    **dict.fromkeys(("false", "f", "no", "n", "off", "0"), False),
}
_INTEGER_LIMIT = 2**63
_EMAIL = r"[^@\s\pZ]+@[^@\s\pZ]+\.[^@\s\pZ]+"


@dataclass(frozen=True)
class Argument:
    """One argument of a tool: its schema, and the column and comparison that it binds."""

    name: str
    schema: Mapping[str, Any]
    required: bool = False
    column: Column | None = None
    target: str = ""
    operator: str = "="

    @cached_property
    def longest(self) -> int:
        """The most characters of a text in it: parts of texts and what binds no column are read, not kept."""
        is_text = self.schema.get("type") in ("string", ["string", "null"])
        return QUERY if is_text and (self.column is None or self.operator == "~") else TEXT


def input_schema(
    arguments: tuple[Argument, ...], extra: Mapping[str, Any], plain: bool = False
) -> dict[str, Any]:
    """Return the ``inputSchema`` of MCP for a tool with these arguments."""
    properties = {a.name: _with_enum_in_words(a.schema) if plain else dict(a.schema) for a in arguments}
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    required = [a.name for a in arguments if a.required]
    return schema | ({"required": required} if required else {}) | dict(extra)


def _with_enum_in_words(schema: Mapping[str, Any]) -> dict[str, Any]:
    """Return the schema with its enum in words, for tools that check more than their schemas say."""
    plain = {key: value for key, value in schema.items() if key not in ("enum", "to_lower")}
    if "items" in plain:
        plain["items"] = _with_enum_in_words(plain["items"])
    if choices := schema.get("items", schema).get("enum"):
        plain["description"] = f"{schema.get('description', '')} One of: {', '.join(choices)}.".strip()
    return plain


def validate_arguments(
    arguments: tuple[Argument, ...], supplied: Mapping[str, Any], closed: bool = False
) -> tuple[dict[str, Any], list[Problem]]:
    """Return the supplied values, converted, and every problem with them."""
    values: dict[str, Any] = {}
    problems: list[Problem] = []
    for argument in arguments:
        if argument.name in supplied:
            value = supplied[argument.name]
            if sizes := list(size_problems(value, (argument.name,), argument.longest)):
                problems += sizes
            else:
                values[argument.name] = _convert(value, argument.schema, (argument.name,), problems)
        elif argument.required:
            problems.append(Problem("missing", (argument.name,), "Field required", _echo(dict(supplied))))
    if closed:
        known = {a.name for a in arguments}
        problems += [
            Problem("extra_forbidden", (name,), "Extra inputs are not permitted", _echo(supplied[name]))
            for name in islice((name for name in supplied if name not in known), ITEMS)
        ]
    return values, problems


def _echo(value: Any) -> Any:
    """Return the input as a problem repeats it, unless it is too large for that."""
    return value if next(size_problems(value, (), QUERY), None) is None else None


def _convert(
    value: Any, schema: Mapping[str, Any], loc: tuple[str | int, ...], problems: list[Problem]
) -> Any:
    kind = schema.get("type")
    if isinstance(kind, list):
        if value is None and "null" in kind:
            return None
        kind = next((k for k in kind if k != "null"), None)

    def report(type: str, msg: str, ctx: Mapping[str, Any]) -> None:
        problems.append(Problem(type, loc, msg, value, ctx))

    earlier = len(problems)
    if kind == "array":
        value = _array(value, schema, loc, problems, report)
    elif kind == "object":
        value = _object(value, schema, loc, problems, report)
    elif kind is not None:
        value = _CONVERTERS[kind](value, report)
    if len(problems) == earlier:
        if schema.get("to_lower") and isinstance(value, str):
            value = value.strip().lower()
        _check_limits(value, schema, report)
    return value


def _array(
    value: Any, schema: Mapping[str, Any], loc: tuple[str | int, ...], problems: list[Problem], report: Report
) -> Any:
    if not isinstance(value, list):
        return report("list_type", "Input should be a valid list", {})
    if len(value) > (most := schema.get("maxItems", len(value))):  # before anything is said of its items
        details = {"max_length": most, "actual_length": len(value)}
        return report("too_long", _sized("most", most, value), details)
    items = schema.get("items", {})
    return [_convert(item, items, (*loc, index), problems) for index, item in enumerate(value)]


def _object(
    value: Any, schema: Mapping[str, Any], loc: tuple[str | int, ...], problems: list[Problem], report: Report
) -> Any:
    if not isinstance(value, dict):
        return report("dict_type", "Input should be a valid dictionary", {})
    properties = schema.get("properties", {})
    for name in schema.get("required", ()):
        if name not in value:
            problems.append(Problem("missing", (*loc, name), "Field required", value))
    return {
        key: _convert(item, properties[key], (*loc, key), problems) if key in properties else item
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
        if not re.fullmatch(r"\s*[+-]?\d{1,40}(\.0+)?\s*", value, re.ASCII):
            message = "Input should be a valid integer, unable to parse string as an integer"
            return report("int_parsing", message, {})
        number = int(value.strip().split(".")[0])
    else:
        return report("int_type", "Input should be a valid integer", {})
    if not -_INTEGER_LIMIT <= number < _INTEGER_LIMIT:
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
    if isinstance(value, str) and value.lower() in _BOOLEAN_TEXTS:
        return _BOOLEAN_TEXTS[value.lower()]
    if isinstance(value, int | str) or (isinstance(value, float) and value.is_integer()):
        return report("bool_parsing", "Input should be a valid boolean, unable to interpret input", {})
    return report("bool_type", "Input should be a valid boolean", {})


_CONVERTERS: dict[str, Callable[[Any, Report], Any]] = {
    "string": _string,
    "integer": _integer,
    "number": _number,
    "boolean": _boolean,
}


def _check_limits(value: Any, schema: Mapping[str, Any], report: Report) -> None:
    if (choices := schema.get("enum")) and value not in choices:
        quoted = [repr(c) for c in choices]
        expected = " or ".join(part for part in (", ".join(quoted[:-1]), quoted[-1]) if part)
        report("enum", f"Input should be {expected}", {"expected": expected})
    if isinstance(value, str):
        _check_length(value, schema, report)
    elif isinstance(value, list):
        _check_size(value, schema, report)
    elif isinstance(value, int | float) and not isinstance(value, bool):
        if value < schema.get("minimum", value):
            least = schema["minimum"]
            report("greater_than_equal", f"Input should be greater than or equal to {least}", {"ge": least})
        if value > schema.get("maximum", value):
            most = schema["maximum"]
            report("less_than_equal", f"Input should be less than or equal to {most}", {"le": most})


def _check_length(value: str, schema: Mapping[str, Any], report: Report) -> None:
    least, most = schema.get("minLength", 0), schema.get("maxLength", len(value))
    if len(value) < least:
        message = f"String should have at least {least} character{'s' * (least != 1)}"
        report("string_too_short", message, {"min_length": least})
    if len(value) > most:
        message = f"String should have at most {most} character{'s' * (most != 1)}"
        report("string_too_long", message, {"max_length": most})
    if (pattern := schema.get("pattern")) and not matches(pattern, value):
        report("string_pattern_mismatch", f"String should match pattern '{pattern}'", {"pattern": pattern})
    if schema.get("format") == "email" and not re2.fullmatch(_EMAIL, value):
        message = "value is not a valid email address: An email address must have an @-sign."
        report("value_error", message, {"reason": "An email address must have an @-sign."})


def _check_size(value: list[Any], schema: Mapping[str, Any], report: Report) -> None:
    if len(value) < (least := schema.get("minItems", 0)):
        details = {"min_length": least, "actual_length": len(value)}
        report("too_short", _sized("least", least, value), details)


def _sized(bound: str, count: int, value: list[Any]) -> str:
    return f"List should have at {bound} {count} item{'s' * (count != 1)} after validation, not {len(value)}"
