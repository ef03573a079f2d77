"""The declaration language of tools, in ``tools.sql`` and in the docstrings of ``tools.py``.

A tool in ``tools.sql`` is a comment header and one statement. The header::

    -- list_users(user_id, name ~ last_name, active, roles[] = role, created_after > sys_created_on) -> rows
    -- People who match every filter given.
    --   name: Part of a last name. {minLength: 1}
    -- @allow admin, manager
    SELECT user_id, last_name FROM user WHERE {filters} ORDER BY user_id;

**Signature**: name, arguments, shape. It may go over several lines. An argument binds the column of its own
name in the statement's main table (the first after FROM, INTO, UPDATE); type, enum and description come from
there.

- ``a!`` required · ``a?`` may be null · ``a[]`` a list; as a filter, any of its values
- ``a = column`` or ``a = table.column`` binds another column; ``a ~ column`` is a filter for a substring,
  whatever the case; ``> >= < <=`` compare; a lone ``a ~`` keeps its own name. Marks come first: ``a!? ~``

**Shape**: ``rows`` a list · ``row`` one object · ``deleted`` the number of rows, as ``{"deleted": 1}`` ·
``done`` the server's sentence for what has no result.
``-> row of knowledge`` names the main table where the text does not.

**Lines** after the signature are the description. An indented ``name: text {JSON Schema}`` describes an
argument where its column's words do not fit, and overrides its schema (flow YAML; ``{enum: null}`` takes a
key away; ``{default: 50}`` counts as given; ``{to_lower: true}`` lowers a text before it is checked). An
argument that binds no column needs a ``{type: ...}``. Deeper indented lines continue the one above. The same
lines ahead of the first tool of ``tools.sql`` describe an argument wherever it occurs, in ``tools.py`` too; a
tool's own line goes before them. A ``@refuse`` there holds for every tool that takes all the arguments it
names; ``@camel`` there says that ``displayName`` binds the column ``display_name``.

**Directives**

- ``@allow admin, manager``  who may use it when permissions are strict (without the line: everyone)
- ``@else CODE: message``  when no row is found, changed or deleted; ``{argument}`` in it is its value
- ``@refuse CODE: message WHEN sql``  a condition, checked before the statement; several are checked in order
- ``@unchanged CODE: message``  refuses an update that would change nothing; ``{fields}``, ``{values}`` and
  ``{already}`` tell which: ``name``, ``name='x'``, ``name (already 'x')``
- ``@any`` or ``@any a, b``  at least one of these arguments, or of the slotted ones; the schema says so
- ``@some`` or ``@some a, b``  the same, where the real tool's schema does not say so
- ``@blank keep`` | ``drop`` | ``clear`` | ``null``  what an empty string means: see
  `eops_traj.gym.tools.empty_values` (the server's ``empty_text`` is the default)
- ``@outward`` or ``@outward a, b``  a row that it adds reaches others at once (mail, a notice, a share), and
  removing it takes nothing back; nor does it to change a or b, the columns that say whom it reaches
- ``@closed``  unknown arguments are refused, not ignored
- ``@plain``  the schema shows no enums: the descriptions tell them, and a call is checked all the same
- ``@as name words``  the result goes through the function of ``tools.py`` of this name, marked by
  `result_formatter`

**Slots and parameters** of the statement: see `eops_traj.gym.tools.statements`. An argument named in the text
with a colon is bound there; all others go to the slot. ``:now`` is the time, ``:caller_x`` the caller's
column x. A result column named ``"x BOOLEAN"`` or ``"x JSON"`` is converted. Before a write, every argument
that binds a foreign key is looked up. A DELETE needs a filter, an UPDATE a field.

In ``tools.py`` a function decorated with `tool` has the same header as its docstring, without its name, and
gets a `Call`. Arguments without a column (``search_text``, ``limit``) stay out of its slots.
"""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import yaml

from eops_traj.errors import FormatError
from eops_traj.gym.engine.schema import Column, Schema, Table
from eops_traj.gym.tools.arguments import Argument

ArgumentNotes = Mapping[str, tuple[str, dict[str, Any]]]
"""Notes on arguments, by name: a description, and what overrides their column's JSON Schema."""

_SIGNATURE = re.compile(r"(\w+)\((.*?)\)\s+-> (rows|row|deleted|done)(?: of (\w+))?\s*(?:\n|$)", re.DOTALL)
_ARGUMENT = re.compile(r"(\w+)(\[\])?(!)?(\?)?(?:\s*(=|~|>=|>|<=|<)\s*([\w.]*))?")
_LINE = re.compile(r" {2,}(\w+): ?(.*?)(\{.*\})?")
_OPERATOR_PREFIXES = {
    "~": "Part of this: ",
    "in": "Any of these: ",
    ">": "After ",
    ">=": "From ",
    "<": "Before ",
    "<=": "Up to ",
}
_NAMED = re.compile(r"(?<![:\w]):(?!now\b|caller_)(\w+)")
_DIRECTIVES = (
    "allow",
    "else",
    "refuse",
    "unchanged",
    "any",
    "some",
    "blank",
    "closed",
    "plain",
    "as",
    "camel",
    "outward",
)


@dataclass(frozen=True)
class Declaration:
    """The header of a tool, parsed."""

    name: str
    description: str
    arguments: tuple[Argument, ...]
    shape: str
    table: Table | None
    directives: Mapping[str, tuple[str, ...]]


def named_arguments(refusals: str) -> set[str]:
    """Return the arguments that the conditions of refusals name."""
    return set(_NAMED.findall(refusals))


@dataclass(frozen=True)
class SharedDeclarations:
    """The declarations for all tools of a server: notes and spelling of arguments, and refusals."""

    notes: ArgumentNotes = field(default_factory=dict)
    refusals: tuple[str, ...] = ()
    camel: bool = False

    def refused(self, arguments: Iterable[Argument]) -> tuple[str, ...]:
        """Return the refusals that name none but these arguments."""
        names = {a.name for a in arguments}
        return tuple(text for text in self.refusals if named_arguments(text) <= names)


def parse_shared(sql: str) -> SharedDeclarations:
    """Parse the lines of ``tools.sql`` ahead of its first tool."""
    ahead = re.split(r"^-- \w+\(", sql, maxsplit=1, flags=re.MULTILINE)[0]
    lines = [line[3:] for line in ahead.splitlines() if line.startswith("-- ")]
    _, notes, directives = _parse_lines("tools.sql", "\n".join(lines))
    return SharedDeclarations(notes, directives.get("refuse", ()), "camel" in directives)


def parse_declaration(
    schema: Schema, header: str, main: Table | None, aliases: Mapping[str, Table], writes: bool,
    shared: SharedDeclarations = SharedDeclarations(),
) -> Declaration:  # fmt: skip
    """Parse a header; ``main`` is the table of its statement, ``writes`` whether that changes rows."""
    match = _SIGNATURE.match(header)
    if not match:
        raise FormatError(f"tools: no signature 'name(arguments) -> shape' in {header[:60]!r}")
    name, signature, shape, table = match.groups()
    if table:
        if table not in schema.tables:
            raise FormatError(f"tools: {name}: no table {table!r}")
        main = schema.tables[table]
    description, own, directives = _parse_lines(name, header[match.end() :])
    merged = {argument: _merge(shared.notes, argument, *note) for argument, note in own.items()}
    notes = {**shared.notes, **merged}
    arguments = tuple(
        _argument(name, text.strip(), main, schema, aliases, notes, writes, shared.camel)
        for text in signature.split(",")
        if text.strip()
    )
    if strays := own.keys() - {a.name for a in arguments}:
        raise FormatError(f"tools: {name}: describes what it does not take: {', '.join(sorted(strays))}")
    if refused := (*shared.refused(arguments), *directives.get("refuse", ())):
        directives["refuse"] = refused
    told = split_words(" ".join(directives.get("outward", ())))
    if main and (unknown := [column for column in told if column not in main.columns]):
        raise FormatError(f"tools: {name}: @outward: {main.name} has no column {', '.join(unknown)}")
    return Declaration(name, description, arguments, shape, main, directives)


def _merge(
    notes: ArgumentNotes, argument: str, description: str, override: dict[str, Any]
) -> tuple[str, dict[str, Any]]:
    shared = notes.get(argument, ("", {}))
    return description or shared[0], shared[1] | override


def _parse_lines(
    name: str, text: str
) -> tuple[str, dict[str, tuple[str, dict[str, Any]]], dict[str, tuple[str, ...]]]:
    """Return the description, the notes on arguments, and the directives of a header."""
    description: list[str] = []
    notes: dict[str, tuple[str, dict[str, Any]]] = {}
    directives: dict[str, tuple[str, ...]] = {}
    for line in re.sub(r"\n {4,}", " ", text).splitlines():
        if line.startswith("@"):
            key, _, rest = line[1:].partition(" ")
            if key not in _DIRECTIVES:
                raise FormatError(f"tools: {name}: unknown directive @{key}")
            directives[key] = (*directives.get(key, ()), rest.strip())
        elif match := _LINE.fullmatch(line):
            notes[match[1]] = (match[2].strip(), yaml.safe_load(match[3] or "{}"))
        else:
            description.append(line.strip())
    return " ".join(filter(None, description)), notes, directives


def split_words(text: str) -> tuple[str, ...]:
    """Return the words of a list."""
    return tuple(re.findall(r"\w+", text))


def _argument(
    tool: str, text: str, main: Table | None, schema: Schema, aliases: Mapping[str, Table],
    notes: ArgumentNotes, writes: bool, camel: bool,
) -> Argument:  # fmt: skip
    match = _ARGUMENT.fullmatch(text)
    if not match:
        raise FormatError(f"tools: {tool}: cannot read argument {text!r}")
    name, many, required, nullable, operator, target = match.groups()
    target = target or name
    column = _column(target, main, schema, aliases)
    if camel and column is None and (column := _column(_snake(target), main, schema, aliases)):
        target = _snake(target)
    operator = "in" if many else operator or "="
    description, override = notes.get(name, ("", {}))
    shape = column.schema(limits=writes) if column else {}
    if not column and "type" not in override:
        raise FormatError(f"tools: {tool}: argument {name!r} binds no column and has no type")
    if column and not description and operator in _OPERATOR_PREFIXES and not (many and writes):
        description = _OPERATOR_PREFIXES[operator] + column.description[0].lower() + column.description[1:]
    shape = shape | {"description": description or shape.get("description", "")}
    shape = _shape(shape, many, nullable, override)
    return Argument(name, shape, bool(required), column, target, operator)


def _snake(name: str) -> str:
    return re.sub(r"(?<=[a-z0-9])(?=[A-Z])", "_", name).lower()


def _shape(shape: dict[str, Any], many: str, nullable: str, override: Mapping[str, Any]) -> dict[str, Any]:
    if many:
        items = {k: v for k, v in shape.items() if k != "description"} | override.get("items", {})
        shape = {"type": "array", "items": items, "description": shape["description"]}
        override = {k: v for k, v in override.items() if k != "items"}
    shape = {k: v for k, v in (shape | dict(override)).items() if v is not None}
    if nullable:
        shape["type"] = [shape["type"], "null"]
    return shape


def _column(target: str, main: Table | None, schema: Schema, aliases: Mapping[str, Table]) -> Column | None:
    if "." in target:
        alias, name = target.split(".")
        table = aliases.get(alias) or schema.tables.get(alias)
        return table.columns.get(name) if table else None
    return main.columns.get(target) if main else None
