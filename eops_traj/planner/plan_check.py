"""Evaluate plans: run a text in a fresh embedded session and let the task's verifiers judge the result.

This is what the orchestrator ``plan`` does with a text that is there already: no model is asked, and the
outcome is the one that an episode of it would have, but for what its answer has to tell: that is no part of a
plan. It took 20 ms of processor time in a busy hour.
"""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

from eops_traj.hashing import digest
from eops_traj.plan import Plan, PlanError, in_order, parse, references, render, run
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.sandbox.session import Session, ToolResult
from eops_traj.schema import PASSED, Change, Episode, Task, ToolCall, ToolSet, json_of
from eops_traj.tasks.from_episode import task_of_episode
from eops_traj.verify.outcome import labels, outcome, refusal_passed
from eops_traj.verify.verifiers import verify


@dataclass(frozen=True)
class PlanResult:
    """The result of a text that was run as a plan."""

    text: str
    outcome: str
    """One of ``schema.OUTCOMES``; a text that is no plan is a failure."""
    passed: bool
    state: str
    """A digest of the rows that differ from the seed in the end; equal states have equal digests."""
    error: str | None = None
    """Why the text is no plan, or where and why the plan stopped before its end."""
    calls: int = 0


def evaluate_plan(text: str, task: Task, root: Path | None = None, *, cut: bool = False) -> PlanResult:
    """Run a text as a plan on its task. ``root`` is the folder that seed files are named from.

    One that was ``cut`` is no plan, however it reads. What is wrong with the text is in the result. Raises
    InputError where the task itself cannot be opened: a server that the gym lacks, a seed file that is
    missing.
    """
    try:
        plan = parse_whole(text, cut)
    except PlanError as error:
        return PlanResult(text, "failure", False, state_digest(()), str(error))
    with open_task(task, root) as session:
        return replace(run_plan(plan, task, session), text=text)


def parse_whole(text: str, cut: bool) -> Plan:
    """Read a text as a plan. Raises PlanError for none, and for one that its limit ended and not the model.

    Such a text may read as a plan: a step less, or half a reason, and still it does the work.
    """
    if cut:
        raise PlanError("the plan was cut at the cap of its reply")
    return parse(text)


def shown_task(episode: Episode, toolset: ToolSet, system_prompt: str = "") -> Task:
    """Return the task of an episode, with the tools that it was shown and no others."""
    names = tuple(str(tool["name"]) for tool in json.loads(toolset.tools))
    return replace(task_of_episode(episode), tools=names, system_prompt=system_prompt)


def state_digest(changes: tuple[Change, ...]) -> str:
    """Return a digest of changed rows, in whatever order they come."""
    return digest(sorted(digest(c.server, c.table, c.operation, c.key, c.before, c.after) for c in changes))


def run_plan(plan: Plan, task: Task, session: EmbeddedSession) -> PlanResult:
    """Run a plan in a session and let the task's verifiers judge the result, those of its answer aside."""
    verifiers = tuple(verifier for verifier in task.verifiers if verifier.kind != "answer")
    context = SessionContext(replace(task, verifiers=verifiers), session)
    ending = run(plan, context).ending
    result = context.outcome(ending.answer)
    error = f"step {ending.step}: {ending.reason}" if ending.kind == "stopped" else None
    state = state_digest(session.changed_rows())
    return PlanResult("", result, result in PASSED, state, error, len(context.calls))


@dataclass
class SessionContext:
    """A session as agents of a collection have it: only the tools shown, every call recorded."""

    task: Task
    session: Session
    calls: list[ToolCall] = field(default_factory=list)

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool; one that the task does not show is refused and never reaches the session."""
        text = json_of(dict(arguments))
        if not self._is_shown(name):
            reply = ToolResult(f"Unknown tool: {name}", True, {})
        else:
            reply = self.session.call_tool(name, json.loads(text))
        self.calls.append(
            ToolCall(
                id=f"call_{len(self.calls)}",
                name=name,
                arguments=text,
                result=reply.text,
                is_error=reply.is_error,
                changes=reply.changes,
            )
        )
        return reply

    def outcome(self, answer: str) -> str:
        """Return the outcome that an episode of these calls would have, ended by this answer."""
        servers = [server.name for server in self.task.servers]
        verdicts = verify(
            self.task.verifiers,
            self.session,
            answer,
            self.calls,
            servers=servers,
            request=self.task.user_prompt,
        )
        return outcome(
            labels(verdicts),
            calls=self.calls,
            response=answer,
            feasible=self.task.feasible,
            recorded=True,
            refusal=refusal_passed(verdicts),
        )

    def _is_shown(self, name: str) -> bool:
        listed = name in self.task.tools if self.task.tools else self.session.owner(name) is not None
        return listed and name not in self.task.restricted_tools


def prune_plan(plan: Plan, task: Task, root: Path | None = None) -> Plan:
    """Remove the calls that a plan passes without, tried one by one from the last to the first.

    Requirements stay, for they are what declines; so do what another line refers to, and what comes after the
    requirement that declined, of which nothing is known. A plan that does not pass is returned unchanged.
    Raises InputError where the task cannot be opened.
    """
    result = evaluate_plan(render(plan), task, root)
    if plan.refusal is not None or not result.passed:
        return plan
    for number, _ in reversed(plan.calls()[: result.calls]):
        if any(ref.step == number for step in plan.steps for ref in references(step)):
            continue
        without = in_order(plan, [n for n in range(1, len(plan.steps) + 1) if n != number])
        if without.steps and evaluate_plan(render(without), task, root).passed:
            plan = without
    return plan
