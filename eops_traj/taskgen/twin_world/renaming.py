"""New ids and another order for some rows of a company: they exchange ids and places, the last for the first.

So a list that nothing orders begins with another row, and an id that was copied belongs to something else.
"""

import json
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

import apsw

from eops_traj.taskgen.twin_world.census import TOKEN, Address, Census, may_hold_ids

_MARK = "\x01"


@dataclass
class Renaming:
    """What became of ids: whole numbers by table, texts wherever they stand; and of places."""

    census: Census
    numbers: dict[str, dict[int, int]] = field(default_factory=dict)
    tokens: dict[str, str] = field(default_factory=dict)
    fixed: Collection[str] = ()
    places: dict[str, dict[int, int]] = field(default_factory=dict)
    """By table, the rowid that each row has now."""

    @classmethod
    def of(cls, census: Census, rows: Mapping[str, Iterable[int]], fixed: Collection[str] = ()) -> "Renaming":
        """Return the renaming in which rows of tables exchange ids and places; ``fixed`` ids stay."""
        renaming = cls(census, fixed=fixed)
        for table, rowids in sorted(rows.items()):
            renaming._reverse(table, sorted(set(rowids)))
        return renaming

    def _reverse(self, table: str, rowids: list[int]) -> None:
        if len(rowids) % 2:  # nothing is to stay where it is
            sql = f'SELECT min(rowid) FROM "{table}" WHERE rowid > ?'
            beside = self.census.connection.execute(sql, (rowids[-1],)).get
            rowids = [*rowids, beside] if beside else rowids
        there = dict(zip(rowids, reversed(rowids), strict=True))
        self.places[table] = there
        if table in self.census.numbered:
            self.numbers[table] = there
        elif table in self.census.keys:
            for rowid, other in there.items():
                one, two = self.census.id_of(table, rowid), self.census.id_of(table, other)
                if one and two and rowid < other and not {one, two} & {*self.tokens, *self.fixed}:
                    self.tokens |= {one: two, two: one}

    def inverse(self, table: str | None, column: str | None, value: Any) -> Any:
        """Return what a value was at first; exchanging is its own inverse."""
        return self.renamed(table, column, value)

    def renamed(self, table: str | None, column: str | None, value: Any) -> Any:
        """Return what a value of a column has become."""
        if isinstance(value, int) and table and column:
            return self.numbers.get(self.table_of(table, column), {}).get(value, value)
        if isinstance(value, str) and self.tokens:
            return self.renamed_text(value)
        return value

    def table_of(self, table: str, column: str) -> str:
        """Return the table whose ids, whole numbers, a column holds; none for others."""
        if self.census.numbered.get(table) == column:
            return table
        return self.census.points_to.get((table, column), "")

    def renamed_text(self, text: str) -> str:
        """Return a text with other ids in it."""
        return TOKEN.sub(lambda match: self.tokens.get(match.group(), match.group()), text)

    def apply(self, connection: apsw.Connection, further: Iterable[Address] = ()) -> None:
        """Rename in a copy of the company, with further rows in it; foreign keys and checks must be off.

        Texts come first: they are found by their rows' places, which a row with a whole number for its key
        leaves with that number.
        """
        self._rename_tokens(connection, further)
        self._rename_numbers(connection)
        for table, there in self.places.items():
            if table not in self.numbers:
                _move(connection, table, "rowid", there)

    def _rename_numbers(self, connection: apsw.Connection) -> None:
        for (table, column), target in self.census.points_to.items():
            if new := self.numbers.get(target):
                _exchange(connection, table, column, new, self.census)
        for table, new in self.numbers.items():
            _move(connection, table, self.census.numbered[table], new)

    def _rename_tokens(self, connection: apsw.Connection, further: Iterable[Address]) -> None:
        cells = {cell for token in self.tokens for cell in self.census.cells.get(token, ())}
        for table, rowid in further:
            columns = self.census.schema.tables[table].columns.values()
            cells |= {(table, rowid, one.name) for one in columns if may_hold_ids(one)}
        rows: dict[tuple[str, str], list[int]] = {}
        for table, rowid, column in sorted(cells):
            rows.setdefault((table, column), []).append(rowid)
        marked = {one for one, rowids in rows.items() if self._rename_column(connection, *one, rowids)}
        for table, column in marked:
            connection.execute(
                f'UPDATE "{table}" SET "{column}" = substr("{column}", 2) '
                f'WHERE "{column}" >= char(1) AND "{column}" < char(2)'
            )

    def _rename_column(self, connection: apsw.Connection, table: str, column: str, rowids: list[int]) -> bool:
        """Rename in these rows of a column; where no two rows share a value, behind marks, and say so."""
        own = any(column in columns for columns in self.census.unique[table])
        mark, listed = _MARK if own else "", ", ".join(map(str, rowids))
        sql = f'SELECT rowid, "{column}" FROM "{table}" WHERE rowid IN ({listed})'
        texts = [(rowid, text) for rowid, text in connection.execute(sql) if isinstance(text, str)]
        renamed = [(mark + self.renamed_text(text), rowid) for rowid, text in texts]
        connection.executemany(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', renamed)
        return own and bool(renamed)


def _move(connection: apsw.Connection, table: str, key: str, new: Mapping[int, int]) -> None:
    """Give rows other whole-number keys, by way of negative ones, so that none is taken meanwhile."""
    sql = f'UPDATE "{table}" SET "{key}" = ? WHERE "{key}" = ?'
    connection.executemany(sql, [(-1 - other, old) for old, other in new.items()])
    connection.executemany(sql, [(other, -1 - other) for other in new.values()])


def _exchange(
    connection: apsw.Connection, table: str, column: str, new: Mapping[int, int], census: Census
) -> None:
    """Let a column refer to the new keys; a column of a unique set goes by way of negative ones."""
    if census.column(table, column).kind == "object":
        _exchange_listed(connection, table, column, new)
        return
    listed = ", ".join(map(str, new))
    whens = " ".join(f"WHEN {old} THEN {-1 - other}" for old, other in new.items())
    connection.execute(
        f'UPDATE "{table}" SET "{column}" = CASE "{column}" {whens} END WHERE "{column}" IN ({listed})'
    )
    connection.execute(f'UPDATE "{table}" SET "{column}" = -1 - "{column}" WHERE "{column}" < 0')


def _exchange_listed(connection: apsw.Connection, table: str, column: str, new: Mapping[int, int]) -> None:
    sql = f'SELECT rowid, "{column}" FROM "{table}" WHERE "{column}" IS NOT NULL'
    for rowid, text in list(connection.execute(sql)):
        listed = json.loads(text)
        if isinstance(listed, list) and any(one in new for one in listed if isinstance(one, int)):
            renamed = json.dumps([new.get(one, one) for one in listed])
            connection.execute(f'UPDATE "{table}" SET "{column}" = ? WHERE rowid = ?', (renamed, rowid))
