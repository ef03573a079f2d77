"""A twin world: a company in which rows have other ids, places and facts, and lists have one row more.

What a scene's queries or requirements cannot do without is taken back, step by step (`blame`).
"""

import re
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import timedelta
from typing import Any

import apsw

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.connection import MAX_PAGES, connect
from eops_traj.gym.engine.current_call import seeded_ids
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.engine.templates import patched
from eops_traj.sandbox.embedded import EmbeddedSession, open_on_templates
from eops_traj.taskgen.server_rules import rules_of
from eops_traj.taskgen.start_state import StartState
from eops_traj.taskgen.twin_world.census import Census
from eops_traj.taskgen.twin_world.clones import Clone, insert
from eops_traj.taskgen.twin_world.facts import Fact
from eops_traj.taskgen.twin_world.renaming import Renaming
from eops_traj.taskgen.twin_world.seen import Seen


@dataclass
class ServerWorld:
    """One server's part of the world: the rows that exchange ids, other facts, and further rows."""

    census: Census
    seen: Seen
    facts: list[Fact] = field(default_factory=list)
    clones: list[Clone] = field(default_factory=list)
    fixed: frozenset[str] = frozenset()
    """Ids that a query or the policy names, which therefore stay."""
    unmoved: set[str] = field(default_factory=set)
    """Tables whose rows keep their ids and places, since a query compares these."""
    renaming: Renaming | None = None
    _template: Template | None = None
    _last: tuple[tuple[Any, ...], Template] | None = None
    """The template made last, and what was other in it."""

    @property
    def template(self) -> Template:
        """The company as it is in this world."""
        if self._template is None:
            if self._last is None or self._last[0] != self._other:
                made = self._made()
                self._last = self._other, made
            self._template = self._last[1]
        return self._template

    @property
    def _other(self) -> tuple[Any, ...]:
        return [*map(id, self.facts)], [*map(id, self.clones)], {*self.unmoved}

    def _made(self) -> Template:
        original = registry.server(self.census.server).template(self.census.company)
        connection = connect(lambda: clock.START, lambda *_: "0" * 32)
        connection.deserialize("main", original.image)
        connection.pragma("max_page_count", MAX_PAGES)
        connection.execute("PRAGMA foreign_keys = OFF; PRAGMA ignore_check_constraints = ON")
        with connection:
            self.clones = [clone for clone in self.clones if insert(connection, clone)]
            _set_all(connection, self.facts)
            self.renaming = self._renaming()
            self.renaming.apply(connection, [row for clone in self.clones for row in clone.rowids])
        image = connection.serialize("main")
        connection.close()
        return Template(original.schema, image)

    def _renaming(self) -> Renaming:
        rows: dict[str, set[int]] = {}
        for table, rowid in self.seen.rows:
            rows.setdefault(table, set()).add(rowid)
        for clone in self.clones:
            for table, rowid in clone.rowids[:1]:
                rows.setdefault(table, set()).add(rowid)
        stay = {*self.unmoved, *rules_of(self.census.server).bookkeeping}  # a log is told by its numbers
        kept = {table: places for table, places in rows.items() if table not in stay}
        return Renaming.of(self.census, kept, self.fixed)

    def place(self, table: str, rowid: int) -> int:
        """Return where a row of the company is in this world."""
        return self.renaming.places.get(table, {}).get(rowid, rowid) if self.renaming else rowid

    def take_back(self, facts: Sequence[Fact], clones: Sequence[Clone], live: Database | None = None) -> bool:
        """Undo facts and further rows, in an open database too; return whether there were any."""
        if live:
            for fact in facts:
                _set(live.connection, fact, self.place(fact.table, fact.rowid), fact.old)
            for clone in clones:
                self._remove(live.connection, clone)
        gone = set(map(id, facts))
        self.facts = [fact for fact in self.facts if id(fact) not in gone]
        self.clones = [clone for clone in self.clones if clone not in clones]
        if (facts or clones) and live is None:
            self._template = None
        return bool(facts or clones)

    @contextmanager
    def without_further_rows(self, database: Database) -> Iterator[None]:
        """Hide the further rows of an open database for a while."""
        database.connection.execute("PRAGMA foreign_keys = OFF; SAVEPOINT hidden")
        try:
            for clone in self.clones:
                self._remove(database.connection, clone)
            yield
        finally:
            database.connection.execute("ROLLBACK TO hidden; RELEASE hidden; PRAGMA foreign_keys = ON")

    def _remove(self, connection: apsw.Connection, clone: Clone) -> None:
        for table, rowid in reversed(clone.rowids):
            sql = f'DELETE FROM "{table}" WHERE rowid = ?'
            connection.execute(sql, (self.place(table, rowid),))

    def forget_template(self) -> None:
        """Make the template anew at its next use."""
        self._template = None


def _set_all(connection: apsw.Connection, facts: Sequence[Fact]) -> None:
    """Set the new values of facts."""
    cells: dict[str, list[tuple[Any, int]]] = {}
    for fact in facts:
        sql = f'UPDATE "{fact.table}" SET "{fact.column}" = ? WHERE rowid = ?'
        cells.setdefault(sql, []).append((fact.new, fact.rowid))
    for sql, values in cells.items():
        connection.executemany(sql, values)


def _set(connection: apsw.Connection, fact: Fact, rowid: int, value: Any) -> None:
    sql = f'UPDATE "{fact.table}" SET "{fact.column}" = ? WHERE rowid = ?'
    connection.execute(sql, (value, rowid))


@dataclass(frozen=True)
class TwinState(StartState):
    """A start state in a twin world."""

    worlds: Mapping[str, ServerWorld] = field(default_factory=dict)

    def open(self, *, later: timedelta = timedelta(), ids: int = 0) -> EmbeddedSession:
        """Open a session on it."""
        templates = {}
        for name, patch in self.patches.items():
            server, world = registry.server(name), self.worlds.get(name)
            template = world.template if world else server.template(self.company)
            templates[server] = patched(template, patch) if patch else template
        return open_on_templates(templates, self.headers, clock.steady(clock.START + later), seeded_ids(ids))


def words_in(text: str) -> set[str]:
    """Return the names in a text, whichever way they are spelt: ``sys_created_on`` and ``sysCreatedOn``."""
    return {plain_name(word) for word in re.findall(r"[A-Za-z_]\w*", text)}


def plain_name(name: str) -> str:
    """Return a name without underscores and capitals."""
    return name.replace("_", "").lower()
