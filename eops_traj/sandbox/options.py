"""Where sessions come from: the kinds of sandbox, by the names that configs give them.

Sessions are synchronous. Those in this process answer in fractions of a millisecond and are called where we
stand; those elsewhere are called from threads, as many as episodes are worked at a time, within reason.
"""

import asyncio
import functools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import BaseModel, ConfigDict, Field, PositiveFloat

from eops_traj.errors import InputError
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.sandbox.change_tracking import RecordedSession, tells_changes
from eops_traj.sandbox.fleet import Fleet, FleetSettings
from eops_traj.sandbox.open import open_task, seed_path, seed_text
from eops_traj.sandbox.remote import RemoteSession, open_remote, short_name
from eops_traj.sandbox.session import Session
from eops_traj.schema import Server, Task

T = TypeVar("T")
MOST_THREADS = 64
"""More of them only wait for one another: Python runs one at a time."""


class Sandbox(Protocol):
    """A kind of sandbox, ready to open sessions."""

    def open(self, task: Task) -> Session:
        """A session on the task's own databases. Raises SandboxError, InputError for a task that is wrong."""
        ...

    async def do(self, work: Callable[[], T]) -> T:
        """Do something with a session, or open one, without holding up the other episodes."""
        ...

    def close(self) -> None:
        """Let go of what is shared by the sessions."""
        ...


class EmbeddedOptions(BaseModel):
    """The gym in this process."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal["embedded"] = "embedded"
    strict: bool = Field(
        False, description="Enforce each tool's roles, and the headers that servers require."
    )
    quirks: tuple[str, ...] = Field((), description="Plain bugs of the real servers to repeat.")

    def open(self, root: Path | None, threads: int) -> "Embedded":
        """The sandbox; ``root`` is the folder that seed files are named from."""
        registry.check_quirks(self.quirks)
        return Embedded(self, root)

    def behaviour(self) -> dict[str, object]:
        """What shapes the episodes: part of the agent's settings where it is not the default."""
        return self.model_dump(exclude_defaults=True)


class Embedded:
    """Sessions in this process."""

    def __init__(self, options: EmbeddedOptions, root: Path | None) -> None:
        self._options, self._root = options, root

    def open(self, task: Task) -> Session:
        """A session on copies of the task's templates."""
        strict, quirks = self._options.strict, self._options.quirks
        return open_task(task, self._root, strict_permissions=strict, quirks=quirks)

    async def do(self, work: Callable[[], T]) -> T:
        """At once."""
        return work()

    def close(self) -> None:
        """Nothing is shared."""


class RemoteOptions(BaseModel):
    """Servers in other processes, that speak the benchmark's wire protocol."""

    model_config = ConfigDict(extra="forbid", frozen=True)
    kind: Literal["remote"]
    urls: dict[str, str] = Field(
        default_factory=dict, description="Where each server is, by name; else where the task says."
    )
    timeout: PositiveFloat = 30.0

    def open(self, root: Path | None, threads: int) -> "Remote":
        """The sandbox; ``root`` is the folder that seed files are named from."""
        return Remote(self, root, threads)

    def behaviour(self) -> dict[str, object]:
        """Nothing: servers are the same wherever they run."""
        return {}


class Remote:
    """Sessions on servers elsewhere."""

    def __init__(self, options: RemoteOptions, root: Path | None, threads: int) -> None:
        self._options, self._root = options, root
        self._urls = {short_name(name): url for name, url in options.urls.items()}
        self._manners = Manners()
        self._threads = ThreadPoolExecutor(min(threads, MOST_THREADS), thread_name_prefix="sandbox")

    def open(self, task: Task) -> Session:
        """A session on freshly seeded databases, its changes recorded where the servers tell them."""
        urls = {server.name: self._url(server) for server in task.servers}
        seeded = seeds(task, self._root, ours=self._manners.ours(task))
        return self._manners.settle(open_remote(urls, seeded, callers(task), timeout=self._options.timeout))

    def _url(self, server: Server) -> str:
        url = self._urls.get(short_name(server.name), server.url)
        if url is None:
            raise InputError(f"sandbox: no URL for the server {server.name!r}; give it under sandbox.urls")
        return url

    async def do(self, work: Callable[[], T]) -> T:
        """In a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Let the threads end; one that is still at work is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class FleetOptions(FleetSettings):
    """Servers in Docker containers that this collection starts, and removes when it ends."""

    kind: Literal["fleet"]

    def open(self, root: Path | None, threads: int) -> "FleetSandbox":
        """The sandbox; ``root`` is where seed files are named from. Raises InputError where no Docker is."""
        return FleetSandbox(Fleet(self), root, threads)

    def behaviour(self) -> dict[str, object]:
        """Nothing: servers are the same wherever they run."""
        return {}


class FleetSandbox:
    """Sessions in the containers of a fleet."""

    def __init__(self, fleet: Fleet, root: Path | None, threads: int) -> None:
        self.fleet, self._root, self._manners = fleet, root, Manners()
        self._threads = ThreadPoolExecutor(min(threads, MOST_THREADS), thread_name_prefix="sandbox")

    def open(self, task: Task) -> Session:
        """A session in containers that have room, its changes recorded where the servers tell them."""
        seeded = seeds(task, self._root, ours=self._manners.ours(task))
        return self._manners.settle(self.fleet.open(seeded, callers(task)))

    async def do(self, work: Callable[[], T]) -> T:
        """In a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """Remove the containers."""
        self._threads.shutdown(wait=False, cancel_futures=True)
        self.fleet.close()


SandboxOptions = Annotated[EmbeddedOptions | RemoteOptions | FleetOptions, Field(discriminator="kind")]
"""Every kind, as a config gives it."""


class Manners:
    """What a collection learns of the servers elsewhere from its first session with them.

    Their tools, which are 100 kB to read, and whether they tell their changes.
    """

    def __init__(self) -> None:
        self._tell: dict[tuple[str, ...], bool] = {}
        self._tools: dict[tuple[str, ...], Mapping[str, list[dict[str, Any]]]] = {}

    def ours(self, task: Task) -> bool:
        """Whether the task's servers are known to be ours: a real one has no company by a number."""
        return self._tell.get(tuple(short_name(server.name) for server in task.servers), False)

    def settle(self, session: RemoteSession) -> Session:
        """The session, with its changes recorded where its servers tell them."""
        servers = session.servers
        try:
            if servers not in self._tell:
                self._tools[servers] = session.listings()
                self._tell[servers] = tells_changes(session)
        except BaseException:
            session.close()
            raise
        session.take_listings(self._tools[servers])
        return RecordedSession(session) if self._tell[servers] else session


def callers(task: Task) -> dict[str, str]:
    """The headers that say who is calling, those of every server together."""
    headers: dict[str, str] = {}
    for server in task.servers:
        headers |= {name: str(value) for name, value in json.loads(server.context).items()}
    return headers


def seeds(task: Task, root: Path | None, ours: bool) -> dict[str, int | str]:
    """Every server's seed as it travels: SQL text, or 0 for the company that a server of ``ours`` knows.

    Raises FormatError for a seed file that is missing.
    """
    return {server.name: _seed(server, root, ours) for server in task.servers}


def _seed(server: Server, root: Path | None, ours: bool) -> int | str:
    if seed_path(server, root) is not None:
        return seed_text(server, root)
    details: Mapping[str, object] = json.loads(server.details)
    company, patch = int(str(details.get("company", 0))), str(details.get("patch", ""))
    return 0 if ours and not company and not patch else _sql(server.name, company, patch)


@functools.lru_cache(maxsize=64)
def _sql(name: str, company: int, patch: str) -> str:
    return templates.to_sql(registry.server(name).template(company, patch))
