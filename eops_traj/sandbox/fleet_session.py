"""A session on a fleet: a remote session, and its leases of the fleet's containers."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eops_traj.errors import SandboxError
from eops_traj.gym.engine.database import QueryResult
from eops_traj.sandbox.container_pool import ContainerPool, PooledContainer
from eops_traj.sandbox.docker import is_answering
from eops_traj.sandbox.mcp_client import McpClient
from eops_traj.sandbox.remote import RemoteSession
from eops_traj.sandbox.session import ToolResult


class Lease:
    """One session's share of a container."""

    def __init__(self, pool: ContainerPool, member: PooledContainer) -> None:
        self._pool, self._member = pool, member
        self.url = member.container.url

    def again(self) -> "Lease":
        """Lease the same container once more."""
        return Lease(self._pool, self._pool.take_again(self._member))

    def is_answering(self) -> bool:
        """Check whether the container's server answers."""
        return is_answering(self._member.container)

    def give_back(self, *, healthy: bool = True) -> None:
        """End the lease. A container that failed is replaced."""
        self._pool.give_back(self._member, healthy=healthy)


class FleetSession(RemoteSession):
    """A `Session` in containers of a fleet. Where it failed, they are checked when it is closed."""

    def __init__(self, clients: Mapping[str, McpClient], leases: Sequence[Lease]) -> None:
        super().__init__(clients)
        self._leases = list(leases)
        self._failed = False

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool on the server that owns its name; an unknown name goes to the first server."""
        with self._noting_failure():
            return super().call_tool(name, arguments)

    def run_sql(self, server: str, query: str) -> QueryResult:
        """Read a server's database with one SELECT; the server goes by its name or its ``gym_name``."""
        with self._noting_failure():
            return super().run_sql(server, query)

    def close(self) -> None:
        """Drop the databases and end the leases. A second call does nothing."""
        super().close()
        while self._leases:
            lease = self._leases.pop()
            lease.give_back(healthy=not self._failed or lease.is_answering())

    def _on(self, clients: Mapping[str, McpClient]) -> "FleetSession":
        return FleetSession(clients, [lease.again() for lease in self._leases])

    @contextlib.contextmanager
    def _noting_failure(self) -> Iterator[None]:
        try:
            yield
        except SandboxError:
            self._failed = True
            raise
