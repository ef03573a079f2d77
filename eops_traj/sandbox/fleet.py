"""A fleet: the benchmark's tool servers in Docker containers, whose sessions are those of `sandbox.remote`.

Each server has a pool of containers. They are started from images named by digest, replaced before they wear
out, and removed with the fleet; what a killed process left is removed when the next fleet starts. Servers are
published on the loopback interface unless configured otherwise: whoever reaches one can read and change it.
"""

import atexit
import contextlib
import logging
import threading
from collections.abc import Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from types import TracebackType
from typing import TYPE_CHECKING, Any, NamedTuple

from pydantic import Field, PositiveFloat, PositiveInt

from eops_traj.config import Settings
from eops_traj.errors import SandboxError, UnknownName
from eops_traj.hashing import digest
from eops_traj.sandbox.container_pool import ContainerPool
from eops_traj.sandbox.docker import Container, Docker, connect
from eops_traj.sandbox.fleet_session import FleetSession, Lease
from eops_traj.sandbox.images import BENCHMARK_IMAGES, ServerImage
from eops_traj.sandbox.mcp_client import McpClient
from eops_traj.sandbox.remote import RemoteSession, open_clients, short_name
from eops_traj.sandbox.seed_fingerprint import SeedFingerprints

if TYPE_CHECKING:
    from docker import DockerClient

Seeds = Mapping[str, int | str]
"""What each server's database starts from: SQL text, or the number of a company of ours."""
STARTS_AT_ONCE = 8
_log = logging.getLogger(__name__)


class FleetSettings(Settings):
    """Which images a fleet runs, and how many containers of each."""

    images: dict[str, ServerImage] = Field(default_factory=dict)
    """By server; a server that is not here has the benchmark's image."""
    containers: PositiveInt = 1
    """How many containers of each server there are."""
    sessions_at_once: PositiveInt = 8
    """The most sessions that a container has at a time."""
    sessions_in_all: PositiveInt = 150
    """After so many sessions a container is replaced: the benchmark's servers die after some 200."""
    open_files: PositiveInt | None = None
    """The limit of open files in a container, where it is not the engine's own."""
    ready_seconds: PositiveFloat = 180.0
    """How long a container may take to answer."""
    timeout: PositiveFloat = 30.0
    """Seconds for one tool call."""
    patient: bool = True
    """Whether a call that failed is repeated, and an error of JSON-RPC read as a refusal."""
    docker_host: str | None = None
    """The Docker engine's address; by default DOCKER_HOST, then the local socket."""
    address: str = "127.0.0.1"
    """The address of the engine's machine on which servers are published and reached."""


class _FleetServer(NamedTuple):
    """A server of the fleet: its image, its containers, the fingerprints of its seeds."""

    image: str
    pool: ContainerPool
    fingerprints: SeedFingerprints


class Fleet:
    """Tool servers in containers. Open sessions from as many threads as you like, then close it."""

    def __init__(self, settings: FleetSettings, client: "DockerClient | None" = None) -> None:
        """Remove what killed processes left behind. Raises InputError where no Docker engine answers."""
        self._settings = settings
        self._client = client or connect(settings.docker_host)
        self._docker = Docker(self._client, settings.address, settings.open_files)
        self._executor = ThreadPoolExecutor(STARTS_AT_ONCE, "fleet")
        self._servers: dict[str, _FleetServer] = {}
        self._lock = threading.Lock()
        for name in self._docker.sweep():
            _log.warning("removed container %s, whose process is gone", name)
        atexit.register(self.close)

    def start(self, servers: Iterable[str]) -> None:
        """Begin to start containers of these servers; `open` starts what is missing.

        Raises UnknownName for a server without an image, InputError for an image that is not available.
        """
        for server in servers:
            self._server(short_name(server)).pool.fill()

    def _server(self, server: str) -> _FleetServer:
        with self._lock:
            if server not in self._servers:
                images = BENCHMARK_IMAGES | self._settings.images
                if server not in images:
                    raise UnknownName("server", server, images)
                self._servers[server] = self._add(server, images[server])
            return self._servers[server]

    def _add(self, server: str, image: ServerImage) -> _FleetServer:
        pinned, settings = self._docker.pin(image.image), self._settings
        start = partial(self._docker.run, server, image, pinned, settings.ready_seconds)
        pool = ContainerPool(
            start, self._end, self._executor,
            size=settings.containers, at_once=settings.sessions_at_once, in_all=settings.sessions_in_all,
        )  # fmt: skip
        return _FleetServer(pinned, pool, SeedFingerprints())

    def _end(self, container: Container) -> None:
        try:
            self._docker.end(container)
        except SandboxError as error:  # not caused by any session; `close` tries again
            _log.warning("%s", error)

    def open(self, seeds: Seeds, headers: Mapping[str, str] | None = None) -> FleetSession:
        """Open a session with these servers, each seeded by SQL text or by a number, as in `open_remote`.

        Containers that fail at this are replaced, and others are tried once. Raises SandboxError where they
        fail too, FormatError for a seed that is refused, and what `start` raises.
        """
        for last in (False, True):
            leases = self._lease(seeds)
            try:
                session = FleetSession(self._seeded(leases, seeds, headers or {}), list(leases.values()))
            except SandboxError as error:
                _give_back(leases, healthy=False)
                if last:
                    raise
                _log.warning("%s; another container is tried", error)
            except BaseException:
                _give_back(leases, healthy=True)
                raise
            else:
                return session
        raise AssertionError("the last try returns or raises")

    def _lease(self, servers: Iterable[str]) -> dict[str, Lease]:
        with contextlib.ExitStack() as undo:
            leases = {}
            for server in sorted(servers, key=short_name):  # in one order: no two wait for one another
                pool = self._server(short_name(server)).pool
                leases[server] = lease = Lease(pool, pool.take())
                undo.callback(lease.give_back)
            undo.pop_all()
        return leases

    def _seeded(
        self, leases: Mapping[str, Lease], seeds: Seeds, headers: Mapping[str, str]
    ) -> dict[str, McpClient]:
        """Return clients of freshly seeded databases, each checked to be as its seed made it before."""
        urls = {server: leases[server].url for server in seeds}
        clients = open_clients(urls, seeds, headers, self._settings.timeout, self._settings.patient)
        with contextlib.ExitStack() as undo:
            undo.callback(RemoteSession(clients).close)
            for server, seed in seeds.items():
                name = short_name(server)
                self._server(name).fingerprints.check(name, digest(seed), clients[name].query)
            undo.pop_all()
        return clients

    def facts(self) -> dict[str, Any]:
        """Return each server's image, by its digest, and its seeds' fingerprints, by the seeds' digests."""
        return {
            server: {"image": served.image, "fingerprints": dict(served.fingerprints.by_seed)}
            for server, served in list(self._servers.items())  # another thread may add to them
        }

    def close(self) -> None:
        """Remove every container of the fleet. Sessions that are open fail. A second call does nothing."""
        atexit.unregister(self.close)
        for served in list(self._servers.values()):  # another thread may add to them; it is not waited for
            served.pool.close()
        try:
            self._docker.end_all()  # one that is waited for fails at once
            self._executor.shutdown(cancel_futures=True)
            self._docker.end_all()
        except SandboxError as error:  # the next fleet removes the rest
            _log.warning("%s", error)
        self._executor.shutdown(cancel_futures=True)
        self._client.close()

    def __enter__(self) -> "Fleet":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()


def _give_back(leases: Mapping[str, Lease], *, healthy: bool) -> None:
    for lease in leases.values():
        lease.give_back(healthy=healthy)
