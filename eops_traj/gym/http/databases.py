"""The databases that a serving process holds open: by server and id, bounded in number, memory and idle time.

All of it runs on one event loop. Long work (loading a seed, running a query) goes to a thread; the lock of
each database admits one of them at a time.
"""

import asyncio
import hashlib
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from uuid import uuid4

from anyio import to_thread

from eops_traj.errors import InputError, SandboxError
from eops_traj.gym.engine import clock, templates
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server

DEFAULT = "default"
"""The id that a call without ``x-database-id`` means; it starts as the server's own company."""
_OVERHEAD = 256 * 1024  # what an open database costs beside its pages


class UnknownDatabase(InputError):
    """No database has this id, or it was dropped after its idle time."""


class ServerFull(SandboxError):
    """The bounds on databases are reached."""


@dataclass(frozen=True)
class Limits:
    """The bounds on the databases of a serving process."""

    databases: int = 256
    megabytes: int = 2048
    idle_seconds: float = 3600.0


@dataclass
class OpenDatabase:
    """An open database: its template, its default caller, the time of its last use."""

    database: Database
    template: Template
    caller: str | None
    used: float
    size: int = 0
    closed: bool = False
    lock: asyncio.Lock = field(default_factory=asyncio.Lock)


class Databases:
    """Every open database of a process, whichever server it belongs to."""

    def __init__(
        self, limits: Limits | None = None, *, tell: clock.Clock | None = None, user: str = "",
        stand_in: bool = True, now: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        self.limits = limits or Limits()
        self._tell, self._user, self._stand_in, self._now = tell, user, stand_in, now
        self._held: dict[tuple[str, str], OpenDatabase] = {}
        self._templates: dict[tuple[str, str], Template] = {}  # those made from SQL texts, oldest first
        self._opening = asyncio.Lock()

    def count(self, server: Server) -> int:
        """Return the number of open databases of a server."""
        return sum(name == server.name for name, _ in self._held)

    async def seed(self, server: Server, database_id: str, sql: str = "") -> None:
        """Open a database with the rows of a SQL text, or the server's company, in place of an older one."""
        self._make_room((server.name, database_id))
        template = await self._template(server, sql)
        await self._keep(server, database_id, template, template.open(self._tell))

    @asynccontextmanager
    async def use(self, server: Server, database_id: str) -> AsyncIterator[OpenDatabase]:
        """Lend the database to the holder of this context alone."""
        if database_id == DEFAULT and (server.name, DEFAULT) not in self._held:
            async with self._opening:
                if (server.name, DEFAULT) not in self._held:
                    await self.seed(server, DEFAULT)
        held = self._find(server, database_id)
        async with held.lock:
            if held.closed:  # dropped while this call waited for it
                raise _unknown(database_id)
            try:
                yield held
            finally:
                held.used, held.size = self._now(), held.database.size()

    async def reset(self, server: Server, database_id: str) -> None:
        """Bring a database back to its seed."""
        async with self.use(server, database_id) as held:
            old, held.database = held.database, held.template.open(self._tell)
            old.close()

    async def clone(self, server: Server, database_id: str) -> str:
        """Open a copy in the same state, and return its id."""
        copy = f"db_clone_{uuid4().hex}"
        self._make_room((server.name, copy))
        async with self.use(server, database_id) as held:
            await self._keep(server, copy, held.template, held.database.fork())
        return copy

    async def delete(self, server: Server, database_id: str) -> int:
        """Drop a database, and return its size in bytes."""
        held = self._find(server, database_id)
        async with held.lock:
            self._drop((server.name, database_id), held)
        return held.size

    def sweep(self) -> None:
        """Drop the databases not used for the idle time."""
        oldest = self._now() - self.limits.idle_seconds
        for key, held in list(self._held.items()):
            if held.used < oldest and not held.lock.locked():
                self._drop(key, held)

    def close(self) -> None:
        """Drop every database that no thread is using."""
        for key, held in list(self._held.items()):
            if not held.lock.locked():
                self._drop(key, held)

    def _find(self, server: Server, database_id: str) -> OpenDatabase:
        held = self._held.get((server.name, database_id))
        if held is None:
            raise _unknown(database_id)
        return held

    async def _keep(self, server: Server, database_id: str, template: Template, database: Database) -> None:
        key = (server.name, database_id)
        try:
            self._make_room(key, database.size() + _OVERHEAD)
        except ServerFull:
            database.close()
            raise
        while (old := self._held.get(key)) is not None:
            async with old.lock:
                self._drop(key, old)
        has_default = self._stand_in or self._user
        caller = default_caller(server, database, self._user) if has_default else None
        self._held[key] = OpenDatabase(database, template, caller, self._now(), database.size())

    def _drop(self, key: tuple[str, str], held: OpenDatabase) -> None:
        held.closed = True
        if self._held.get(key) is held:
            del self._held[key]
        held.database.close()

    def _make_room(self, key: tuple[str, str], size: int = 0) -> None:
        """Refuse to go over the bounds, after idle databases and spare templates have gone."""
        self.sweep()
        most = self.limits.megabytes * 1_000_000 - size
        while self._templates and self._bytes() > most:
            del self._templates[next(iter(self._templates))]
        if key not in self._held and len(self._held) >= self.limits.databases:
            raise ServerFull(f"the server is full: {len(self._held)} databases are open. {_ADVICE}")
        if self._bytes() > most:
            raise ServerFull(f"the server is full: {self.limits.megabytes} MB are in use. {_ADVICE}")

    def _bytes(self) -> int:
        images = {id(t): len(t.image) for t in self._templates.values()}
        images |= {id(held.template): len(held.template.image) for held in self._held.values()}
        return sum(images.values()) + sum(held.size + _OVERHEAD for held in self._held.values())

    async def _template(self, server: Server, sql: str) -> Template:
        if not sql.strip():
            return await to_thread.run_sync(server.template)
        key = (server.name, hashlib.sha256(sql.encode()).hexdigest())
        template = self._templates.pop(key, None)
        if template is None:
            template = await to_thread.run_sync(templates.from_sql, server.schema, sql)
        self._templates[key] = template  # the newest is last
        return template


_ADVICE = "Delete one with DELETE /api/delete-database, or wait until an idle one is dropped."


def _unknown(database_id: str) -> UnknownDatabase:
    return UnknownDatabase(f"Database with ID '{database_id}' not found")
