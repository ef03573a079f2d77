"""A session on a fleet: a remote session, and the places that it holds in the fleet's containers."""

import contextlib
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from eops_traj.errors import SandboxError
from eops_traj.sandbox.container_pool import Member, Pool
from eops_traj.sandbox.docker import answers
from eops_traj.sandbox.mcp_client import Wire
from eops_traj.sandbox.remote import RemoteSession
from eops_traj.sandbox.session import Rows, ToolResult


class Lease:
    """One session's place in a container."""

    def __init__(self, pool: Pool, member: Member) -> None:
        self._pool, self._member = pool, member
        self.url = member.container.url

    def again(self) -> "Lease":
        """One more place in the same container."""
        return Lease(self._pool, self._pool.take_again(self._member))

    def answers(self) -> bool:
        """Whether the container's server answers."""
        return answers(self._member.container)

    def give_back(self, *, well: bool = True) -> None:
        """Let go of the place. A container that did not do well is replaced."""
        self._pool.give_back(self._member, well=well)


class FleetSession(RemoteSession):
    """A `Session` in containers of a fleet. Where it failed, they are looked at when it is closed."""

    def __init__(self, wires: Mapping[str, Wire], leases: Sequence[Lease]) -> None:
        super().__init__(wires)
        self._leases = list(leases)
        self._failed = False

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool on the server that owns its name; a name that nobody has goes to the first server."""
        with self._noticing():
            return super().call_tool(name, arguments)

    def run_sql(self, server: str, query: str) -> Rows:
        """Read a server's database with one SELECT; the server goes by its name or its ``gym_name``."""
        with self._noticing():
            return super().run_sql(server, query)

    def close(self) -> None:
        """Drop the databases and let go of the containers. A second time does no harm."""
        super().close()
        while self._leases:
            lease = self._leases.pop()
            lease.give_back(well=not self._failed or lease.answers())

    def _on(self, wires: Mapping[str, Wire]) -> "FleetSession":
        return FleetSession(wires, [lease.again() for lease in self._leases])

    @contextlib.contextmanager
    def _noticing(self) -> Iterator[None]:
        try:
            yield
        except SandboxError:
            self._failed = True
            raise
