"""Several plans, of which one is run: the planner is asked a few times, and the plans are tried on forks.

No verifier is asked and no answer is known. A text that is no plan or was cut, and a plan that is stopped by
a refused call or a value that is not there, fall out while others are left. Of those that remain the ones
that change the same rows agree: the first of the largest group is run. One that declines is run where nearly
all do: a planner that errs often checks what need not hold, and its errors, unlike its plans, would all
agree. The episode's details note every plan and what came of it; the sampling of the planner's model has to
vary. ``limits.turns`` counts the samples as the one reply that is chosen of them.
"""

from collections import Counter
from dataclasses import dataclass
from functools import partial

from pydantic import Field

from eops_traj.collect.orchestrator import AgentContext, OrchestratorKind
from eops_traj.collectors.agents.plan import leave_unrun, run_plan
from eops_traj.collectors.agents.planner_react import PlanOptions, Written, ask_for_plan
from eops_traj.hashing import digest
from eops_traj.plan import Plan, PlanError, run
from eops_traj.planner.change_outline import change_outline
from eops_traj.planner.plan_check import SessionContext, parse_whole
from eops_traj.sandbox.session import Session
from eops_traj.schema import Task, Turn

CUT = "cut"
"""What a text came to that its limit ended and not the model."""


class PlanVoteOptions(PlanOptions):
    """The options of the planner's prompt, and how many plans are tried."""

    samples: int = Field(5, ge=2, le=64, description="How many plans are asked for and tried.")
    declining: float = Field(
        0.8, ge=0, le=1, description="The share of plans run to their end from which declining counts."
    )


@dataclass(frozen=True)
class Tried:
    """A plan that was tried, what came of it, and a digest of the rows that it changed."""

    text: str
    plan: Plan | None
    kind: str
    state: str = ""


class PlanVote:
    """A planner that is asked several times, and of whose plans the one is run that most agree with."""

    def __init__(self, options: PlanVoteOptions) -> None:
        """Keep the options."""
        self._options = options

    async def work(self, context: AgentContext) -> None:
        """Work the task to its end."""
        ask = partial(ask_for_plan, context, self._options)
        samples = [await ask(beside=number > 0) for number in range(self._options.samples)]
        known = {written: await _try_plan(context, written) for written in dict.fromkeys(samples)}
        tried = [known[written] for written in samples]
        chosen = elected(tried, self._options.declining)
        context.annotate(plan=chosen.text, tried=[{"plan": t.text, "came_to": t.kind} for t in tried])
        if chosen.plan is None:
            leave_unrun(context, Written(chosen.text, chosen.kind == CUT), "none of the texts is a plan")
            return
        ending = await run_plan(context, chosen.plan)
        context.annotate(ending={"kind": ending.kind, "step": ending.step, "reason": ending.reason})
        context.record(Turn(text=ending.answer))


def elected(tried: list[Tried], declining: float) -> Tried:
    """Return the plan to run: the first of those whose changes most have, among the best kind there is.

    One that declines where at least a share ``declining`` of those that were run to their end do, or all.
    """
    completed, declined = (
        [each for each in tried if each.kind == kind] for kind in ("completed", "declined")
    )
    if declined and len(declined) >= declining * len(completed + declined):
        return declined[0]
    whole = [each for each in tried if each.kind != CUT]
    left = completed or [each for each in tried if each.plan] or whole or tried
    votes = Counter((each.kind, each.state) for each in left)
    return max(left, key=lambda each: votes[each.kind, each.state])


async def _try_plan(context: AgentContext, written: Written) -> Tried:
    """Run a plan on a fork of the attempt's sandbox, which nothing of it outlives."""
    try:
        plan = parse_whole(*written)
    except PlanError:
        return Tried(written.text, None, CUT if written.cut else "no plan")
    return await context.on_fork(partial(_tried, written.text, plan, context.task))


def _tried(text: str, plan: Plan, task: Task, session: Session) -> Tried:
    ending = run(plan, SessionContext(task, session)).ending
    return Tried(text, plan, ending.kind, _state(session))


def _state(session: Session) -> str:
    """Return what a plan changed, as far as the sandbox tells: rows where it knows them, else changesets."""
    changed_rows = getattr(session, "changed_rows", None)
    return change_outline(changed_rows()) if changed_rows else digest(sorted(session.changes().items()))


PLAN_VOTE = OrchestratorKind(
    PlanVote, PlanVoteOptions, roles=("planner",), prompts=("shown.prompt",), writes_plan=True
)
