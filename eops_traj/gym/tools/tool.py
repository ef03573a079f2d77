"""Tools: what a server declares in ``tools.sql`` and ``tools.py``.

The language is described in `eops_traj.gym.tools.declarations` and `eops_traj.gym.tools.statements`.
"""

import inspect
import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any, TypeVar

from eops_traj.errors import FormatError
from eops_traj.gym.engine.schema import Schema, Table
from eops_traj.gym.tools import declarations
from eops_traj.gym.tools.arguments import input_schema
from eops_traj.gym.tools.declarations import Declaration, SharedDeclarations, split_words
from eops_traj.gym.tools.statements import READS, SUPPLIED, Statement

# The first argument of both is a `Call`, which holds its tool: named here, the modules would form a circle.
ToolFunction = Callable[[Any], Any]
F = TypeVar("F", bound=ToolFunction)
ResultFormatter = Callable[[Any, Any, str], Any]
A = TypeVar("A", bound=ResultFormatter)

_TABLES = re.compile(
    r'\b(?:FROM|JOIN|INTO|UPDATE)\s+"?(\w+)"?(?:\s+(?:AS\s+)?(?!SET\b|WHERE\b|ON\b|JOIN\b)(\w+))?',
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Tool(Declaration):
    """A tool: its declaration, and the statement or function that it runs."""

    statement: Statement | None = None
    function: ToolFunction | None = None
    formatter: ResultFormatter | None = None
    tables: Mapping[str, Table] = field(default_factory=dict)
    statements: dict[str, Statement] = field(default_factory=dict, compare=False)

    @cached_property
    def roles(self) -> frozenset[str]:
        """The roles that may use it when permissions are strict; empty where every role may."""
        return frozenset(split_words(" ".join(self.directives.get("allow", ()))))

    @cached_property
    def any_of(self) -> tuple[str, ...]:
        """The arguments of which a call must give at least one."""
        listed = self.directive("any") if "any" in self.directives else self.directive("some")
        if listed is None:
            return ()
        named = split_words(listed)
        return named or tuple(a.name for a in (self.statement.slotted if self.statement else self.arguments))

    @cached_property
    def defaults(self) -> dict[str, Any]:
        """The values of arguments that are left out; a blank default only stands for "left out"."""
        defaults = {a.name: a.schema.get("default") for a in self.arguments}
        return {name: value for name, value in defaults.items() if value not in (None, "")}

    @cached_property
    def refusals(self) -> tuple[tuple[str, Statement], ...]:
        """The refusals checked beforehand: each wording, and the query that finds a reason for it."""
        table = self.table or next(iter(self.tables.values()))
        parts = [text.partition(" WHEN ") for text in self.directives.get("refuse", ())]
        return tuple(
            (wording, Statement(f"SELECT 1 WHERE {condition}", table, self.arguments))
            for wording, _, condition in parts
        )

    @cached_property
    def input_schema(self) -> dict[str, Any]:
        """The JSON Schema of its arguments."""
        extra: dict[str, Any] = {"additionalProperties": False} if "closed" in self.directives else {}
        if "any" in self.directives:
            extra["anyOf"] = [{"required": [name]} for name in self.any_of]
        return input_schema(self.arguments, extra, plain="plain" in self.directives)

    @property
    def outward(self) -> tuple[str, ...] | None:
        """The columns that say whom a row that it adds reaches at once; None where it reaches nobody."""
        named = self.directive("outward")
        return None if named is None else split_words(named)

    def directive(self, name: str) -> str | None:
        """Return the text of a directive, None without it."""
        return next(iter(self.directives.get(name, ())), None)

    def listing(self) -> dict[str, Any]:
        """Return the tool as ``tools/list`` shows it."""
        return {"name": self.name, "description": self.description, "inputSchema": self.input_schema}


def tool(function: F) -> F:
    """Mark a function of ``tools.py`` as a tool; its docstring is the header."""
    function.is_tool = True  # type: ignore[attr-defined]
    return function


def result_formatter(*arguments: str) -> Callable[[A], A]:
    """Mark a function of ``tools.py`` that ``@as`` may name, and the arguments that it uses of a tool."""

    def mark(function: A) -> A:
        function.formats_arguments = frozenset(arguments)  # type: ignore[attr-defined]
        return function

    return mark


def load(
    schema: Schema,
    sql: str,
    functions: Sequence[ToolFunction],
    formatters: Mapping[str, ResultFormatter] | None = None,
) -> dict[str, Tool]:
    """Load every tool of a server, and check each statement against its arguments."""
    shared = declarations.parse_shared(sql)
    tools = [_from_sql(schema, shared, header, text, formatters or {}) for header, text in _split(sql)]
    tools += [_from_function(schema, shared, function) for function in functions]
    names = [t.name for t in tools]
    if twice := sorted({n for n in names if names.count(n) > 1}):
        raise FormatError(f"tools declared twice: {', '.join(twice)}")
    return {t.name: t for t in tools}


def _split(sql: str) -> Iterator[tuple[str, str]]:
    """Yield header and statement of each tool; lines that begin with three dashes are for the reader."""
    for block in re.split(r"\n(?=-- \w+\()", "\n" + re.sub(r"^---.*\n", "", sql, flags=re.MULTILINE)):
        lines = block.strip("\n").splitlines()
        header = [line[3:] for line in lines if line.startswith("--")]
        text = "\n".join(line for line in lines if not line.startswith("--")).strip().rstrip(";")
        if text:
            yield "\n".join(header), text


def _from_sql(
    schema: Schema, shared: SharedDeclarations, text: str, sql: str, formatters: Mapping[str, ResultFormatter]
) -> Tool:
    aliases = {
        alias or table: schema.tables[table]
        for table, alias in _TABLES.findall(sql)
        if table in schema.tables
    }
    main = next(iter(aliases.values()), None)
    header = declarations.parse_declaration(schema, text, main, aliases, not READS.match(sql), shared)
    if header.table is None:
        raise FormatError(f"tools.sql: {header.name}: no table found; say '-> row of TABLE'")
    statement = Statement(sql, header.table, header.arguments)
    formatter = _formatter(header, formatters)
    _check_arguments(header, statement, getattr(formatter, "formats_arguments", frozenset()))
    tables = aliases or {header.table.name: header.table}
    return Tool(**vars(header), statement=statement, formatter=formatter, tables=tables)


def _formatter(header: Declaration, formatters: Mapping[str, ResultFormatter]) -> ResultFormatter | None:
    """Return the function that ``@as`` names."""
    if "as" not in header.directives:
        return None
    name = header.directives["as"][0].partition(" ")[0]
    if name not in formatters:
        raise FormatError(f"tools.sql: {header.name}: tools.py has no answer {name!r}")
    return formatters[name]


def _check_arguments(header: Declaration, statement: Statement, elsewhere: frozenset[str]) -> None:
    """Check that every argument is used, and that everything used is an argument."""
    known = {a.name for a in header.arguments}
    used = {*statement.named, *((a.name for a in statement.slotted) if statement.slot else ())}
    used |= declarations.named_arguments(" ".join(header.directives.get("refuse", ())))
    if unused := sorted(known - used - elsewhere):
        raise FormatError(f"tools.sql: {header.name}: unused arguments: {', '.join(unused)}")
    if strays := sorted(n for n in used - known if not n.startswith(SUPPLIED)):
        raise FormatError(f"tools.sql: {header.name}: no such argument: {', '.join(strays)}")


def _from_function(schema: Schema, shared: SharedDeclarations, function: ToolFunction) -> Tool:
    text = inspect.cleandoc(function.__doc__ or "")  # from Python 3.13 on docstrings come without indentation
    name = getattr(function, "__name__", "?")
    header = declarations.parse_declaration(schema, name + text, None, schema.tables, True, shared)
    return Tool(**vars(header), function=function, tables=schema.tables)
