"""Whether tasks can be run at all: their servers are known, and every query of theirs compiles."""

import json
from collections.abc import Iterable

import apsw

from eops_traj.errors import FormatError, UnknownName
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.schema import Task, Verifier
from eops_traj.verify.verifiers import KINDS


def check_tasks(tasks: Iterable[Task], where: str) -> None:
    """Raises FormatError with every problem of every task of a place: id, field and reason."""
    compiler = _Compiler()
    wrong = [f"task {task.task_id}: {problem}" for task in tasks for problem in compiler.problems(task)]
    if wrong:
        raise FormatError(f"{where}, {'; '.join(wrong)}")


class _Compiler:
    """Compiles queries on empty databases, one a server."""

    def __init__(self) -> None:
        self._databases: dict[str, apsw.Connection] = {}

    def problems(self, task: Task) -> list[str]:
        found = []
        for place, server in enumerate(task.servers):
            try:
                registry.server(server.name)
            except UnknownName as error:
                found.append(f"gym_servers_config.{place}.mcp_server_name: {error}")
        if found:
            return found
        for place, verifier in enumerate(task.verifiers):
            if problem := self._problem(verifier, task):
                found.append(f"verifiers.{place}: {problem}")
        return found

    def _problem(self, verifier: Verifier, task: Task) -> str | None:
        if verifier.kind not in KINDS:
            return str(UnknownName("verifier_type", verifier.kind, KINDS))
        config = json.loads(verifier.config)
        if verifier.kind == "tool_execution" or verifier.kind in ("recorded_changes", "declines"):
            return None
        query = config.get("query", config.get("sql_query"))
        if not isinstance(query, str) or not query.strip():
            return "validation_config.query: no SQL query"
        if verifier.server and verifier.server not in {server.name for server in task.servers}:
            return None  # the benchmark skips it
        return self._compiled(verifier.server or task.servers[0].name, query)

    def _compiled(self, server: str, query: str) -> str | None:
        if server not in self._databases:
            template = templates.from_rows(registry.server(server).schema, ())
            connection = template.open().connection
            connection.config(apsw.SQLITE_DBCONFIG_DQS_DML, 1)  # real verifiers quote texts with "
            self._databases[server] = connection
        try:
            self._databases[server].execute(f"EXPLAIN {query}")
        except apsw.Error as error:
            return f"validation_config.query: {error}: {query[:120]}"
        return None
