"""The kinds of sandbox that open sessions, by the names that configs give them.

Sessions are synchronous. Those in this process answer in fractions of a millisecond and are called
directly; those elsewhere are called from threads, as many as episodes run at a time.
"""

import asyncio
import functools
import json
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any, Literal, Protocol, TypeVar

from pydantic import Field, PositiveFloat

from eops_traj.config import Settings
from eops_traj.errors import InputError
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.sandbox.change_tracking import ChangeTrackingSession, reports_changes
from eops_traj.sandbox.fleet import Fleet, FleetSettings
from eops_traj.sandbox.open import open_task, seed_path, seed_text
from eops_traj.sandbox.remote import RemoteSession, open_remote, short_name
from eops_traj.sandbox.session import Session
from eops_traj.schema import Server, Task

T = TypeVar("T")
MOST_THREADS = 64
"""For servers that are named: more of them only wait for one another, as Python runs one at a time."""


class Sandbox(Protocol):
    """A kind of sandbox, ready to open sessions."""

    def open(self, task: Task) -> Session:
        """Open a session on the task's own databases. Raises SandboxError, InputError for a wrong task."""
        ...

    async def do(self, work: Callable[[], T]) -> T:
        """Do work with a session, or open one, without blocking the other episodes."""
        ...

    def close(self) -> None:
        """Release what the sessions share."""
        ...


class EmbeddedOptions(Settings):
    """The gym in this process."""

    kind: Literal["embedded"] = "embedded"
    strict: bool = Field(
        False, description="Enforce each tool's roles, and the headers that servers require."
    )
    quirks: tuple[str, ...] = Field((), description="Plain bugs of the real servers to repeat.")

    def open(self, root: Path | None, threads: int) -> "EmbeddedSandbox":
        """Return the sandbox; ``root`` is the folder that seed files are named from."""
        registry.check_quirks(self.quirks)
        return EmbeddedSandbox(self, root)

    def behaviour(self) -> dict[str, object]:
        """Return what shapes the episodes: part of the agent's settings where it is not the default."""
        return self.model_dump(exclude_defaults=True)


class EmbeddedSandbox:
    """Sessions in this process."""

    def __init__(self, options: EmbeddedOptions, root: Path | None) -> None:
        self._options, self._root = options, root

    def open(self, task: Task) -> Session:
        """Open a session on copies of the task's templates."""
        strict, quirks = self._options.strict, self._options.quirks
        return open_task(task, self._root, strict_permissions=strict, quirks=quirks)

    async def do(self, work: Callable[[], T]) -> T:
        """Do the work at once."""
        return work()

    def close(self) -> None:
        """Do nothing: the sessions share nothing."""


class RemoteOptions(Settings):
    """Servers in other processes, that speak the benchmark's wire protocol."""

    kind: Literal["remote"]
    urls: dict[str, str] = Field(
        default_factory=dict, description="Where each server is, by name; else where the task says."
    )
    timeout: PositiveFloat = 30.0
    patient: bool = Field(
        True, description="Repeat a call that failed, and read an error of JSON-RPC as a refusal."
    )

    def open(self, root: Path | None, threads: int) -> "RemoteSandbox":
        """Return the sandbox; ``root`` is the folder that seed files are named from."""
        return RemoteSandbox(self, root, threads)

    def behaviour(self) -> dict[str, object]:
        """Return nothing: servers are the same wherever they run."""
        return {}


class _ThreadedSandbox:
    """The threads from which sessions elsewhere are called, and what is known of their servers."""

    def __init__(self, root: Path | None, threads: int) -> None:
        self._root, self._capabilities = root, ServerCapabilities()
        self._threads = ThreadPoolExecutor(threads, thread_name_prefix="sandbox")

    async def do(self, work: Callable[[], T]) -> T:
        """Do the work in a thread."""
        return await asyncio.get_running_loop().run_in_executor(self._threads, work)

    def close(self) -> None:
        """End the threads; one that is still at work is not waited for."""
        self._threads.shutdown(wait=False, cancel_futures=True)


class RemoteSandbox(_ThreadedSandbox):
    """Sessions on servers elsewhere."""

    def __init__(self, options: RemoteOptions, root: Path | None, threads: int) -> None:
        super().__init__(root, min(threads, MOST_THREADS))
        self._timeout, self._patient = options.timeout, options.patient
        self._urls = {short_name(name): url for name, url in options.urls.items()}

    def open(self, task: Task) -> Session:
        """Open a session on freshly seeded databases, its changes recorded where the servers report them."""
        urls = {server.name: self._url(server) for server in task.servers}
        seeds = task_seeds(task, self._root, ours=self._capabilities.ours(task))
        session = open_remote(urls, seeds, caller_headers(task), timeout=self._timeout, patient=self._patient)
        return self._capabilities.apply(session)

    def _url(self, server: Server) -> str:
        if given := self._urls.get(short_name(server.name)):
            return given
        if server.url is None:
            raise InputError(f"sandbox: no URL for the server {server.name!r}; give it under sandbox.urls")
        if self._root is None and seed_path(server, None) is not None:
            # a task from the hub must not send files of the folder that we happen to be in
            raise InputError(
                f"sandbox: {server.name!r}: a task in no folder names both a seed file and a URL"
            )
        return server.url


class FleetOptions(FleetSettings):
    """Servers in Docker containers that this collection starts, and removes when it ends."""

    kind: Literal["fleet"]

    def open(self, root: Path | None, threads: int) -> "FleetSandbox":
        """Return the sandbox, seed files named from ``root``. Raises InputError where no Docker is."""
        return FleetSandbox(Fleet(self), root, threads)

    def behaviour(self) -> dict[str, object]:
        """Return nothing: servers are the same wherever they run."""
        return {}


class FleetSandbox(_ThreadedSandbox):
    """Sessions in the containers of a fleet."""

    def __init__(self, fleet: Fleet, root: Path | None, threads: int) -> None:
        super().__init__(root, threads)  # one for each episode: those that wait for room hold theirs
        self.fleet = fleet

    def open(self, task: Task) -> Session:
        """Open a session in containers that have room, its changes recorded where the servers report them."""
        seeds = task_seeds(task, self._root, ours=self._capabilities.ours(task))
        return self._capabilities.apply(self.fleet.open(seeds, caller_headers(task)))

    def close(self) -> None:
        """Remove the containers."""
        super().close()
        self.fleet.close()


SandboxOptions = Annotated[EmbeddedOptions | RemoteOptions | FleetOptions, Field(discriminator="kind")]
"""Every kind of sandbox, as a config gives it."""


class ServerCapabilities:
    """The facts that a collection learns of servers elsewhere from its first session with them.

    They are the tools, which are 100 kB to read, and whether the servers report their changes.
    """

    def __init__(self) -> None:
        self._reporting: dict[tuple[str, ...], bool] = {}
        self._tools: dict[tuple[str, ...], Mapping[str, list[dict[str, Any]]]] = {}

    def ours(self, task: Task) -> bool:
        """Check whether the task's servers are known to be ours: a real one has no company by a number."""
        return self._reporting.get(tuple(short_name(server.name) for server in task.servers), False)

    def apply(self, session: RemoteSession) -> Session:
        """Return the session, with its changes recorded where its servers report them."""
        servers = session.servers
        try:
            if servers not in self._reporting:
                self._tools[servers] = session.listings()
                self._reporting[servers] = reports_changes(session)
        except BaseException:
            session.close()
            raise
        session.use_listings(self._tools[servers])
        return ChangeTrackingSession(session) if self._reporting[servers] else session


def caller_headers(task: Task) -> dict[str, str]:
    """Return the headers that identify the caller, those of every server together."""
    headers: dict[str, str] = {}
    for server in task.servers:
        headers |= {name: str(value) for name, value in json.loads(server.context).items()}
    return headers


def task_seeds(task: Task, root: Path | None, ours: bool) -> dict[str, int | str]:
    """Return every server's seed to send: SQL text, or 0 for the company that a server of ``ours`` knows.

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
