"""Calls that mean something: arguments taken from rows of the seed, new values made up where one writes.

`attempts(server, tool, database)` yields arguments for a tool, likely ones first; what one guess gets wrong
another gets right, so whoever calls takes the first that does what is looked for.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import yaml

from eops_traj.gym.engine.database import Database
from eops_traj.gym.engine.schema import Table
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server
from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.tool import Tool

EXAMPLES = Path(__file__).parent / "examples"
GUESSES = 300
READING = re.compile(
    r"(?!download_files|generate_files_Ids)"  # one leaves an operation to ask after, the other reserves
    r"(email_)?(get|list|find|fetch|count|avg|average|total|retrieve|check|search|query|export|generate)_"
    r"|installed_product_warranties_|verify_send_as_"  # verifying sends a mail outside, and changes no row
)
Row = Mapping[str, Any]


def reads(tool: Tool) -> bool:
    """Whether a tool reads, going by the verb in its name."""
    return READING.match(tool.name) is not None


def attempts(server: Server, tool: Tool, database: Database) -> Iterator[dict[str, Any]]:
    """The examples written down for the tool, if there are any, then guesses.

    An example is its arguments; a text that begins with SELECT is the first value that the query finds, and
    ``$before`` lists calls that have to come first.
    """
    for example in _written(server.name).get(tool.name, ()):
        for step in example.get("$before", ()):
            for name, arguments in step.items():
                server.call(database, name, _found(arguments, database), default_caller(server, database))
        yield _found({name: value for name, value in example.items() if name != "$before"}, database)
    rng = Random(tool.name)
    for guess in range(GUESSES):
        optional = rng.choice((0.0, 0.3, 1.0)) if guess else 0.0
        made = _Guess(database, rng, rng.choice((0.0, 0.5, 1.0)), _focus(tool, database, rng))
        yield {a.name: made.value(a) for a in tool.arguments if a.required or rng.random() < optional}


@cache
def _written(server: str) -> Mapping[str, Any]:
    path = EXAMPLES / f"{server}.yaml"
    return yaml.safe_load(path.read_text(encoding="utf-8")) if path.exists() else {}


def _found(value: Any, database: Database) -> Any:
    """An example's value with every query in it answered."""
    if isinstance(value, dict):
        return {name: _found(inner, database) for name, inner in value.items()}
    if isinstance(value, list):
        return [_found(inner, database) for inner in value]
    return database.run_sql(value).rows[0][0] if str(value).startswith("SELECT ") else value


def _focus(tool: Tool, database: Database, rng: Random) -> tuple[Table, Row]:
    """A row that the call is about: of one of the tables that most arguments could mean."""
    tables = database.schema.tables.values()
    likeness = {table.name: sum(bool(_like(a, table)) for a in tool.arguments) for table in tables}
    best = sorted((t for t in likeness if likeness[t]), key=likeness.__getitem__, reverse=True)[:3]
    table = database.schema.tables[rng.choice(best or list(likeness))]
    return table, _any_row(database, table, rng)


def _like(argument: Argument | str, table: Table) -> str:
    """The column that an argument means: its own, or one of a like name; ``messageId`` is a message's key."""
    if isinstance(argument, Argument) and argument.column:
        return argument.column.name if argument.column.table == table.name else ""
    snake, single, stem = _spellings(argument if isinstance(argument, str) else argument.name)
    for column in (snake, single, f"{snake}_id", f"{single}_id"):
        if column in table.columns:
            return column
    return table.key[0] if stem in table.name and snake != stem and table.key else ""


@cache
def _spellings(name: str) -> tuple[str, str, str]:
    """The name in small letters and underlines, for one of many, and without its id."""
    snake = re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower().lstrip("_")
    single = snake.removesuffix("s")
    return snake, single, single.removesuffix("_id")


def _any_row(database: Database, table: Table, rng: Random) -> Row:
    [count] = next(database.connection.execute(f'SELECT count(*) FROM "{table.name}"'))
    if not count:
        return {}
    sql = f'SELECT * FROM "{table.name}" LIMIT 1 OFFSET ?'
    [row] = database.connection.execute(sql, (rng.randrange(count),))
    return dict(zip(table.columns, row, strict=True))


@dataclass(frozen=True)
class _Guess:
    """One try: how often a value is new, and the row that the others come from."""

    database: Database
    rng: Random
    new: float
    focus: tuple[Table, Row]

    def value(self, argument: Argument) -> Any:
        """A value for the argument; keys and references are always those of some row."""
        value = self._single(argument)
        listed = argument.schema.get("type") == "array" and not isinstance(value, list)
        return [value] if listed else value

    def _single(self, argument: Argument) -> Any:
        column, schema = argument.column, argument.schema
        if column is not None and (column.key or column.references or self.rng.random() >= self.new):
            held = self.focus[1].get(column.name) if self.focus[0].name == column.table else None
            if held is None or (column.references and self.rng.random() < self.new):
                held = self._elsewhere(*(column.references or (column.table, column.name)))
            if held is not None and re.search(schema.get("pattern", ""), str(held)):
                return _typed(held, schema)
        return self._made_up(argument.name, schema)

    def _made_up(self, name: str, schema: Mapping[str, Any]) -> Any:
        if "enum" in schema:
            return self.rng.choice([choice for choice in schema["enum"] if choice is not None])
        kind = schema.get("type")
        kind = next((k for k in kind if k != "null"), None) if isinstance(kind, list) else kind
        if kind == "array":
            items = range(max(1, schema.get("minItems", 1)))
            return [self._made_up(name, schema.get("items", {})) for _ in items]
        if kind == "object":
            inner = schema.get("properties", {})
            wanted = self.rng.choice((schema.get("required") or inner, inner))
            return {key: self._made_up(key, inner[key]) for key in wanted if key in inner}
        if kind in ("integer", "number"):
            return self.rng.randrange(1, 50)
        return self.rng.random() < 0.5 if kind == "boolean" else self._text(name, schema)

    def _text(self, name: str, schema: Mapping[str, Any]) -> str:
        """Something held by a column of a like name, in this row or another; or a new text."""
        held = None
        if name.lower().endswith(("id", "ids")) or self.rng.random() < 0.3:
            held = self._held(name)
        fits = held is not None and re.search(schema.get("pattern", ""), str(held))
        return str(held) if fits else _new_text(name.lower(), schema, self.rng)

    def _held(self, name: str) -> Any:
        table, row = self.focus
        if column := _like(name, table):
            return row.get(column)
        like = [(t.name, c) for t in self.database.schema.tables.values() if (c := _like(name, t))]
        return self._elsewhere(*self.rng.choice(like)) if like else None

    def _elsewhere(self, table: str, column: str) -> Any:
        return _any_row(self.database, self.database.schema.tables[table], self.rng).get(column)


def _typed(held: Any, schema: Mapping[str, Any]) -> Any:
    """A column's value in the type that the argument wants."""
    kinds = schema.get("type", ())
    if "boolean" in kinds:
        return bool(held)
    if "object" in kinds or "array" in kinds:
        return json.loads(held) if isinstance(held, str) and held[:1] in ("{", "[") else held
    return str(held) if "string" in kinds else held


def _new_text(name: str, schema: Mapping[str, Any], rng: Random) -> str:
    """A text that looks as its name or its pattern asks."""
    number = rng.randrange(10**6)
    looks = {
        "mail": f"person{number}@example.com",
        "phone": f"+1-555-{number % 900 + 100}-{number % 9000 + 1000}",
        "zone": "UTC",
        "date": "2026-02-03",
        "time": "2026-02-03 10:00:00",
        "_at": "2026-02-03 10:00:00",
        "uri": f"https://example.com/{number}",
        "url": f"https://example.com/{number}",
        "nick": f"name{number}",
        "lang": "en",
        "user": "me",
        "topic": "projects/gym/topics/mail",
    }
    likely = [text for part, text in looks.items() if part in name] + [f"Text {number}"]
    pattern = schema.get("pattern", "")
    look = next((text for text in [*likely, *looks.values()] if re.search(pattern, text)), likely[0])
    return look[: schema.get("maxLength", len(look))]
