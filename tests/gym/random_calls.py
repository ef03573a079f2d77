"""Random calls of any server, made from its own tools: good ones, nearly good ones and nonsense.

`calls(server)` is a hypothesis strategy of (tool, arguments); `play` makes the calls on a fresh copy of the
default company and checks what has to hold whatever is called.
"""

import json
from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from typing import Any

from hypothesis import strategies as st

from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server
from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.tool import Tool

Step = tuple[str, dict[str, Any]]
_TEXTS = st.one_of(
    st.sampled_from(["", " ", "a", "%", "x@y.org", "'", '"', "é", "2026-01-05", "2026-01-05 09:00:00",
                     "2026-01-05T10:00:00Z", "2025-13-40", "name eq 'a'", "a" * 300]),
    st.text(max_size=8),
)  # fmt: skip
_NONSENSE = st.one_of(
    st.none(), st.booleans(), _TEXTS, st.integers(), st.floats(), st.just("\ud800"), st.just({"a": [1]}),
    st.lists(st.one_of(st.integers(), st.text(max_size=2)), max_size=2),
)  # fmt: skip
_KINDS: Mapping[str, st.SearchStrategy[Any]] = {
    "string": _TEXTS,
    "integer": st.one_of(st.integers(-1, 60), st.integers()),
    "number": st.one_of(st.integers(-1, 60), st.floats()),
    "boolean": st.booleans(),
}


def calls(server: Server, template: Template | None = None) -> st.SearchStrategy[Step]:
    """Calls of every tool: some arguments are values that the seed holds, most of the others conform."""
    database = (template or server.template()).open()
    known = {name: _arguments(tool, database) for name, tool in server.tools.items()}
    fitting = {name: _together(tool, database) for name, tool in server.tools.items()}
    database.close()

    @st.composite
    def call(draw: Callable[..., Any]) -> Step:
        name = draw(st.sampled_from(list(known)))
        required = [a.name for a in server.tools[name].arguments if a.required]
        chosen = draw(st.lists(st.sampled_from(sorted(known[name])), max_size=4)) if known[name] else []
        either = [draw(st.sampled_from(server.tools[name].any_of))] if server.tools[name].any_of else []
        arguments = {n: draw(known[name][n]) for n in sorted({*required, *chosen, *either})}
        if fitting[name] and draw(st.sampled_from([True, True, True, True, False])):
            row = draw(st.sampled_from(fitting[name]))
            arguments |= {n: value for n, value in row.items() if n in arguments}
        spoil = draw(st.sampled_from(["no", "no", "no", "no", "value", "name", "missing"]))
        if spoil == "name":
            arguments["no_such_argument"] = 1
        elif spoil != "no" and arguments:
            unlucky = draw(st.sampled_from(sorted(arguments)))
            arguments.pop(unlucky) if spoil == "missing" else arguments.update({unlucky: draw(_NONSENSE)})
        return name, arguments

    return call()


def play(server: Server, steps: Iterable[Step], template: Template | None = None) -> Counter[bool]:
    """Make the calls one after the other; how many were refused, and how many not."""
    template = template or server.template()
    database, seen = template.open(), Counter[bool]()
    caller, broken = default_caller(server, database), _broken(database)
    for name, arguments in steps:
        before, done = database.image(), database.changeset()
        reply = server.call(database, name, arguments, caller)
        json.dumps(reply.envelope)
        seen[reply.is_error] += 1
        if reply.is_error or not reply.changes:
            assert (reply.changes, database.changeset()) == ((), done), name
            # an update to the same values leaves its mark in the header's change counter, and nowhere else
            assert database.image()[100:] == before[100:], f"{name} {arguments} left something behind"
        if _reads(server.tools[name]):
            assert not reply.changes, f"{name} reads, and changed {reply.changes}"
    assert set(_broken(database)) <= set(broken)
    assert_replays(database, template)
    database.close()
    return seen


def _arguments(tool: Tool, database: Database) -> dict[str, st.SearchStrategy[Any]]:
    found = {}
    for argument in tool.arguments:
        found[argument.name] = _values(argument.schema)
        if held := _held(argument, database):
            listed = argument.schema.get("type") == "array"
            found[argument.name] = (
                st.lists(st.sampled_from(held), max_size=2) if listed else st.sampled_from(held)
            )
    return found


def _together(tool: Tool, database: Database) -> list[dict[str, Any]]:
    """Values that belong together: of the table that most arguments look at, what some rows have for them."""
    looked_at = [a for a in tool.arguments if a.column and "enum" not in a.schema and a.operator == "="]
    texts = [a for a in looked_at if a.schema.get("type") == "string"]
    if not texts:
        return []
    table = Counter(a.column.table for a in texts if a.column).most_common(1)[0][0]
    names = {a.name: a.column.name for a in texts if a.column and a.column.table == table}
    columns = ", ".join(f'"{column}"' for column in names.values())
    found = database.connection.execute(f'SELECT {columns} FROM "{table}" LIMIT 40')
    rows = [zip(names, row, strict=True) for row in found]
    return [{name: str(value) for name, value in row if value is not None} for row in rows]


def _held(argument: Argument, database: Database) -> list[Any]:
    """Values that the seed has where the argument looks, and a few that it does not have."""
    column = argument.column
    if column is None or "enum" in argument.schema or column.kind not in ("integer", "string"):
        return []
    if argument.schema.get("type") == "object":  # made of several columns, of which this is one
        return []
    table, name = column.references or (column.table, column.name)
    sql = f'SELECT DISTINCT "{name}" FROM "{table}" WHERE "{name}" IS NOT NULL LIMIT 25'
    held = [row[0] for row in database.connection.execute(sql)]
    if argument.schema["type"] == "string":  # where ids go by texts
        held = [str(value) for value in held]
    return held + ([0, 10**12] if column.kind == "integer" else ["", "x y", "2026-01-05 09:00:00", "z@y.org"])


def _values(schema: Mapping[str, Any]) -> st.SearchStrategy[Any]:
    """Values that conform to a schema, or nearly: lengths and formats are not kept to."""
    if choices := schema.get("enum") or schema.get("examples"):
        return st.sampled_from(list(choices))
    kind = schema.get("type")
    if isinstance(kind, list):
        return st.one_of([_values({**schema, "type": k}) for k in kind if k != "null"] + [st.none()])
    if kind == "array":
        least = schema.get("minItems", 0)
        most = min(least + 3, schema.get("maxItems", least + 3))
        return st.lists(_values(schema.get("items", {})), min_size=least, max_size=most)
    if kind == "object":
        fields = {name: _values(inner) for name, inner in schema.get("properties", {}).items()}
        required = {name: fields.pop(name) for name in schema.get("required", ()) if name in fields}
        return st.fixed_dictionaries(required, optional=fields)
    if "minimum" in schema:
        return st.integers(schema["minimum"], schema.get("maximum"))
    return _KINDS.get(str(kind), _NONSENSE)


def _reads(tool: Tool) -> bool:
    return tool.statement is not None and not tool.statement.writes


def _broken(database: Database) -> list[Any]:
    """References that lead nowhere; seeds of real servers have some from the start."""
    return sorted(map(repr, database.connection.execute("PRAGMA foreign_key_check")))


def assert_replays(database: Database, template: Template) -> None:
    """Check that the changeset restores the final database, table by table."""
    again = template.open()
    again.restore(database.changeset(), database.calls)
    if _written_anew(database) != _written_anew(again):  # rows in another order are no difference
        for table in template.schema.tables:
            sql = f'SELECT * FROM "{table}"'
            rows = [sorted(map(repr, d.connection.execute(sql))) for d in (database, again)]
            assert rows[0] == rows[1], f"{table} is not what its changeset makes"
    again.close()


def _written_anew(database: Database) -> bytes:
    """The pages of a copy without gaps: equal where the same rows are in the same order."""
    copy = database.fork()
    copy.connection.execute("VACUUM")
    image = copy.image()[100:]  # without the header, which counts changes
    copy.close()
    return image
