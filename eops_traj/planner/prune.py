"""Plans pruned: what the outcome does not need is left out, as running them shows."""

from pathlib import Path

from eops_traj.plan import Plan, in_order, references, render
from eops_traj.planner.plan_check import prove
from eops_traj.schema import Task


def pruned(plan: Plan, task: Task, root: Path | None = None) -> Plan:
    """The plan without the calls that it passes without, tried one by one from the last to the first.

    Requirements stay, for they are what declines; so do what another line refers to, and what comes after the
    requirement that declined, of which nothing is known. A plan that does not pass is given back as it is.
    Raises InputError where the task cannot be opened.
    """
    proof = prove(render(plan), task, root)
    if plan.refusal is not None or not proof.passed:
        return plan
    for number, _ in reversed(plan.calls()[: proof.calls]):
        if _is_used(plan, number):
            continue
        without = in_order(plan, [n for n in range(1, len(plan.steps) + 1) if n != number])
        if without.steps and prove(render(without), task, root).passed:
            plan = without
    return plan


def _is_used(plan: Plan, number: int) -> bool:
    """Whether another line refers to a step."""
    return any(ref.step == number for step in plan.steps for ref in references(step))
