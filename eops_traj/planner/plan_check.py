"""Plans proven: a text is run in a fresh embedded session, and the task's verifiers say how it went.

This is what the orchestrator ``plan`` does with a text that is there already: no model is asked, and the
outcome is the one that an episode of it would have. A proof took 20 ms of processor time in a busy hour.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eops_traj.hashing import digest
from eops_traj.plan import Plan, PlanError, parse, run
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.sandbox.session import ToolResult
from eops_traj.schema import PASSED, Change, Episode, Task, ToolCall, ToolSet, json_of
from eops_traj.tasks.from_episode import task_of_episode
from eops_traj.verify.outcome import labels, outcome
from eops_traj.verify.verifiers import verify


@dataclass(frozen=True)
class Proof:
    """What became of a text that was run as a plan."""

    text: str
    outcome: str
    """One of ``schema.OUTCOMES``; a text that is no plan is a failure."""
    passed: bool
    state: str
    """A digest of the rows that differ from the seed in the end; equal states have equal digests."""
    error: str | None = None
    """Why the text is no plan, or where and why the plan stopped before its end."""
    calls: int = 0


def prove(text: str, task: Task, root: Path | None = None) -> Proof:
    """Run a text as a plan on its task. ``root`` is the folder that seed files are named from.

    What is wrong with the text is in the proof. Raises InputError where the task itself cannot be opened: a
    server that the gym lacks, a seed file that is missing.
    """
    try:
        plan = parse(text)
    except PlanError as error:
        return Proof(text, "failure", False, state_of(()), str(error))
    with open_task(task, root) as session:
        return replace(_ran(plan, task, session), text=text)


def shown_task(episode: Episode, toolset: ToolSet, system_prompt: str = "") -> Task:
    """The task that an episode was made on, with the tools that it was shown and no others."""
    names = tuple(str(tool["name"]) for tool in json.loads(toolset.tools))
    return replace(task_of_episode(episode), tools=names, system_prompt=system_prompt)


def state_of(changes: tuple[Change, ...]) -> str:
    """A digest of changed rows, in whatever order they come."""
    return digest(sorted(digest(c.server, c.table, c.operation, c.key, c.before, c.after) for c in changes))


def _ran(plan: Plan, task: Task, session: EmbeddedSession) -> Proof:
    desk = SessionDesk(task, session)
    ending = run(plan, desk).ending
    came_to = desk.outcome(ending.answer)
    error = f"step {ending.step}: {ending.reason}" if ending.kind == "stopped" else None
    state = state_of(session.changed_rows())
    return Proof("", came_to, came_to in PASSED, state, error, len(desk.calls))


@dataclass
class SessionDesk:
    """A session as the desk of a collection gives it: only the tools shown, every call on record."""

    task: Task
    session: EmbeddedSession
    calls: list[ToolCall] = field(default_factory=list)

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool; one that the task does not show is refused, and never reaches the session."""
        given = json_of(dict(arguments))
        if not self._shows(name):
            reply = ToolResult(f"Unknown tool: {name}", True, {})
        else:
            reply = self.session.call_tool(name, json.loads(given))
        self.calls.append(
            ToolCall(
                id=f"call_{len(self.calls)}",
                name=name,
                arguments=given,
                result=reply.text,
                is_error=reply.is_error,
                changes=reply.changes,
            )
        )
        return reply

    def outcome(self, answer: str) -> str:
        """The outcome of what was done here, ended by this answer, as an episode of it would have it."""
        servers = [server.name for server in self.task.servers]
        verdicts = verify(self.task.verifiers, self.session, answer, self.calls, servers=servers)
        return outcome(
            labels(verdicts), calls=self.calls, response=answer, feasible=self.task.feasible, recorded=True
        )

    def _shows(self, name: str) -> bool:
        shown = name in self.task.tools if self.task.tools else self.session.owner(name) is not None
        return shown and name not in self.task.restricted_tools
