"""The audit of tasks: everything that is looked for, statically and by running, and the verdict of each."""

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from eops_traj.audit import running, statically
from eops_traj.audit.findings import Finding, finding, verdict_of
from eops_traj.errors import InputError
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import missing_seed, open_task
from eops_traj.schema import TASK_DEFECT, Task, json_of


@dataclass(frozen=True)
class Register:
    """What an audit found of some tasks."""

    audited: tuple[tuple[Task, tuple[Finding, ...]], ...]
    """Each task with what is wrong with it; tasks of one id in several modes stand apart."""

    @property
    def findings(self) -> tuple[Finding, ...]:
        """Everything that was found, task by task."""
        return tuple(found for _, findings in self.audited for found in findings)

    @property
    def verdicts(self) -> list[tuple[Task, str | None]]:
        """The verdict of each task, None for a sound one.

        Without the tasks of which nothing is known to be wrong, though not all could be looked at.
        """
        verdicts = [(task, verdict_of(found), found) for task, found in self.audited]
        return [(task, verdict) for task, verdict, found in verdicts if verdict is not None or not found]

    def head(self) -> dict[str, Any]:
        """Return the numbers of the audit."""
        defective = sum(verdict is not None for _, verdict in self.verdicts)
        not_run = sum(not all(f.defect for f in findings) for _, findings in self.audited)
        return {"tasks": len(self.audited), "defective": defective, "not_run": not_run}


def audit_tasks(
    tasks: Sequence[Task], root: Path | None, done: Callable[[int], None] = lambda count: None
) -> Register:
    """Audit tasks; ``root`` is the folder or zip of their seeds, ``done`` is called for each task."""
    audited = []
    for task in tasks:
        audited.append((task, tuple(audit_task(task, root))))
        done(1)
    return Register(tuple(audited))


def audit_task(task: Task, root: Path | None) -> list[Finding]:
    """Return everything that is wrong with a task; what needs its databases is left out where they miss."""
    found = list(statically.servers_and_tools(task))
    if any(one.reason == "unknown_server" for one in found):
        return found
    session = _session(task, root, found)
    databases = {s.name: session.database(s.name) for s in task.servers} if session else {}
    found += statically.verifiers(task, databases)
    if session is not None:
        with session:
            found += running.callers(task, session)
            found += running.untouched(task, session)
    return found


def with_defects(tasks: Iterable[Task], root: Path | None) -> list[Task]:
    """Return the tasks, those that are defective with their verdict among their details.

    Tasks with a gold plan were proven when they were made, and are not looked at.
    """
    return [_with_defect(task, root) if task.plan is None else task for task in tasks]


def _with_defect(task: Task, root: Path | None) -> Task:
    verdict = verdict_of(audit_task(task, root))
    if verdict is None:
        return task
    details: dict[str, Any] = json.loads(task.details)
    return replace(task, details=json_of({**details, TASK_DEFECT: verdict}))


def _session(task: Task, root: Path | None, found: list[Finding]) -> EmbeddedSession | None:
    """Open a session on the task's databases; where that fails, the reason is a finding."""
    try:
        missing = [path for server in task.servers if (path := missing_seed(server, root)) is not None]
        if not missing:
            return open_task(task, root)
        found.append(finding(task.task_id, "missing_seed", ", ".join(missing)))
    except InputError as error:
        found.append(finding(task.task_id, "bad_seed", str(error)))
    return None
