"""The store's schema as a page, which ``eops-traj schema`` prints and ``docs/schema.md`` holds.

Everything in it comes from the dataclasses of :mod:`eops_traj.schema`, so that it cannot differ from them.
"""

import dataclasses
import typing
from typing import Any, NamedTuple

from eops_traj import schema
from eops_traj.store.arrow import documentation, field_types, nullable
from eops_traj.store.batches import KINDS

TABLES: dict[str, tuple[type, str]] = {
    "episodes": KINDS["episodes"],
    **{name: kind for name, kind in KINDS.items() if name != "episodes"},
    "selections": (schema.Selection, "name"),
}
"""The tables of a store: the record that a row is, and its key."""

_PLAIN = {str: "string", int: "int64", float: "double", bool: "bool", bytes: "binary", schema.Json: "JSON"}

HEAD = """\
# The schema of the store

<!-- Written by `eops-traj schema > docs/schema.md`; change eops_traj/schema.py instead. -->

Version {version}. A store has {count} tables: {tables}. [The store](store.md) says how to read them, the
[glossary](glossary.md) what the words mean.

Types are Arrow's. A struct is named after its table further down. JSON is a string of canonical JSON:
arguments and schemas differ from tool to tool, and one column type for all of them would fill each with the
nulls of the others. A column that may be null is so where nothing is known: an unknown cost is not 0.
"""


class Column(NamedTuple):
    """A column of a table, or a field of a struct in it."""

    name: str
    type: str
    null: bool
    meaning: str


def columns(record: type) -> list[Column]:
    """Return the columns of a record, in order."""
    hints = typing.get_type_hints(record, include_extras=True)
    meanings = documentation(record)
    return [
        Column(name, _type(plain), nullable(hints[name]), meanings[name])
        for name, plain in field_types(record).items()
    ]


def records() -> dict[str, type]:
    """Return every record by the title of its section: the tables, each followed by its structs."""
    sections: dict[str, type] = {}
    for table, (record, _) in TABLES.items():
        sections[table] = record
        sections |= {struct.__name__: struct for struct in _structs(record)}
    return sections


def page() -> str:
    """Render the whole schema in Markdown."""
    tables = ", ".join(f"[`{name}`](#{name})" for name in TABLES)
    head = HEAD.format(version=schema.SCHEMA_VERSION, count=len(TABLES), tables=tables)
    return "\n".join([head, *(_section(title, record) for title, record in records().items())])


def as_json() -> dict[str, Any]:
    """Return the whole schema for machines: by table or struct, its columns."""
    return {title: [column._asdict() for column in columns(record)] for title, record in records().items()}


def _section(title: str, record: type) -> str:
    text = " ".join((record.__doc__ or "").split())
    key = f" Key: `{TABLES[title][1]}`." if title in TABLES else ""
    rows = [
        f"| `{c.name}` | {_linked(c.type)} | {'yes' if c.null else ''} | {c.meaning} |"
        for c in columns(record)
    ]
    head = ["| column | type | null | meaning |", "|---|---|---|---|"]
    return "\n".join([f"## {title}", "", f"{text}{key}", "", *head, *rows, ""])


def _structs(record: type) -> list[type]:
    """Return the records inside a record, outermost first."""
    structs: list[type] = []
    for plain in field_types(record).values():
        inner = typing.get_args(plain)[0] if typing.get_origin(plain) is tuple else plain
        if dataclasses.is_dataclass(inner):
            structs += [typing.cast(type, inner), *_structs(typing.cast(type, inner))]
    return structs


def _type(plain: Any) -> str:
    """Name a type in Arrow's words; a struct by its name."""
    if typing.get_origin(plain) is tuple:
        return f"list of {_type(typing.get_args(plain)[0])}"
    return _PLAIN.get(plain) or str(plain.__name__)


def _linked(type_: str) -> str:
    """Render a type, its struct with a link to the section of its fields."""
    name = type_.removeprefix("list of ")
    return type_.replace(name, f"[{name}](#{name.lower()})") if name in records() else type_
