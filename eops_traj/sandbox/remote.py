"""Sessions on servers of other processes: ``eops-traj gym serve``, or the benchmark's real containers."""

import contextlib
from collections.abc import Mapping, Sequence
from types import TracebackType
from typing import Any

from eops_traj.errors import SandboxError, UnknownName
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.sandbox.mcp_client import Wire
from eops_traj.sandbox.session import Rows, ToolResult


class RemoteSession:
    """A `Session` on servers that speak the benchmark's wire protocol.

    A `ToolResult` carries no changes, and `changes` leaves out the servers that do not tell theirs: the real
    ones. Forking needs ``/api/clone-database``. A failing transport is a `SandboxError`.
    """

    def __init__(self, wires: Mapping[str, Wire]) -> None:
        self._wires = dict(wires)
        self._tools: dict[str, tuple[Wire, dict[str, Any]]] | None = None
        self._told: Mapping[str, Sequence[dict[str, Any]]] = {}

    def list_tools(self) -> list[dict[str, Any]]:
        """Every tool once, as ``tools/list`` shows it."""
        return [listing for _, listing in self._owners().values()]

    def listings(self) -> dict[str, list[dict[str, Any]]]:
        """The tools of each server, as ``tools/list`` shows them."""
        return {name: wire.tools() for name, wire in self._wires.items()}

    def take_listings(self, told: Mapping[str, Sequence[dict[str, Any]]]) -> None:
        """Take what other sessions with these servers were told of their tools, and ask for no more."""
        self._told = told

    @property
    def servers(self) -> tuple[str, ...]:
        """The names of its servers, in routing order."""
        return tuple(self._wires)

    def owner(self, tool: str) -> str | None:
        """The name of the server that a tool's name routes to."""
        found = self._owners().get(tool)
        return found[0].name if found else None

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool on the server that owns its name; a name that nobody has goes to the first server."""
        owner = self._owners().get(name)
        wire = owner[0] if owner else next(iter(self._wires.values()))
        return wire.call(name, arguments)

    def run_sql(self, server: str, query: str) -> Rows:
        """Read a server's database with one SELECT; the server goes by its name or its ``gym_name``."""
        wire = self._wires.get(short_name(server))
        if wire is None:
            raise UnknownName("server", server, self._wires)
        return wire.query(query)

    def changes(self) -> dict[str, bytes]:
        """The changeset of each server that tells it."""
        told = {name: self.changeset(name) for name in self._wires}
        return {name: changeset for name, changeset in told.items() if changeset is not None}

    def changeset(self, server: str) -> bytes | None:
        """The changeset of one server; None where it does not tell."""
        return self._wires[server].changeset()

    def fork(self) -> "RemoteSession":
        """A session in the same state, which goes its own way from here."""
        copies: dict[str, Wire] = {}
        with contextlib.ExitStack() as undo:
            for name, wire in self._wires.items():
                copies[name] = wire.clone()
                undo.callback(_drop, copies[name])
                copies[name].initialize()
            undo.pop_all()
        fork = self._on(copies)
        fork._tools = {tool: (copies[w.name], listing) for tool, (w, listing) in self._owners().items()}
        return fork

    def _on(self, wires: Mapping[str, Wire]) -> "RemoteSession":
        return RemoteSession(wires)

    def close(self) -> None:
        """Drop the databases; one that cannot be reached is left to its server's idle time."""
        for wire in self._wires.values():
            _drop(wire)

    def __enter__(self) -> "RemoteSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()

    def _owners(self) -> dict[str, tuple[Wire, dict[str, Any]]]:
        if self._tools is None:
            self._tools = {}
            for wire in self._wires.values():
                for listing in self._told.get(wire.name) or wire.tools():
                    self._tools.setdefault(listing["name"], (wire, listing))
        return self._tools


def open_remote(
    urls: Mapping[str, str], seeds: Mapping[str, int | str], headers: Mapping[str, str] | None = None, *,
    timeout: float = 30.0,
) -> RemoteSession:  # fmt: skip
    """A session with the servers at these URLs, each seeded by SQL text or by a number (its own company).

    Number 0 is sent as an empty text, which a server of ours takes for the company that it knows.
    """
    return RemoteSession(open_wires(urls, seeds, headers or {}, timeout))


def open_wires(
    urls: Mapping[str, str], seeds: Mapping[str, int | str], headers: Mapping[str, str], timeout: float
) -> dict[str, Wire]:
    """What a session is made of: a wire to each server, its database seeded."""
    if strays := sorted(set(urls) ^ set(seeds)):
        raise UnknownName("server", strays[0], set(urls) & set(seeds))
    with contextlib.ExitStack() as undo:
        wires = {}
        for given, url in urls.items():
            wire = wires[short_name(given)] = Wire(short_name(given), url, headers, timeout)
            undo.callback(_drop, wire)
            wire.seed(_text(given, seeds[given]))
            wire.initialize()
        undo.pop_all()
    return wires


def _drop(wire: Wire) -> None:
    with contextlib.suppress(SandboxError):
        wire.delete()


def _text(server: str, seed: int | str) -> str:
    if isinstance(seed, str):
        return seed
    return templates.to_sql(registry.server(server).template(seed)) if seed else ""


def short_name(server: str) -> str:
    """The short name of a server that we know by either name; another keeps the one it has."""
    try:
        return registry.server(server).name
    except UnknownName:
        return server
