"""Conditions, in SQL, that make a changed row the row that was asked for.

A column counts if the request, the policy or a look-up decides it: values that the plan passed on, enums,
flags and references. Values from the clock or from random ids do not count (they differ in a second run at
another time), nor do counters, nor the wording of free text, of which only its presence is checked.
"""

import json
import re
from collections.abc import Iterable, Iterator
from typing import Any

import apsw

from eops_traj.gym.engine.changesets import RowChange
from eops_traj.gym.engine.schema import Column, Table
from eops_traj.taskgen.gold_evidence import Evidence, decoded, is_numbered
from eops_traj.taskgen.told import facts_of, telling_words
from eops_traj.verify.value_forms import is_number, number_forms

Condition = str


def row_conditions(change: RowChange, evidence: Evidence, depth: int = 0) -> list[Condition]:
    """Return the conditions that the changed row meets; its key first, where the seed has the row."""
    conditions = [] if change.operation == "insert" else key_conditions(change, evidence.table(change))
    for name, value in (change.after or {}).items():
        column = evidence.table(change).columns[name]
        if evidence.is_open(change.table, name):
            continue
        conditions += _condition(change, column, value, evidence, depth)
    return conditions


def key_conditions(change: RowChange, table: Table) -> list[Condition]:
    """Return the conditions that select the row by its key."""
    return [
        f"{quote_name(name)} = {sql_literal(value)}"
        for name, value in zip(table.key, change.key, strict=True)
    ]


def _condition(
    change: RowChange, column: Column, value: Any, evidence: Evidence, depth: int
) -> list[Condition]:
    name, insert = quote_name(column.name), change.operation == "insert"
    if reference := _reference(column, value, evidence, depth):
        return [f"{name} IN ({reference})"]
    if (data := decoded(column, value)) is not None:
        before = decoded(column, (change.before or {}).get(column.name))
        return list(_inside(name, data, before, evidence))
    if evidence.is_prose(change.table, column.name, value):
        return [f"LENGTH(TRIM({name})) > 0", *_facts(name, value, evidence)]
    volatile = (change.table, column.name, repr(value)) in evidence.volatile
    if volatile or (insert and is_numbered(change, column, value, evidence)):
        return []
    if value is None:
        return [] if insert else [f"{name} IS NULL"]
    if not _decided(column, value, evidence) and not (insert and column.key):
        return []
    if isinstance(value, str) and _time(value):  # the last minute of a day ends at its 59th second, too
        return [f"SUBSTR({name}, 1, 16) = {sql_literal(value[:16])}"]
    return [f"{name} = {sql_literal(value)}"]


def _reference(column: Column, value: Any, evidence: Evidence, depth: int) -> str:
    """Query the row of the same task that the column refers to by that row's content; empty for none."""
    tables = [column.references[0]] if column.references else []
    if not (tables or column.key) and isinstance(value, str) and len(value) >= 8:  # ids never meet by chance
        tables = [table for table, key in evidence.inserted if key == value]
    for table in tables:
        target = evidence.inserted.get((table, value))
        if target is None or depth > 3 or (table == column.table and column.key):
            continue
        key = evidence.schema.tables[table].key[0]
        where = row_conditions(target, evidence, depth + 1)
        return f"SELECT {quote_name(key)} FROM {quote_name(table)}{where_clause(where)}"
    return ""


def _decided(column: Column, value: Any, evidence: Evidence) -> bool:
    """Check whether request, policy or data decide the value: passed on, an enum, a flag, or a reference."""
    flag = column.kind == "boolean" or bool(column.enum)
    return flag or column.references is not None or evidence.is_passed(value)


def _facts(name: str, text: str, evidence: Evidence) -> Iterator[Condition]:
    """Yield a condition for each fact that a prose text has to hold."""
    for fact in facts_of(text, evidence.told.request):
        yield _one_of(f"INSTR(LOWER({name}), {sql_literal(one.lower())}) > 0" for one in fact.split("|"))
    yield from _computed(name, text, evidence)


def _computed(name: str, text: str, evidence: Evidence) -> Iterator[Condition]:
    """Yield a condition for each value in a prose text that was computed from results."""
    for value in evidence.told.computed(text):
        if is_number(str(value)):
            yield _one_of(one for form in number_forms(str(value)) for one in _standing(name, form))
        elif str(value).isascii() and not _DAY_OR_HOUR.search(str(value)):  # of which there are many forms
            words = telling_words(str(value).split())
            yield _one_of(f"INSTR(LOWER({name}), {sql_literal(one.lower())}) > 0" for one in words)


_DAY_OR_HOUR = re.compile(r"\d{4}-\d\d-\d\d|\d:\d\d")


def _one_of(conditions: Iterable[Condition]) -> Condition:
    found = list(dict.fromkeys(conditions))
    return f"({' OR '.join(found)})" if len(found) > 1 else found[0]


def _standing(name: str, form: str) -> Iterator[Condition]:
    """Yield the conditions that a number stands in a column: 12, and not as a part of 112 or 12.5."""
    if form.isalpha():
        yield f"' ' || LOWER({name}) || ' ' GLOB '*[^a-z]{form}[^a-z]*'"  # in "phone" there is no one
        return
    for end in ("[^0-9A-Za-z_.,-]*", "[.,-][^0-9A-Za-z_]*"):
        yield f"' ' || {name} || '  ' GLOB {sql_literal(f'*[^0-9A-Za-z_.,-]{form}{end}')}"


def _time(value: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d:.*", value) is not None


def _inside(name: str, data: Any, before: Any, evidence: Evidence) -> Iterator[Condition]:
    """Yield the conditions on a JSON column: the length of a list, elements added and removed, or fields."""
    if isinstance(data, list):
        old = before if isinstance(before, list) else []
        yield f"json_array_length({name}) = {len(data)}"
        for item in data:
            if item not in old and (inner := _element(item, evidence)):
                yield f"EXISTS (SELECT 1 FROM json_each({name}) WHERE {inner})"
        for item in old:
            if item not in data and (inner := _element(item, evidence)) and not _still(item, data, evidence):
                yield f"NOT EXISTS (SELECT 1 FROM json_each({name}) WHERE {inner})"
        return
    for path, value in _paths(data):
        inner = f"json_extract({name}, {sql_literal(path)})"
        if _pinned(value, evidence):
            yield f"{inner} = {sql_literal(value)}"
        elif isinstance(value, str):
            yield from _computed(inner, value, evidence)


def _still(item: Any, data: list[Any], evidence: Evidence) -> bool:
    """Check whether an element was changed rather than removed: a present one has all values that count."""
    pairs = [pair for pair in _paths(item) if _pinned(pair[1], evidence)]
    return any(all(pair in _paths(other) for pair in pairs) for other in data)


def _element(item: Any, evidence: Evidence) -> str:
    if not isinstance(item, dict | list):
        return f"value = {sql_literal(item)}" if _pinned(item, evidence) else ""
    pairs = [(path, value) for path, value in _paths(item) if _pinned(value, evidence)]
    return " AND ".join(
        f"json_extract(value, {sql_literal(path)}) = {sql_literal(value)}" for path, value in pairs
    )


def _pinned(value: Any, evidence: Evidence) -> bool:
    """Check whether a value inside JSON counts: one that was passed on literally."""
    if isinstance(value, bool) or value is None or value == "" or value in evidence.fresh:
        return False
    return evidence.is_passed(value) and not evidence.told.is_prose(value)


def _paths(data: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        for name, value in data.items():
            step = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
            yield from _paths(value, f"{path}.{step}")
    elif isinstance(data, list):
        for index, value in enumerate(data):
            yield from _paths(value, f"{path}[{index}]")
    else:
        yield path, data


def where_clause(where: Iterable[Condition]) -> str:
    """Render the conditions as a WHERE clause; empty for none."""
    joined = " AND ".join(dict.fromkeys(where))
    return f" WHERE {joined}" if joined else ""


def sql_literal(value: Any) -> str:
    """Render a value as an SQL literal; JSON's true and false are 1 and 0."""
    return str(apsw.format_sql_value(int(value) if isinstance(value, bool) else value))


def quote_name(name: str) -> str:
    """Render a name as people write it in SQL: quoted only where SQLite could not read it otherwise."""
    if re.fullmatch(r"[A-Za-z_]\w*", name, re.ASCII) and name.lower() not in _RESERVED:
        return name
    return '"' + name.replace('"', '""') + '"'


_RESERVED = frozenset(
    ["add", "all", "alter", "and", "as", "autoincrement", "between", "case", "cast", "check", "collate",
     "commit", "constraint", "create", "current_date", "current_time", "current_timestamp", "default",
     "deferrable", "delete", "distinct", "drop", "else", "end", "escape", "except", "exists", "foreign",
     "from", "group", "having", "in", "index", "insert", "intersect", "into", "is", "isnull", "join",
     "key", "limit", "not", "nothing", "notnull", "null", "on", "or", "order", "primary", "raise",
     "references", "returning", "select", "set", "start", "table", "then", "to", "transaction", "union",
     "unique", "update", "user", "using", "values", "when", "where", "with"],
)  # fmt: skip
"""What SQLite takes for no name, and ``end``, ``key``, ``start`` and ``user``, which others do not."""
