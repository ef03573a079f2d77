"""Sessions on the gym in this process: a copy of each server's template, nothing else to start or to stop."""

from collections.abc import Collection, Mapping
from types import TracebackType
from typing import Any

from eops_traj.errors import UnknownName
from eops_traj.gym import registry
from eops_traj.gym.engine.clock import Clock
from eops_traj.gym.engine.current_call import Ids
from eops_traj.gym.engine.database import Database, QueryResult, Template
from eops_traj.gym.server import Server
from eops_traj.sandbox.session import ToolResult, stored_changes
from eops_traj.schema import Change


class EmbeddedSession:
    """A `Session` on databases in this process."""

    def __init__(
        self,
        databases: Mapping[str, tuple[Server, Database]],
        headers: Mapping[str, str],
        strict_permissions: bool,
    ) -> None:
        self._databases, self._strict = dict(databases), strict_permissions
        self.identify(headers)
        self._owners: dict[str, str] = {}
        for name, (server, _) in self._databases.items():
            for tool in server.tools:
                self._owners.setdefault(tool, name)

    def identify(self, headers: Mapping[str, str]) -> None:
        """Set the headers that identify the caller from here on."""
        self._headers = {name.lower(): value for name, value in headers.items()}

    def list_tools(self) -> list[dict[str, Any]]:
        """Return every tool once, as ``tools/list`` shows it."""
        return [self._databases[owner][0].tools[tool].listing() for tool, owner in self._owners.items()]

    def owner(self, tool: str) -> str | None:
        """Return the name of the server that a tool's name routes to."""
        return self._owners.get(tool)

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool on the server that owns its name; an unknown name is refused."""
        server, database = self._databases[self._owners.get(name) or next(iter(self._databases))]
        identity = self._headers.get(server.identity.header.lower()) if server.identity else None
        reply = server.call(database, name, arguments, identity, self._strict)
        sent = {"content": [{"text": reply.text, "type": "text"}], "isError": reply.is_error}
        changes = stored_changes(server, reply.changes)
        return ToolResult(reply.text, reply.is_error, reply.envelope, changes, sent)

    def run_sql(self, server: str, query: str) -> QueryResult:
        """Read a server's database with one SELECT; the server goes by its name or its ``gym_name``."""
        return self.database(server).run_sql(query)

    def changes(self) -> dict[str, bytes]:
        """Return the changeset of each server so far; applied to the seed it gives the database back."""
        return {name: database.changeset() for name, (_, database) in self._databases.items()}

    def changed_rows(self) -> tuple[Change, ...]:
        """Return the rows that differ from the seed, those of every server in one list."""
        return tuple(
            change
            for server, database in self._databases.values()
            for change in stored_changes(server, database.changes())
        )

    def database(self, server: str) -> Database:
        """Return the database of a server."""
        for name, (known, database) in self._databases.items():
            if server in (name, known.gym_name):
                return database
        raise UnknownName("server", server, self._databases)

    def fork(self) -> "EmbeddedSession":
        """Return an independent session in the same state."""
        copies = {name: (server, database.fork()) for name, (server, database) in self._databases.items()}
        return EmbeddedSession(copies, self._headers, self._strict)

    def close(self) -> None:
        """Drop the databases."""
        for _, database in self._databases.values():
            database.close()

    def __enter__(self) -> "EmbeddedSession":
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, at: TracebackType | None
    ) -> None:
        self.close()


def open_session(
    seeds: Mapping[str, int | str], headers: Mapping[str, str] | None = None, *,
    strict_permissions: bool = False, clock: Clock | None = None, ids: Ids | None = None,
    quirks: Collection[str] = (),
) -> EmbeddedSession:  # fmt: skip
    """Open a session with these servers, each seeded by a number (its own company) or by SQL text.

    ``quirks`` names the bugs of the real servers that are to be repeated.
    """
    registry.check_quirks(quirks)
    templates = {}
    for name, seed in seeds.items():
        server = registry.server(name).with_quirks(quirks)
        templates[server] = server.template(seed)
    return open_on_templates(templates, headers or {}, clock, ids, strict_permissions)


def open_on_templates(
    templates: Mapping[Server, Template], headers: Mapping[str, str],
    clock: Clock | None = None, ids: Ids | None = None, strict_permissions: bool = False,
) -> EmbeddedSession:  # fmt: skip
    """Open a session on copies of these seeded databases."""
    databases = {server.name: (server, template.open(clock, ids)) for server, template in templates.items()}
    return EmbeddedSession(databases, headers, strict_permissions)
