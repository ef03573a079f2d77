"""The plan language: one step a line, which a model writes and both a model and a machine can follow.

::

    1. find_user(name="Ana Ruiz") -- who is to take the cases
    2. require($1.active == 1) -- only those who still work here can take them
    3. get_cases_assigned_to(assigned_to=17) -- what is in hand
    4. for $3[*state="new"]: assign_case_to_user(case_id=$row.case_id, user_id=$1.user_id) -- each new one

``$1.user_id`` is a path into the result of step 1; ``$4.value[displayName="Legal"].id`` looks into a list.
``for`` makes a call for each row of a list, ``when`` makes it only where a condition holds. ``require`` calls
nothing: where its condition does not hold, the plan stops and declines for that reason. A plan for a task
that must be declined from the start is one line: ``REFUSE: reason``. The whole of it is in ``docs/plans.md``.
"""

from eops_traj.plan.ast import (
    ITEM,
    ROW,
    Condition,
    Extreme,
    FieldTest,
    Function,
    Match,
    Measure,
    Plan,
    Ref,
    Require,
    Step,
    Text,
    every_reference,
    misses_row,
    references,
    render,
    render_value,
)
from eops_traj.plan.interpreter import Call, Ending, PlanRun, Progress, decode, iter_calls, run
from eops_traj.plan.parser import PlanError, has_step, parse, parse_value
from eops_traj.plan.prefix import PlanBeginnings
from eops_traj.plan.rewrite import (
    in_order,
    map_parts,
    renumber,
    rewrite,
    rewrite_literals,
    with_argument,
    without_reasons,
)
from eops_traj.plan.unroll import expand, is_plain, row_reference, rows_due, unroll
from eops_traj.plan.values import Unresolved, evaluate, resolve, resolve_ref

__all__ = [
    "ITEM", "ROW", "Call", "Condition", "Ending", "Extreme", "FieldTest", "Function", "Match", "Measure",
    "Plan", "PlanBeginnings", "PlanError", "PlanRun", "Progress", "Ref", "Require", "Step", "Text",
    "Unresolved", "decode", "evaluate", "every_reference", "expand", "has_step", "in_order", "is_plain",
    "iter_calls", "map_parts", "misses_row", "parse", "parse_value", "references", "render", "render_value",
    "renumber", "resolve", "resolve_ref", "rewrite", "rewrite_literals", "row_reference", "rows_due", "run",
    "unroll", "with_argument", "without_reasons",
]  # fmt: skip
