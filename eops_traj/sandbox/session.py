"""What a sandbox session offers, whichever kind of sandbox it is in."""

from collections.abc import Mapping
from typing import Any, Protocol

from eops_traj.gym.engine.changes import Change
from eops_traj.gym.engine.database import Rows
from eops_traj.gym.server import Reply as ToolResult

__all__ = ["Change", "Rows", "Session", "ToolResult"]


class Session(Protocol):
    """One task's private databases, with the tools that act on them.

    A tool's name routes to a server: the first that lists it owns it. What an agent does wrong is in the
    `ToolResult`; an exception means that the sandbox itself failed, or was used wrongly.
    """

    def list_tools(self) -> list[dict[str, Any]]:
        """Every tool once, as ``tools/list`` shows it."""
        ...

    def owner(self, tool: str) -> str | None:
        """The name of the server that a tool's name routes to; None for a tool that no server lists."""
        ...

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool; its changes are empty where the sandbox cannot see rows."""
        ...

    def run_sql(self, server: str, query: str) -> Rows:
        """Read a server's database with one SELECT."""
        ...

    def changes(self) -> Mapping[str, bytes]:
        """The changeset of each server so far; applied to the seed it gives the database back."""
        ...

    def fork(self) -> "Session":
        """A session in the same state, which goes its own way from here."""
        ...

    def close(self) -> None:
        """Drop the databases."""
        ...
