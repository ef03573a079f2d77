"""References that count lines back: ``$-1.id`` is of the line before, whatever its number is.

`parse` reads them as any other. What a planner writes for the second of two pieces of work is then what it
writes for that alone.
"""

from collections.abc import Callable
from dataclasses import dataclass, replace

from eops_traj.plan.ast import AT_HAND, Plan, Ref, render
from eops_traj.plan.rewrite import rewrite


def render_back(plan: Plan) -> str:
    """Render a plan with each reference counted back from its line; `parse` reads it back to an equal plan.

    ``$[3, 4]``, of a loop that was taken apart, stays as it is.
    """
    steps = (rewrite(step, _back(number)) for number, step in enumerate(plan.steps, 1))
    return render(replace(plan, steps=tuple(steps)))


def _back(number: int) -> Callable[[Ref], Ref]:
    def counted(ref: Ref) -> Ref:
        told = isinstance(ref.step, tuple) or ref.step in AT_HAND
        return ref if told else _LinesBack(number - ref.step, ref.path)

    return counted


@dataclass(frozen=True)
class _LinesBack(Ref):
    """A reference as it is rendered; its step is how many lines back it leads."""

    def __str__(self) -> str:
        return str(Ref(self.step, self.path)).replace("$", "$-", 1)
