"""The plan language: one step a line, which a model writes and both a model and a machine can follow.

::

    1. find_user(name="Ana Ruiz") -- who is to take the case
    2. require($1.active == 1) -- only those who still work here can take it
    3. assign_case_to_user(case_id=1204, user_id=$1.user_id) -- hand it over

``$1.user_id`` is a path into the result of step 1; ``$4.value[displayName="Legal"].id`` looks into a list.
``require`` calls nothing: where its condition does not hold, the plan stops and declines for that reason.
A plan for a task that must be declined from the start is one line: ``REFUSE: reason``.
"""

from eops_traj.plan.ast import (
    Condition,
    Match,
    Measure,
    Plan,
    Ref,
    Require,
    Step,
    Text,
    references,
    render,
)
from eops_traj.plan.interpreter import (
    Call,
    Ending,
    Outcome,
    Unresolved,
    decode,
    follow,
    holds,
    play,
    resolve,
    run,
)
from eops_traj.plan.parser import PlanError, parse
from eops_traj.plan.rewrite import in_order, with_argument, without_reasons

__all__ = [
    "Call", "Condition", "Ending", "Match", "Measure", "Outcome", "Plan", "PlanError", "Ref", "Require",
    "Step", "Text", "Unresolved", "decode", "follow", "holds", "in_order", "parse", "play", "references",
    "render", "resolve", "run", "with_argument", "without_reasons",
]  # fmt: skip
