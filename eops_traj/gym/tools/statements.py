"""SQL with slots: one statement of ``tools.sql``, completed by the arguments that a call gives.

A slot stands for every argument that has a column and is not named in the text with a colon:

``{filters}``             after WHERE: the comparison of each argument given, or 1
``{changes}``             after SET: ``column = :argument`` of each argument given, and ``[updated]`` columns
``{values}``              after the table of an INSERT: columns and VALUES, with what tags fill
``{values, a = :b, ...}`` the same with further columns
"""

import json
import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.gym.engine.schema import Column, Table
from eops_traj.gym.tools.arguments import Argument

_SLOT = re.compile(r"\{(filters|changes|values)((?:,[^{}]*)?)\}")
_NAMED = re.compile(r"(?<![:\w]):([A-Za-z_]\w*)")
_TEXT = re.compile(r"'(?:[^']|'')*'")
READS = re.compile(r"\s*(select|with(?!.*\b(insert|update|delete)\b))", re.IGNORECASE | re.DOTALL)
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ_-"
SUPPLIED = ("now", "caller_")
"""Names that a statement may use beside its arguments: the time, and any column of the caller's row."""


@dataclass(frozen=True)
class Statement:
    """A statement with its slots, for the arguments of one tool."""

    text: str
    table: Table
    arguments: tuple[Argument, ...]
    _built: dict[tuple[str, ...], str] = field(default_factory=dict, compare=False)

    @cached_property
    def writes(self) -> bool:
        """Whether it changes rows."""
        return READS.match(self.text) is None

    @cached_property
    def named(self) -> tuple[str, ...]:
        """The parameters that its text names."""
        return tuple(dict.fromkeys(_NAMED.findall(_TEXT.sub("''", self.text))))

    @cached_property
    def slotted(self) -> tuple[Argument, ...]:
        """The arguments that fill its slot: those with a column that the text does not name."""
        return tuple(a for a in self.arguments if a.column and a.name not in self.named)

    @cached_property
    def slot(self) -> str:
        """The kind of its slot, if it has one."""
        match = _SLOT.search(self.text)
        return match[1] if match else ""

    def given(self, values: Mapping[str, Any]) -> tuple[Argument, ...]:
        """Return the slotted arguments that have a value."""
        return tuple(a for a in self.slotted if a.name in values)

    def sql(self, values: Mapping[str, Any]) -> str:
        """Return the statement with its slots filled."""
        given = self.given(values)
        key = tuple(a.name for a in given)
        if key not in self._built:
            self._built[key] = _SLOT.sub(lambda slot: self._fill(slot[1], slot[2], given), self.text)
        return self._built[key]

    def bindings(self, values: Mapping[str, Any], supplied: Mapping[str, Any]) -> dict[str, Any]:
        """Return a value for every parameter: arguments left out are NULL, lists and objects are JSON."""
        bound = dict.fromkeys(self.named) | {a.name: None for a in self.arguments} | dict(supplied)
        for name, value in values.items():
            bound[name] = json.dumps(value) if isinstance(value, list | dict) else value
        return bound

    def _fill(self, slot: str, extra: str, given: tuple[Argument, ...]) -> str:
        if slot == "filters":
            return " AND ".join(_comparison(a) for a in given) or "1"
        if slot == "changes":
            return ", ".join(
                [f"{_quoted(a.target)} = :{a.name}" for a in given] + self._stamps("updated", given)
            )
        return self._values(extra, given)

    def _values(self, extra: str, given: tuple[Argument, ...]) -> str:
        pairs = {a.target: f":{a.name}" for a in given}
        for pair in re.split(r",\s*(?=\w+ = )", extra)[1:]:
            column, expression = pair.split(" = ", 1)
            pairs[column] = expression.strip()
        for column in self.table.columns.values():
            if column.tag and column.name not in pairs:
                pairs[column.name] = _tag_expression(column, self.table.columns)
        names = ", ".join(map(_quoted, pairs))
        return f"({names}) VALUES ({', '.join(pairs.values())})" if pairs else "DEFAULT VALUES"

    def _stamps(self, tag: str, given: tuple[Argument, ...]) -> list[str]:
        targets = {a.target for a in given}
        stamped = [c.name for c in self.table.columns.values() if c.tag == tag and c.name not in targets]
        return [f"{_quoted(name)} = :now" for name in stamped if f"{name} =" not in self.text]


def _comparison(argument: Argument) -> str:
    column, name = argument.target, argument.name
    if "." not in column:
        column = _quoted(column)
    if argument.operator == "~":
        return f"instr(lower({column}), lower(:{name})) > 0"
    if argument.operator == "in":
        return f"{column} IN (SELECT value FROM json_each(:{name}))"  # noqa: S608 - a name of the schema
    if argument.operator != "=" and argument.column and argument.column.kind == "string":
        # times are written with a blank or a T, by seeds and by agents alike
        return f"replace({column}, 'T', ' ') {argument.operator} replace(:{name}, 'T', ' ')"
    return f"{column} {argument.operator} :{name}"


def _tag_expression(column: Column, siblings: Mapping[str, Column]) -> str:
    """Return the SQL expression for a column that a tag fills."""
    if column.tag in ("created", "updated"):
        return ":now"
    layout, _, counted = column.tag.partition(" of ")
    for mark, function in (("{hex}", "new_hex()"), ("{uuid}", "new_uuid()"), ("{ulid}", "new_ulid()")):
        if mark in layout:
            return f"replace('{layout}', '{mark}', {function})"
    if not re.fullmatch(r"[\w#-]*%0?\d*d", layout):
        raise FormatError(f"schema.sql: {column.table}.{column.name}: unknown tag [{column.tag}]")
    source = _quoted(counted or column.name)
    number = f"max({source})"
    if siblings[counted or column.name].kind != "integer":
        number = f"max(CAST(ltrim(upper({source}), '{_LETTERS}') AS INTEGER))"
    return f"printf('{layout}', (SELECT coalesce({number}, 0) + 1 FROM {_quoted(column.table)}))"  # noqa: S608


def _quoted(name: str) -> str:
    return f'"{name}"'
