"""Checks that tasks can be run at all: their servers are known, and every query of theirs compiles."""

import json
import logging
from collections.abc import Iterable, Iterator
from typing import Any

from eops_traj.errors import FormatError, UnknownName, first_of
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.gym.engine.database import Database, QueryError
from eops_traj.schema import Task, Verifier
from eops_traj.verify.verifier_kinds import KINDS

_VERIFIERS = "verifiers."
_log = logging.getLogger(__name__)


def check_tasks(tasks: Iterable[Task], where: str, lenient: bool = False) -> None:
    """Check tasks. Raises FormatError with the first few problems of a place: task, field and reason.

    ``lenient`` warns of problems of verifiers: they fail where they run, as in the benchmark.
    """
    compiler = QueryCompiler()
    problems = [(task.task_id, problem) for task in tasks for problem in compiler.problems(task)]
    if lenient:
        for task, problem in problems:
            if problem.startswith(_VERIFIERS):
                _log.warning("%s, task %s: %s", where, task, problem)
        problems = [(task, problem) for task, problem in problems if not problem.startswith(_VERIFIERS)]
    if problems:
        raise FormatError(f"{where}, {first_of([f'task {task}: {problem}' for task, problem in problems])}")


class QueryCompiler:
    """A compiler of queries, on empty databases, one a server."""

    def __init__(self) -> None:
        """Begin with no database; each is made when a query needs it."""
        self._databases: dict[str, Database] = {}

    def problems(self, task: Task) -> list[str]:
        """Return what is wrong with a task's servers, kinds of verifiers and queries, each with its field."""
        problems = []
        for number, server in enumerate(task.servers):
            try:
                registry.server(server.name)
            except UnknownName as error:
                problems.append(f"gym_servers_config.{number}.mcp_server_name: {error}")
        if problems:
            return problems
        for number, verifier in enumerate(task.verifiers):
            if problem := self._verifier_problem(verifier, task):
                problems.append(f"{_VERIFIERS}{number}: {problem}")
        return problems

    def _verifier_problem(self, verifier: Verifier, task: Task) -> str | None:
        if verifier.kind not in KINDS:
            return str(UnknownName("verifier_type", verifier.kind, KINDS))
        config = json.loads(verifier.config)
        if not KINDS[verifier.kind].needs_query:
            problems = (self._query_problem(*asked) for asked in _queries_of_answer(config, task))
            return next((problem for problem in problems if problem), None)
        query = config.get("query", config.get("sql_query"))
        if not isinstance(query, str) or not query.strip():
            return "validation_config.query: no SQL query"
        if verifier.server and verifier.server not in {server.name for server in task.servers}:
            return None  # the benchmark skips it
        return self._query_problem(verifier.server or task.servers[0].name, query)

    def _query_problem(self, server: str, query: str) -> str | None:
        if server not in self._databases:
            self._databases[server] = templates.from_rows(registry.server(server).schema, ()).open()
        try:
            self._databases[server].check_query(query)
        except QueryError as error:
            return f"validation_config.query: {error}: {query[:120]}"
        return None


def _queries_of_answer(config: dict[str, Any], task: Task) -> Iterator[tuple[str, str]]:
    """Yield each query by which the final state says what an answer has to tell, with its server."""
    known = {server.name for server in task.servers}
    requirements = config.get("requirements")
    for requirement in requirements if isinstance(requirements, list) else ():
        if isinstance(requirement, dict) and isinstance(requirement.get("query"), str):
            server = requirement.get("server")
            if isinstance(server, str) and server in known:
                yield server, requirement["query"]
