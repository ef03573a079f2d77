"""A plan as it runs on one database: loops and conditions taken apart into plain calls.

What looks at single calls (what each write changed, what happens without it) looks at such a plan. It says
the same on that database only: how often a loop goes round is written down in it.
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from eops_traj.plan.ast import ROW, Match, Plan, Ref, Require, Step
from eops_traj.plan.interpreter import Progress, Tools, is_checked_next
from eops_traj.plan.rewrite import Numbers, direct, renumber, rewrite
from eops_traj.plan.values import Unresolved, resolve, resolve_ref


def is_plain(plan: Plan) -> bool:
    """Check whether a plan has neither loops nor conditions."""
    return all(step.plain for _, step in plan.calls())


def unroll(plan: Plan, tools: Tools) -> tuple[Plan, Numbers]:
    """Return the plan without loops and conditions, as it runs on this session, and its steps' new numbers.

    From the line on at which it stops, what is left is taken over as it is, a loop as one call.
    """
    numbers: Numbers = {number: number for number in range(1, len(plan.steps) + 1)}
    if plan.refusal is not None or is_plain(plan):
        return plan, numbers
    so_far, number = Progress(), 1
    while number <= len(plan.steps):
        step = plan.steps[number - 1]
        try:
            if isinstance(step, Step) and not step.plain:
                plan, moved = expand(plan, number, so_far)
                numbers = _chained(numbers, moved)
            elif _goes_on(plan, number, so_far, tools):
                number += 1
            else:
                break
        except Unresolved:
            break
    steps = (_bare(step) if isinstance(step, Step) else step for step in plan.steps)
    return replace(plan, steps=tuple(steps)), numbers


def expand(plan: Plan, number: int, so_far: Progress) -> tuple[Plan, Numbers]:
    """Return the plan with one loop or condition taken apart, and the new numbers of its steps.

    A loop has several; a step whose condition does not hold is left out. Raises Unresolved for rows that are
    not there.
    """
    step = plan.steps[number - 1]
    assert isinstance(step, Step)
    plain = [call for _, call in rows_due(step, so_far)]
    moved: dict[int, int | tuple[int, ...]] = {n: n for n in range(1, number)}
    if step.rows is not None:
        moved[number] = tuple(range(number, number + len(plain)))
    elif plain:
        moved[number] = number
    moved |= {n: n + len(plain) - 1 for n in range(number + 1, len(plan.steps) + 1)}
    later = (renumber(line, moved) for line in plan.steps[number:])
    return replace(plan, steps=(*plan.steps[: number - 1], *plain, *later)), moved


def _goes_on(plan: Plan, number: int, so_far: Progress, tools: Tools) -> bool:
    """Run a plain line, and return whether the plan goes on after it."""
    step = plan.steps[number - 1]
    if isinstance(step, Require):
        return so_far.holds(step.condition)
    so_far.run(number, step, tools)
    return number not in so_far.failed or is_checked_next(plan, number)


def rows_due(step: Step, so_far: Progress) -> Iterator[tuple[Any, Step]]:
    """Yield the calls that a step makes, each with its row: for each row, where its condition holds.

    Raises Unresolved for rows that are not there.
    """
    if step.rows is None:
        if so_far.holds(step.condition):
            yield None, _bare(step)
        return
    for row in so_far.rows(step):
        if Progress({**so_far.results, ROW: row}, so_far.failed).holds(step.condition):
            yield row, _with_row(_bare(step), row_reference(row, step.rows, so_far), so_far)


def _bare(step: Step) -> Step:
    return replace(step, rows=None, condition=None)


def _with_row(step: Step, row: Any, so_far: Progress) -> Step:
    """Return the step with the row at hand written into it.

    Raises Unresolved for what the row does not have. A row that is no element of a result is a value: what
    looks into it is looked up now, by what earlier steps gave, and by each ``$item`` all at once.
    """
    at_hand = {**so_far.results, ROW: row}

    def filled(ref: Ref) -> Any:
        if ref.step != ROW:
            return ref
        if isinstance(row, Ref):
            return Ref(row.step, (*row.path, *ref.path))
        return resolve_ref(ref, at_hand)

    try:
        return replace(step, arguments=rewrite(step.arguments, filled))
    except Unresolved:
        return replace(step, arguments=resolve(step.arguments, at_hand))


def row_reference(row: Any, rows: Any, so_far: Progress) -> Any:
    """Return a reference to the row of a loop where it is an element of a result, else the row itself."""
    whole = _list_of(rows, so_far)
    if whole is None:
        return row
    elements = resolve_ref(whole, so_far.results)
    at = next((n for n, element in enumerate(elements) if element is row), None)
    return row if at is None else direct(Ref(whole.step, (*whole.path, at)))


def _list_of(rows: Any, so_far: Progress) -> Ref | None:
    """Return the list that rows are chosen from; None where they are no elements of one result."""
    if not isinstance(rows, Ref):
        return None
    last = rows.path[-1] if rows.path else None
    whole = Ref(rows.step, rows.path[:-1]) if isinstance(last, Match) and last.every else rows
    plain = not any(isinstance(part, Match) and part.every for part in whole.path)
    return whole if plain and isinstance(resolve_ref(whole, so_far.results), list) else None


def _chained(first: Numbers, second: Numbers) -> Numbers:
    """Return the numbers after two changes of a plan, one after the other."""
    return {old: moved for old, new in first.items() if (moved := _moved(new, second)) is not None}


def _moved(number: int | tuple[int, ...], numbers: Numbers) -> int | tuple[int, ...] | None:
    if isinstance(number, int):
        return numbers.get(number)
    moved = [numbers[one] for one in number]
    return tuple(one for new in moved for one in (new if isinstance(new, tuple) else (new,)))
