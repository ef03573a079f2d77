"""What is to be checked of each changed row: the conditions, in SQL, that make it the row that was asked for.

A column counts if the request, the policy or a look-up decides it: what the plan passed on, enums, flags and
references. What the clock or the ids decide does not (it differs in a second run at another time), nor do
counters, nor the wording of free text, of which only its presence is checked.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

import apsw

from eops_traj.gym.engine.changes import Change
from eops_traj.gym.engine.schema import Column, Schema, Table

Condition = str
_NAMED = re.compile(r"(?<=\(')[^']+(?='\)$)|(?<=/)[^/()']+$|[\w.+-]+@[\w-]+(?:\.[\w-]+)+")
"""``ana`` in ``…/users('ana')``, ``x1`` in ``…/apps/x1``, the address in ``Ana <ana@corvane.example>``."""

_CLOCK = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)([ T](?P<time>\d\d:\d\d)(:\d\d)?([.]\d+)?(Z|[+-]\d\d:?\d\d)?)?")


@dataclass(frozen=True)
class Evidence:
    """What one server's gold run shows, beside the same run at another time with other ids."""

    schema: Schema
    changes: tuple[Change, ...]
    elsewhere: tuple[Change, ...]
    arguments: tuple[Mapping[str, Any], ...]
    """Those of the calls that changed something."""
    told: str
    """Everything that the agent can know: request, policy, results."""

    @cached_property
    def inserted(self) -> dict[tuple[str, Any], Change]:
        """The inserted rows with a key of one column, by table and key."""
        return {(c.table, c.key[0]): c for c in self.changes if c.operation == "insert" and len(c.key) == 1}

    @cached_property
    def known(self) -> str:
        """What was told, for comparing: case and spacing aside."""
        return plain(self.told)

    @cached_property
    def passed(self) -> frozenset[str]:
        """Every single value that the calls passed on, and what the links and addresses among them name."""
        values = [str(value) for given in self.arguments for value in leaves(given)]
        pieces = [piece for value in values for piece in (value, *_NAMED.findall(value))]
        return frozenset(form for piece in pieces for form in _forms(piece))

    @cached_property
    def volatile(self) -> frozenset[tuple[str, str, str]]:
        """The values, by table and column, that depend on the time of the run or on its random ids."""
        return frozenset(_values(self.changes) - _values(self.elsewhere))

    @cached_property
    def fresh(self) -> frozenset[Any]:
        """The random ids of inserted rows: parts of their keys that a second run does not have."""
        here, there = ({part for c in found if c.operation == "insert" for part in c.key}
                       for found in (self.changes, self.elsewhere))  # fmt: skip
        return frozenset(here - there)

    def table(self, change: Change) -> Table:
        """The table of a change."""
        return self.schema.tables[change.table]


def plain(text: str) -> str:
    """A text for comparing: lower case, single spaces, straight quotes."""
    return " ".join(text.replace("\u2019", "'").lower().split())


def _forms(text: str) -> Iterator[str]:
    """A text as it is compared; a time also to the minute, a day as its midnight: columns have them so."""
    yield plain(text)
    if clock := _CLOCK.fullmatch(text):
        yield f"{clock['day']} {clock['time'] or '00:00'}"


def leaves(value: Any) -> Iterator[Any]:
    """The single values inside arguments."""
    if isinstance(value, Mapping):
        for inner in value.values():
            yield from leaves(inner)
    elif isinstance(value, list | tuple):
        for inner in value:
            yield from leaves(inner)
    elif value is not None:
        yield value


def conditions(change: Change, seen: Evidence, depth: int = 0) -> list[Condition]:
    """The conditions that a row meets once the change is made; its key first, where the seed has the row."""
    found = [] if change.operation == "insert" else key_conditions(change, seen.table(change))
    for name, value in (change.after or {}).items():
        column = seen.table(change).columns[name]
        found += _condition(change, column, value, seen, depth)
    return found


def key_conditions(change: Change, table: Table) -> list[Condition]:
    """The conditions that pick the row by its key."""
    return [f"{quoted(name)} = {sql(value)}" for name, value in zip(table.key, change.key, strict=True)]


def _condition(change: Change, column: Column, value: Any, seen: Evidence, depth: int) -> list[Condition]:
    name, insert = quoted(column.name), change.operation == "insert"
    if reference := _reference(column, value, seen, depth):
        return [f"{name} IN ({reference})"]
    if (data := _decoded(column, value)) is not None:
        before = _decoded(column, (change.before or {}).get(column.name))
        return list(_inside(name, data, before, seen))
    volatile = (change.table, column.name, repr(value)) in seen.volatile
    if volatile or (insert and _numbered(change, column, value, seen)):
        return []
    if value is None:
        return [] if insert else [f"{name} IS NULL"]
    if not _decided(column, value, seen) and not (insert and column.key):
        return []
    if _free(value, seen):
        return [f"LENGTH(TRIM({name})) > 0"]
    return [f"{name} = {sql(value)}"]


def _reference(column: Column, value: Any, seen: Evidence, depth: int) -> str:
    """Which row made in the same task the column points to, as a query by that row's content."""
    tables = [column.references[0]] if column.references else []
    if not (tables or column.key) and isinstance(value, str) and len(value) >= 8:  # ids never meet by chance
        tables = [table for table, key in seen.inserted if key == value]
    for table in tables:
        target = seen.inserted.get((table, value))
        if target is None or depth > 3 or (table == column.table and column.key):
            continue
        key = seen.schema.tables[table].key[0]
        where = conditions(target, seen, depth + 1)
        return f"SELECT {quoted(key)} FROM {quoted(table)}{clause(where)}"
    return ""


def _decided(column: Column, value: Any, seen: Evidence) -> bool:
    """Whether request, policy or data decide the value: passed on, an enum, a flag, or a reference."""
    flag = column.kind == "boolean" or bool(column.enum)
    return flag or column.references is not None or _passed(value, seen)


def _numbered(change: Change, column: Column, value: Any, seen: Evidence) -> bool:
    """Whether the server gives the key of a new row: a number, whatever later calls say, or unheard of.

    Of a key of several columns (the labels of a message), what is no number was given.
    """
    counted = isinstance(value, int) or "%" in column.tag
    return column.key and (counted or (len(change.key) == 1 and not _passed(value, seen)))


def _passed(value: Any, seen: Evidence) -> bool:
    return not seen.passed.isdisjoint(_forms(str(value)))


def _free(value: Any, seen: Evidence) -> bool:
    """Whether a text is the agent's own to word: several words that nobody told it."""
    return (
        isinstance(value, str)
        and " " in value.strip()
        and plain(value) not in seen.known
        and not _time(value)
    )


def _time(value: str) -> bool:
    return re.fullmatch(r"\d{4}-\d\d-\d\d[ T]\d\d:\d\d.*", value) is not None


def _decoded(column: Column, value: Any) -> Any:
    """The list or object in a JSON column; None for anything else."""
    if not isinstance(value, str) or value[:1] not in "[{":
        return None
    try:
        return json.loads(value)
    except ValueError:
        return None


def _inside(name: str, data: Any, before: Any, seen: Evidence) -> Iterator[Condition]:
    """The conditions on a JSON column: how many elements a list has, and what came and went."""
    if isinstance(data, list):
        old = before if isinstance(before, list) else []
        yield f"json_array_length({name}) = {len(data)}"
        for item in data:
            if item not in old and (inner := _element(item, seen)):
                yield f"EXISTS (SELECT 1 FROM json_each({name}) WHERE {inner})"
        for item in old:
            if item not in data and (inner := _element(item, seen)) and not _still(item, data, seen):
                yield f"NOT EXISTS (SELECT 1 FROM json_each({name}) WHERE {inner})"
        return
    for path, value in _paths(data):
        if _pinned(value, seen):
            yield f"json_extract({name}, {sql(path)}) = {sql(value)}"


def _still(item: Any, data: list[Any], seen: Evidence) -> bool:
    """Whether an element was changed rather than removed: one that is there has all that counts of it."""
    pairs = [pair for pair in _paths(item) if _pinned(pair[1], seen)]
    return any(all(pair in _paths(other) for pair in pairs) for other in data)


def _element(item: Any, seen: Evidence) -> str:
    if not isinstance(item, dict | list):
        return f"value = {sql(item)}" if _pinned(item, seen) else ""
    pairs = [(path, value) for path, value in _paths(item) if _pinned(value, seen)]
    return " AND ".join(f"json_extract(value, {sql(path)}) = {sql(value)}" for path, value in pairs)


def _pinned(value: Any, seen: Evidence) -> bool:
    """Whether a value inside JSON counts: something passed on, or found, in so many words."""
    if isinstance(value, bool) or value is None or value == "" or value in seen.fresh:
        return False
    return _passed(value, seen) and not _free(value, seen)


def _paths(data: Any, path: str = "$") -> Iterator[tuple[str, Any]]:
    if isinstance(data, dict):
        for name, value in data.items():
            step = name if re.fullmatch(r"[A-Za-z_]\w*", name) else json.dumps(name)
            yield from _paths(value, f"{path}.{step}")
    elif isinstance(data, list):
        for place, value in enumerate(data):
            yield from _paths(value, f"{path}[{place}]")
    else:
        yield path, data


def _values(changes: Iterable[Change]) -> set[tuple[str, str, str]]:
    return {(c.table, name, repr(value)) for c in changes for name, value in (c.after or {}).items()}


def clause(where: Iterable[Condition]) -> str:
    """The conditions as a WHERE clause; nothing for none."""
    said = " AND ".join(dict.fromkeys(where))
    return f" WHERE {said}" if said else ""


def sql(value: Any) -> str:
    """A value as SQL writes it; JSON's true and false are 1 and 0."""
    return str(apsw.format_sql_value(int(value) if isinstance(value, bool) else value))


def quoted(name: str) -> str:
    """A name as people write it in SQL: quoted only where it is a word of SQL's own."""
    return f'"{name}"' if name.lower() in _RESERVED else name


_RESERVED = frozenset(
    [
        "user",
        "group",
        "order",
        "values",
        "index",
        "default",
        "from",
        "to",
        "key",
        "table",
        "references",
        "check",
        "constraint",
        "transaction",
        "end",
        "start",
        "primary",
        "set",
        "when",
    ]
)
