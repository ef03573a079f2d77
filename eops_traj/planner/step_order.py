"""Two orders of a plan's steps: as it runs, all checks before the first change; or change by change.

A plan that runs looks up and checks what it can before it changes anything, so that nothing is half done
where it declines. The steps of two pieces of work stand mixed then. A small planner writes each change right
behind what it needs: two pieces of work are the plans of each, one after the other.
"""

from collections import defaultdict

from eops_traj.plan import Plan, PlanError, Require, Step, in_order, parse, references, render, render_back
from eops_traj.tool_effects import is_read


def write_by_change(text: str) -> str:
    """Write a plan change by change, with references that count lines back; a text that is none as it is."""
    try:
        return render_back(change_by_change(parse(text)))
    except PlanError:
        return text


def read_as_run(text: str) -> str:
    """Return a plan, however it is written, as it is to be run; a text that is none as it is."""
    try:
        return render(checks_first(parse(text)))
    except PlanError:
        return text


def checks_first(plan: Plan) -> Plan:
    """Return the plan with all that needs no change of its own before the first of them."""
    late = _Needs(plan).late
    return in_order(plan, sorted(range(1, len(plan.steps) + 1), key=late.__contains__))


def change_by_change(plan: Plan) -> Plan:
    """Return the plan with each step that changes something right behind those that it needs.

    A check stays behind what it is of; one of nothing that any change needs, behind the step before it.
    """
    needs = _Needs(plan)
    checks, order = needs.checks(), dict[int, None]()

    def take(number: int) -> None:
        if number in order:
            return
        asked = needs.asked.get(number, number)
        for needed in sorted(needs.all[number] | needs.all[asked] - {number}):
            take(needed)
        order[number] = order[asked] = None
        for check in (*checks[number], *checks[asked]):
            take(check)

    for number in (_START, *sorted(needs.late), *needs.all):
        take(number)
    return in_order(plan, [number for number in order if number != _START])


_START = 0
"""What stands before the first step."""


class _Needs:
    """Which steps of a plan need which."""

    def __init__(self, plan: Plan) -> None:
        self.all: dict[int, set[int]] = {_START: set()}
        """The steps that each needs, and those that these need."""
        self.late = set[int]()
        """The steps that change something, and those that need one of them."""
        self.asked = dict[int, int]()
        """By a step the `require` on the next line that asks about it, which stays there: it may fail."""
        for number, step in enumerate(plan.steps, 1):
            direct = {ref.step for ref in references(step) if isinstance(ref.step, int)}
            self.all[number] = direct.union(*(self.all.get(one, set()) for one in direct)) & self.all.keys()
            asks = isinstance(step, Require) and number - 1 in direct
            if asks:
                self.asked[number - 1] = number
            if _changes(step) or self.all[number] & self.late:
                self.late |= {number, number - asks}

    def checks(self) -> dict[int, list[int]]:
        """Return by step the checks that stand behind it: what nothing needs, and what changes nothing."""
        for_change = self.late.union(*(self.all[number] for number in self.late))
        needed = set[int]().union(*self.all.values())
        checks, before = defaultdict[int, list[int]](list), _START
        for number in sorted(self.all.keys() - self.late - {_START}):
            if number not in needed:
                checks[max(self.all[number] & for_change, default=before)].append(number)
            if number in for_change or number not in needed:
                before = number
        return checks


def _changes(step: Step | Require) -> bool:
    return isinstance(step, Step) and not is_read(step.tool)
