"""One row more in each list: a copy of a row of it, under another id, another number and another name."""

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from random import Random
from typing import Any

import apsw

from eops_traj.taskgen.twin_world.census import RENEWABLE, Address, Census

_ONLY_ONE = re.compile(r"(?:is_)?(?:primary|default)")
"""Flags that one row of several has."""
_NAMED = re.compile(r"name|title|summary|subject|number|serial|mail|phone|login|^key$")
_VOWELS, _CONSONANTS = "aeiou", "bcdfghjklmnpqrstvwxz"
_COUNTED = 5  # digits of an id from which it is no count
_PAIRINGS = 8  # attempts to find what is not in a list so far
_SUBRECORDS = 6  # rows of a table that belong to a row and are copied along


@dataclass
class Clone:
    """A copy of a row with what belongs to it: the rows to insert, each a table and its values."""

    server: str
    address: Address
    rows: list[tuple[str, dict[str, Any]]] = field(default_factory=list)
    rowids: list[tuple[str, int]] = field(default_factory=list)
    """Where the rows went."""

    @property
    def table(self) -> str:
        """The table of the row."""
        return self.address[0]


def make_clone(census: Census, address: Address, beside: Sequence[Address] = ()) -> Clone:
    """Return a copy of a row, and of what belongs to it (a file's permissions); ``beside`` is its list."""
    clone = Clone(census.server, address)
    rng = Random(f"{address}")
    row = census.row(address)
    copy = _copied(census, address[0], row, rng, own=True)
    _pair_anew(census, address, beside, copy, rng)
    clone.rows.append((address[0], copy))
    for table, column, rowid in census.children(address[0], row, _SUBRECORDS):
        target = census.column(table, column).references
        if target and _belongs(census, table, column):
            child = _copied(census, table, census.row((table, rowid)), rng, own=False)
            clone.rows.append((table, child | {column: copy[target[1]]}))
    return clone


def _pair_anew(
    census: Census, address: Address, beside: Sequence[Address], copy: dict[str, Any], rng: Random
) -> None:
    """Let a copy of a row that pairs two others (a person and a group) pair what no row pairs so far.

    Of the two that changes which is not the same throughout the list.
    """
    table, rows = address[0], [census.row(one) for one in beside if one[0] == address[0]]
    for columns in (*census.unique[table], *census.pairs(table)):
        pointers = [c for c in columns if census.column(table, c).references]
        if len(pointers) < 2 or any(copy[c] is None for c in columns):
            continue
        free = [c for c in pointers if len({row[c] for row in rows}) > 1] or pointers[-1:]
        target = census.column(table, free[0]).references or ("", "")
        sql = f'SELECT "{target[1]}" FROM "{target[0]}"'
        ids = [value for (value,) in census.connection.execute(sql)]
        for one in rng.sample(ids, min(len(ids), _PAIRINGS)):
            if census.find(table, columns, [one if c == free[0] else copy[c] for c in columns]) is None:
                copy[free[0]] = one
                break


def _belongs(census: Census, table: str, column: str) -> bool:
    """Check whether rows go when the row goes that they refer to."""
    sql = census.schema.sql
    start = sql.index(f"CREATE TABLE {table} (") if f"CREATE TABLE {table} (" in sql else 0
    body = sql[start : sql.index("\n);", start)]
    line = re.search(rf'^\s*"?{column}"? .*$', body, re.MULTILINE)
    return line is not None and "ON DELETE CASCADE" in line.group()


def _copied(census: Census, table: str, row: dict[str, Any], rng: Random, own: bool) -> dict[str, Any]:
    """Return a row with new ids and numbers; a row that stands by itself with another name, too."""
    copy = dict(row)
    for column in census.schema.tables[table].columns.values():
        value = row[column.name]
        single = (column.name,) in census.unique[table]
        if census.numbered.get(table) == column.name:
            sql = f'SELECT max("{column.name}") FROM "{table}"'
            copy[column.name] = census.connection.execute(sql).get + rng.randrange(2, 400)
        elif own and _ONLY_ONE.fullmatch(column.name.lower()):
            copy[column.name] = 0
        elif isinstance(value, str) and (column.key or single) and RENEWABLE.fullmatch(value):
            copy[column.name] = other_id(value, rng)
        elif (
            isinstance(value, str)
            and not column.references
            and (single or (own and _is_name(census, column)))
        ):
            copy[column.name] = other_number(value, rng) if "%0" in column.tag else other_words(value, rng)
    return copy


def _is_name(census: Census, column: Any) -> bool:
    """Check whether a column holds words of its row alone: a name, a number, a title."""
    plain = column.kind == "string" and not column.enum and not column.references
    named = _NAMED.search(column.name.lower()) is not None
    return plain and (named or not census.values(column.table, column.name))


def other_id(value: str, rng: Random) -> str:
    """Return another id of the same form."""
    head, joint, tail = value.rpartition("_")
    if tail.isdecimal() and len(tail) < _COUNTED:
        return f"{head}{joint}{rng.randrange(10 ** len(tail) // 2, 10 ** len(tail))}"
    digits = "0123456789" if tail.isdecimal() else "0123456789abcdef"
    digits = digits if tail.islower() or tail.isdecimal() else digits.upper()
    kept = len(tail) // 3
    return head + joint + tail[:kept] + "".join(rng.choice(digits) if c.isalnum() else c for c in tail[kept:])


def other_number(value: str, rng: Random) -> str:
    """Return another number of a record, as ``CS-0001094``, behind those that are given out."""
    match = re.fullmatch(r"(.*\D|)(\d+)", value)
    return match[1] + str(int(match[2]) + rng.randrange(3000, 9000)).zfill(len(match[2])) if match else value


def other_words(value: str, rng: Random) -> str:
    """Return a text with other words and numbers in the same form; domains and times stay."""
    if re.match(r"\d{4}-\d\d-\d\d", value) or value.startswith(("http", "{", "[", "#")) or "/" in value:
        return value
    local, at, domain = value.partition("@")
    step = rng.randrange(3, 9)
    return "".join(_other_letter(one, step) for one in local) + at + domain


def _other_letter(letter: str, step: int) -> str:
    for row in (_VOWELS, _CONSONANTS):
        if letter.lower() in row:
            other = row[(row.index(letter.lower()) + step % (len(row) - 1) + 1) % len(row)]
            return other.upper() if letter.isupper() else other
    return str((int(letter) + step) % 10) if letter.isdecimal() else letter


def insert(connection: apsw.Connection, clone: Clone) -> bool:
    """Insert the rows of a clone, all or none; return whether the schema takes them."""
    clone.rowids = []
    connection.execute("SAVEPOINT clone")
    try:
        for table, row in clone.rows:
            columns, marks = ", ".join(f'"{c}"' for c in row), ", ".join("?" * len(row))
            connection.execute(f'INSERT INTO "{table}" ({columns}) VALUES ({marks})', tuple(row.values()))
            clone.rowids.append((table, connection.last_insert_rowid()))
    except apsw.ConstraintError:
        connection.execute("ROLLBACK TO clone; RELEASE clone")
        return False
    connection.execute("RELEASE clone")
    return True
