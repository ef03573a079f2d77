"""Every statement that the package runs is within the bounds of foreign SQL, or was read and is ours."""

import ast
from collections.abc import Iterator
from pathlib import Path

import eops_traj

ROOT = Path(eops_traj.__file__).parent
RUNS = {"execute", "executemany", "executescript"}
FOREIGN = {
    "gym/engine/database.py: check_query": "inside bounded, by _reading",
    "gym/engine/database.py: _fetch": "inside bounded, by _reading",
    "gym/engine/templates.py: _run_script": "inside bounded, by its callers",
    "gym/engine/foreign_sql.py: _slow_calls": "inside bounded; lists a program and runs none",
}
"""What runs SQL from outside, and where its bounds are."""
OURS = {
    "audit/running.py: _in_reach": "a statement of its own, its value bound",
    "gym/engine/clock.py: call": "a function of SQLite, by name, its arguments bound",
    "gym/engine/connection.py: call": "a function of SQLite, by name, its arguments bound",
    "gym/engine/database.py: __init__": "pragmas",
    "gym/engine/schema.py: parse": "the schema of a server of ours",
    "gym/engine/schema.py: _table": "pragmas on its tables",
    "gym/engine/schema.py: _key_column": "a pragma on its tables",
    "gym/engine/seeds.py: _count": "counts rows by the names and rules of the schema",
    "gym/engine/seeds.py: _rows": "counts rows by the names of the schema",
    "gym/engine/templates.py: from_rows": "inserts rows of a company of ours, bound",
    "gym/engine/templates.py: from_sql": "a pragma",
    "gym/engine/templates.py: _check_keys": "looks for rows by the names of the schema",
    "gym/engine/templates.py: to_sql": "reads tables by the names of the schema; quotes values",
    "gym/engine/templates.py: _empty": "the schema of a server of ours",
    "gym/engine/templates.py: _template": "the schema's own statements after a seed",
    "gym/seed_check.py: check_seed": "counts tables by the names of the schema",
    "gym/stats.py: _rows": "counts tables by the names of the schema",
    "gym/http/api.py: _table_rows": "reads tables by the names of the schema",
    "gym/identity.py: default_caller": "a server's own query, the user bound",
    "gym/server.py: _caller": "a server's own query, the header bound",
    "gym/tool_files.py: _compile": "explains tools.sql",
    "gym/servers/email/__init__.py: _mailbox_owner": "queries of this module, the key bound",
    "gym/servers/email/__init__.py: _may_use": "queries of this module, the key bound",
    "gym/tools/call.py: run": "tools.sql, the arguments bound",
    "gym/tools/call.py: _check_reference": "names of the schema, the value bound",
    "store/journal.py": "its own statements, the payloads bound",
    "store/rescue.py: _rows": "two statements of its own, on a copy of a journal",
    "view/text_index.py": "its own statements, texts, names and words bound",
    "view/turns_with.py: turns_with": "a table of its own in memory, texts bound",
    "view/turns_with.py: _found": "its own statement, the words bound",
    "taskgen/scene.py: rows": "scenarios' queries, on a company of ours",
    "taskgen/twin_world/tape.py: _query": "scenarios' queries, on a company of ours",
    "taskgen/scene.py: _patch": "scenarios' changes, on a company of ours",
    "taskgen/checks.py: _write_anything": "names of the schema",
    "taskgen/identities.py: full_row": "names of the schema, the key bound",
    "taskgen/identities.py: other_bearers": "names of the schema, values bound",
    "taskgen/identities.py: _is_unique": "names of the schema, the value bound",
    "taskgen/identities.py: _names_of_references": "names of the schema, the value bound",
    "taskgen/attacks/plausible.py: _known": "names of the schema",
    "taskgen/lookalikes.py: text_places": "names of the schema",
    "taskgen/gold_hardness.py: _bearers": "names of the schema, values bound",
    "taskgen/gold_hardness.py: _names": "names of the schema, values bound",
    "taskgen/reword/leaks.py: record_names": "names of the schema, values bound",
    "taskgen/twin_world/census.py: _pairs": "names of the schema, values bound",
    "taskgen/twin_world/census.py: _unique": "names of the schema, values bound",
    "taskgen/twin_world/census.py: _values": "names of the schema, values bound",
    "taskgen/twin_world/census.py: cells": "names of the schema, values bound",
    "taskgen/twin_world/census.py: children": "names of the schema, values bound",
    "taskgen/twin_world/census.py: find": "names of the schema, values bound",
    "taskgen/twin_world/census.py: id_of": "names of the schema, values bound",
    "taskgen/twin_world/census.py: ids": "names of the schema, values bound",
    "taskgen/twin_world/census.py: row": "names of the schema, values bound",
    "taskgen/twin_world/clones.py: _copied": "names of the schema, values bound",
    "taskgen/twin_world/clones.py: _pair_anew": "names of the schema, values bound",
    "taskgen/twin_world/clones.py: insert": "names of the schema, values bound",
    "taskgen/twin_world/renaming.py: _exchange": "names of the schema, values bound",
    "taskgen/twin_world/renaming.py: _exchange_listed": "names of the schema, values bound",
    "taskgen/twin_world/renaming.py: _move": "names of the schema, values bound",
    "taskgen/twin_world/renaming.py: _rename_tokens": "names of the schema, values bound",
    "taskgen/twin_world/renaming.py: _reverse": "names of the schema, values bound",
    "taskgen/twin_world/seen.py: agenda": "names of the schema, values bound",
    "taskgen/twin_world/world.py: _made": "names of the schema, values bound",
    "taskgen/twin_world/world.py: _remove": "names of the schema, values bound",
    "taskgen/twin_world/rights.py: rights_of": "names of the schema",
    "taskgen/twin_world/renaming.py: _rename_column": "names of the schema, values bound",
    "taskgen/twin_world/world.py: _set": "names of the schema, values bound",
    "taskgen/twin_world/world.py: _set_all": "names of the schema, values bound",
    "taskgen/twin_world/world.py: without_further_rows": "names of the schema, values bound",
}
"""What runs statements of this package alone, with the reason to believe it."""
WHOLE = {"store/journal.py", "view/text_index.py"}
"""Files that keep a database of their own, with no SQL from elsewhere in it."""


def runs_sql(node: ast.AST) -> bool:
    return isinstance(node, ast.Call) and isinstance(node.func, ast.Attribute) and node.func.attr in RUNS


def functions(node: ast.AST, name: str = "<module>") -> Iterator[str]:
    """Yield the innermost function around each statement that is run, by name."""
    for child in ast.iter_child_nodes(node):
        if runs_sql(child):
            yield name
        inner = child.name if isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef) else name
        yield from functions(child, inner)


def places() -> Iterator[str]:
    """Yield every place where a statement is run; a database of our own is one place."""
    for folder in (ROOT, *(entry for entry in ROOT.iterdir() if entry.is_symlink())):
        for path in sorted(folder.rglob("*.py")):
            file, text = path.relative_to(ROOT).as_posix(), path.read_text(encoding="utf-8")
            if not any(name in text for name in RUNS):
                continue  # parsing takes long
            names = set(functions(ast.parse(text)))
            yield from ({file} if names and file in WHOLE else {f"{file}: {n}" for n in names})


def test_every_statement_that_is_run_was_looked_at():
    found = set(places())
    assert found - set(FOREIGN) - set(OURS) == set(), "new: run it inside bounded, or say why it is ours"
    assert set(FOREIGN) | set(OURS) == found, "gone: take it off the list"


def test_a_statement_is_found_in_its_function():
    assert list(
        functions(ast.parse("def f():\n  with c:\n    c.cursor().execute(q)\nc.executescript(q)"))
    ) == [
        "f",
        "<module>",
    ]
