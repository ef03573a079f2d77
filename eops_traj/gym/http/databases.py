"""The databases that a serving process holds open: by server and id, bounded in number, memory and idle time.

The books are kept on one event loop. The work itself (a tool's call, a query, a seed) goes to a thread; the
lock of each database admits one piece at a time, and before each it is told how far it may grow.
"""

import asyncio
import hashlib
import threading
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from dataclasses import dataclass, field
from functools import partial
from typing import TypeVar
from uuid import uuid4

import apsw

from eops_traj.errors import InputError, SandboxError
from eops_traj.gym.engine import clock
from eops_traj.gym.engine.database import Database, Template
from eops_traj.gym.engine.seeds import load_seed
from eops_traj.gym.engine.templates import SeedTooLarge
from eops_traj.gym.http.threads import THREADS, Threads
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server

T = TypeVar("T")
DEFAULT = "default"
"""The id that a call without ``x-database-id`` means; it starts as the server's own company."""
_OVERHEAD = 256 * 1024  # what an open database costs beside its pages
_LOADERS = 8  # seeds that are loaded at a time; the other threads are for calls
_AMPLE = 256 * 1024 * 1024  # bytes: no database may grow by more in any case


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
    call_seconds: float = 30.0
    """How long a tool's call, or a query, may run."""


@dataclass
class OpenDatabase:
    """An open database: its template, its default caller, the time of its last use."""

    database: Database
    template: Template
    caller: str | None
    used: float
    size: int = 0
    closed: bool = False
    bounded: bool = False
    """Whether it was told to grow less than it may of itself."""
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
        self._loading = asyncio.Semaphore(_LOADERS)
        self._stopped = threading.Event()
        self._threads = Threads(THREADS, self.limits.call_seconds, now)
        self._bytes = 0

    def count(self, server: Server) -> int:
        """Return the number of open databases of a server."""
        return sum(name == server.name for name, _ in self._held)

    async def seed(self, server: Server, database_id: str, sql: str = "") -> None:
        """Open a database with the rows of a SQL text, or the server's company, in place of an older one."""
        key = (server.name, database_id)
        self._make_room(key)
        template = await self._template(server, sql)
        self._make_room(key, len(template.image))
        await self._keep(key, await self._open(server, template, lambda: template.open(self._tell)))

    def loosened(self, server: Server, database_id: str) -> list[str]:
        """Return what was loosened for the seed of an open database, in words."""
        return list(map(str, self._find(server, database_id).template.schema.loosened))

    @asynccontextmanager
    async def use(self, server: Server, database_id: str) -> AsyncIterator[OpenDatabase]:
        """Lend the database to the holder of this context alone."""
        if database_id == DEFAULT and (server.name, DEFAULT) not in self._held:
            async with self._opening:
                if (server.name, DEFAULT) not in self._held:
                    await self.seed(server, DEFAULT)
        held = self._find(server, database_id)
        await held.lock.acquire()
        while held.closed:  # dropped while this call waited for it, or replaced
            held.lock.release()
            held = self._find(server, database_id)
            await held.lock.acquire()
        try:
            yield held
        finally:
            held.used = self._now()
            held.lock.release()

    async def run(self, held: OpenDatabase, work: Callable[[], T]) -> T:
        """Run work on a lent database in a thread, and account for what the database has grown.

        Raises TimedOut at the deadline, ServerFull where there is no memory for what is written.
        """
        room = (self.limits.megabytes * 1_000_000 - self._bytes) // (self._threads.running + 1)
        if held.bounded or room < _AMPLE:
            held.bounded = room < _AMPLE
            held.database.limit_growth(min(room, _AMPLE))
        try:
            result, size = await self._threads.run(
                lambda: (work(), held.database.memory()), held.database.interrupt
            )
        except (apsw.FullError, apsw.ReadOnlyError):
            raise self._full() from None
        self._bytes += size - held.size
        held.size = size
        return result

    async def reset(self, server: Server, database_id: str) -> None:
        """Bring a database back to its seed."""
        async with self.use(server, database_id) as held:
            fresh = await self._threads.run(lambda: held.template.open(self._tell))
            old, held.database, held.bounded = held.database, fresh, False
            held.size = fresh.memory()
            old.close()
            self._count()

    async def clone(self, server: Server, database_id: str) -> str:
        """Open a copy in the same state, and return its id."""
        key = (server.name, f"db_clone_{uuid4().hex}")
        async with self.use(server, database_id) as held:
            self._make_room(key, held.size + _OVERHEAD)
            await self._keep(key, await self._open(server, held.template, held.database.fork, like=held))
        return key[1]

    async def delete(self, server: Server, database_id: str) -> int:
        """Drop a database, and return its size in bytes."""
        async with self.use(server, database_id) as held:
            self._drop((server.name, database_id), held)
        return held.size

    def sweep(self) -> None:
        """Drop the databases not used for the idle time, but the default: it would come back as new."""
        oldest = self._now() - self.limits.idle_seconds
        for key, held in list(self._held.items()):
            if key[1] != DEFAULT and held.used < oldest and not held.lock.locked():
                self._drop(key, held)

    def stop_late(self) -> None:
        """Stop the work that is past its deadline."""
        self._threads.stop_late()

    def close(self) -> None:
        """Stop all work, and drop every database that no thread is using."""
        self._stopped.set()
        self._threads.close()
        for key, held in list(self._held.items()):
            if not held.lock.locked():
                self._drop(key, held)

    def _find(self, server: Server, database_id: str) -> OpenDatabase:
        held = self._held.get((server.name, database_id))
        if held is None:
            raise _unknown(database_id)
        return held

    async def _open(
        self, server: Server, template: Template, copy: Callable[[], Database],
        like: OpenDatabase | None = None,
    ) -> OpenDatabase:  # fmt: skip
        """Open a database in a thread, and find its default caller: that of the one that it is like."""

        def opened() -> OpenDatabase:
            database = copy()
            caller = like.caller if like else None
            if like is None and (self._stand_in or self._user):
                caller = default_caller(server, database, self._user)
            return OpenDatabase(database, template, caller, self._now(), database.memory())

        return await self._threads.run(opened)

    async def _keep(self, key: tuple[str, str], fresh: OpenDatabase) -> None:
        """Put a database in the place of an older one; calls that wait for that one find this."""
        try:
            self._make_room(key, fresh.size + _OVERHEAD)
        except ServerFull:
            fresh.database.close()
            raise
        while (old := self._held.get(key)) is not None:
            async with old.lock:
                self._drop(key, old)
        self._held[key] = fresh
        self._count()

    def _drop(self, key: tuple[str, str], held: OpenDatabase) -> None:
        held.closed = True
        if self._held.get(key) is held:
            del self._held[key]
        held.database.close()
        self._count()

    def _make_room(self, key: tuple[str, str], size: int = 0) -> None:
        """Refuse to go over the bounds, after idle databases and spare templates have gone."""
        self.sweep()
        most = self.limits.megabytes * 1_000_000 - size
        while self._templates and self._bytes > most:
            del self._templates[next(iter(self._templates))]
            self._count()
        if key not in self._held and len(self._held) >= self.limits.databases:
            raise ServerFull(f"the server is full: {len(self._held)} databases are open. {_ADVICE}")
        if self._bytes > most:
            raise self._full()

    def _full(self) -> ServerFull:
        return ServerFull(f"the server is full: {self.limits.megabytes} MB are in use. {_ADVICE}")

    def _count(self) -> None:
        """Count the bytes anew, each template once."""
        images = {id(t): len(t.image) for t in self._templates.values()}
        images |= {id(held.template): len(held.template.image) for held in self._held.values()}
        self._bytes = sum(images.values()) + sum(held.size + _OVERHEAD for held in self._held.values())

    async def _template(self, server: Server, sql: str) -> Template:
        if not sql.strip():
            return await self._threads.run(server.template)
        key = (server.name, hashlib.sha256(sql.encode()).hexdigest())
        template = self._templates.pop(key, None) or await self._loaded(server, sql)
        self._templates[key] = template  # the newest is last
        self._count()
        return template

    async def _loaded(self, server: Server, sql: str) -> Template:
        """Return the template of a SQL text, which may take a part of the memory that is left."""
        async with self._loading:
            room = (self.limits.megabytes * 1_000_000 - self._bytes) // _LOADERS
            seconds = self.limits.call_seconds
            load = partial(load_seed, server.schema, sql, seconds, max(0, room), self._stopped)
            try:
                return await self._threads.run(load)
            except SeedTooLarge:
                raise self._full() from None


_ADVICE = "Delete one with DELETE /api/delete-database, or wait until an idle one is dropped."


def _unknown(database_id: str) -> UnknownDatabase:
    return UnknownDatabase(f"Database with ID '{database_id}' not found")
