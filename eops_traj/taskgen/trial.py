"""A task under test: attempts at it, and whether they pass."""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import timedelta
from functools import cached_property
from pathlib import Path
from random import Random
from typing import Any

from eops_traj.gym import registry
from eops_traj.gym.engine import clock
from eops_traj.plan import (
    Plan,
    PlanRun,
    in_order,
    parse,
    run,
    unroll,
)
from eops_traj.plan.rewrite import Numbers
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task, server_template
from eops_traj.sandbox.remembering import RememberingSession, State
from eops_traj.schema import Task, ToolCall, Verifier
from eops_traj.taskgen.gold_answer import asked_of, gold_answer, renumbered
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.twin_world.staging import FirstPlay
from eops_traj.verify.verifier_kinds import kind_of
from eops_traj.verify.verifiers import verify

VerifierFilter = Callable[[Verifier], bool]


def in_strict_label(verifier: Verifier) -> bool:
    """Accept every verifier: the strict label."""
    return True


def in_benchmark_label(verifier: Verifier) -> bool:
    """Accept the verifiers that the benchmark runs too: its label."""
    return not kind_of(verifier.kind).strict_only


def is_no_rule(verifier: Verifier) -> bool:
    """Accept all verifiers but the rules of the policy."""
    return verifier.category != "permission_and_process"


@dataclass(frozen=True)
class Trial:
    """A task under test: its plan, and sessions on its start state."""

    task: Task
    root: Path | None = None
    first: FirstPlay | None = None
    """The play that it was made of, where it has just been made."""

    @cached_property
    def said(self) -> Plan:
        """The gold plan, read from its text."""
        return parse(self.task.plan or "")

    @cached_property
    def unrolled(self) -> tuple[Plan, Numbers]:
        """The gold plan without loops and conditions, as it runs here, and its steps' new numbers."""
        return unroll(self.said, self.session(keep=True))

    @property
    def plan(self) -> Plan:
        """The gold plan without loops and conditions: a line for each call that it makes here."""
        return self.unrolled[0]

    @cached_property
    def gold(self) -> tuple[EmbeddedSession, PlanRun]:
        """The gold plan, run."""
        session = self.session(keep=True)
        return session, run(self.plan, session)

    @cached_property
    def writes(self) -> tuple[int, ...]:
        """The steps of the gold plan that changed something."""
        return tuple(call.number for call, reply in self.gold[1].calls if getattr(reply, "changes", ()))

    @cached_property
    def refusal(self) -> dict[str, Any] | None:
        """What its refusal has to name, and what shows it; None for a task that does not say it."""
        configs = (v.config for v in self.task.verifiers if v.kind == "refusal")
        return next((json.loads(config) for config in configs), None)

    @property
    def rng(self) -> Random:
        """A random source of its own, the same at every trial of the task, whatever its id."""
        return Random(f"{self.task.user_prompt}\n{self.task.plan}")

    def open(self, later: timedelta = timedelta()) -> EmbeddedSession:
        """Open a session on the start state."""
        return open_task(self.task, self.root, clock=clock.steady(clock.START + later))

    @cached_property
    def _start(self) -> dict[str, State]:
        states = {}
        for server in self.task.servers:
            known, template = registry.server(server.name), server_template(server, self.root)
            states[known.name] = State(known, template.open, kept=True)
        return states

    def session(self, keep: bool = False) -> RememberingSession:
        """Open a session on the start state that shares what these sessions did already; see `keep` there."""
        contexts = (json.loads(server.context) for server in self.task.servers)
        headers = {name: str(value) for context in contexts for name, value in context.items()}
        return RememberingSession(self._start, headers, keep)

    def close(self) -> None:
        """Close every database that these sessions opened."""
        for state in self.__dict__.get("_start", {}).values():
            state.close_all()

    def passes(
        self,
        session: EmbeddedSession,
        calls: Sequence[ToolCall],
        answer: str = "Done.",
        counts: VerifierFilter = in_strict_label,
    ) -> bool:
        """Check whether every verifier that counts passes strictly on an attempt.

        The attempt is the session's state, the calls that led there, and the final answer.
        """
        servers, request = [server.name for server in self.task.servers], self.task.user_prompt
        verifiers = [verifier for verifier in self.task.verifiers if counts(verifier)]
        queries = [[verifier] for verifier in verifiers if in_benchmark_label(verifier)]
        ours = [verifier for verifier in verifiers if not in_benchmark_label(verifier)]
        return bool(verifiers) and all(
            verdict.passed_strict
            for some in (*queries, ours)  # one query after another, up to the first that fails
            for verdict in verify(some, session, answer, calls, servers=servers, request=request)
        )

    def answer(self, outcome: PlanRun, order: Sequence[int] | None = None) -> str:
        """Return what an agent answers after the plan ran, in this order: a report, or why it stopped."""
        if outcome.ending.kind != "completed":
            return outcome.ending.answer
        servers = [server.name for server in self.task.servers]
        asked = renumbered(asked_of(self.task.details), self.unrolled[1])
        if order is None:
            return gold_answer(self.plan, outcome.calls, asked, servers)
        asked = renumbered(asked, {old: new for new, old in enumerate(order, 1)})
        return gold_answer(in_order(self.plan, order), outcome.calls, asked, servers)

    def plan_passes(self, plan: Plan) -> bool:
        """Check whether a plan, run from the start, passes by the benchmark's label."""
        session = self.session()
        try:
            outcome = run(plan, session)
            return self.passes(session, tool_calls(outcome.calls), counts=in_benchmark_label)
        finally:
            session.close()
