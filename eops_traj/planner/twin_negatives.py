"""Plans borrowed from a neighbour: right for a request of almost the same words, and wrong for this one.

A request that must be declined from the start and its feasible twin differ in a few words. The twin's plan is
how the one is wrongly carried out, and its own refusal is how the twin is wrongly declined: between them they
show on what it turns. A selection's episodes need not tell of either mistake.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace

from eops_traj.planner.plan_dataset import Asked, ProvenPlan, Prover

CLOSE = 0.6
"""The share of their words that neighbours have in common at least (Jaccard); the suite's twins have 0.7."""


def with_borrowed(prompts: Sequence[Asked], prover: Prover) -> list[Asked]:
    """The prompts; those that call for a refusal and their neighbours with each other's plan, if it fails."""
    lent: dict[int, list[ProvenPlan]] = defaultdict(list)
    acting = [n for n, asked in enumerate(prompts) if any(not _refuses(p) for p in asked.passed())]
    for here, asked in enumerate(prompts):
        if asked.passed() and all(map(_refuses, asked.passed())):
            there = _nearest(asked, acting, prompts)
            if there is not None:
                lent[here] += _failing(prompts[there].passed(), asked, prover)
                lent[there] += _failing(asked.passed(), prompts[there], prover)
    return [replace(asked, plans=(*asked.plans, *lent[n])) for n, asked in enumerate(prompts)]


def _refuses(plan: ProvenPlan) -> bool:
    """Whether a plan declines from the start."""
    return plan.text.startswith("REFUSE:")


def _nearest(asked: Asked, among: Iterable[int], prompts: Sequence[Asked]) -> int | None:
    """The place of the prompt whose request is closest to this one's; None where none is close."""
    near = [(_likeness(asked, prompts[n]), -n) for n in among]
    likeness, place = max(near, default=(0.0, 0))
    return -place if likeness >= CLOSE else None


def _likeness(one: Asked, other: Asked) -> float:
    ours, theirs = _words(one), _words(other)
    return len(ours & theirs) / len(ours | theirs)


def _words(asked: Asked) -> set[str]:
    return set(next(iter(asked.tasks.values())).user_prompt.lower().split())


def _failing(plans: Iterable[ProvenPlan], asked: Asked, prover: Prover) -> list[ProvenPlan]:
    """The first of the neighbour's plans, proven here, where it is new and fails."""
    known = {plan.text for plan in asked.plans}
    new = [plan for plan in plans if plan.text not in known][:1]
    borrowed = [
        replace(p, origin="borrowed", proofs=tuple(prover.prove(t, p.text) for t in asked.tasks)) for p in new
    ]
    return [plan for plan in borrowed if not plan.passed]
