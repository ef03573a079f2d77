"""Pairs of plans for one prompt, close to one another, so that what differs is what matters.

Plans are borrowed from a neighbour: right for a request of almost the same words, and wrong for this one. A
request that must be declined from the start and its feasible twin differ in a few words. The twin's plan is
how the one is wrongly carried out, and its own refusal is how the twin is wrongly declined: between them they
show what matters. The episodes of a selection need not show either mistake.
"""

from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import replace
from difflib import SequenceMatcher
from itertools import chain, zip_longest
from typing import NamedTuple

from eops_traj.planner.neighbours import WordIndex, words_of
from eops_traj.planner.plan_dataset import EvaluatedPlan, PlanPrompt
from eops_traj.planner.plan_evaluator import PlanEvaluator

CLOSE = 0.6
"""The share of their words that neighbours have in common at least (Jaccard); the suite's twins have 0.7."""


class PlanPair(NamedTuple):
    """A plan that passes, and one for the same prompt that fails."""

    chosen: EvaluatedPlan
    rejected: EvaluatedPlan


def closest_pairs(
    passed: Sequence[EvaluatedPlan], failed: Sequence[EvaluatedPlan], most: int
) -> list[PlanPair]:
    """Return at most so many pairs, each failed plan with the passing one that is closest to it.

    They are taken in turns from the outcomes (`schema.OUTCOMES`), the closest pair of each first: what
    is often declined for no reason is paired for that once before it is a second time.
    """
    if not passed:
        return []
    by_outcome: dict[str, list[tuple[int, float, PlanPair]]] = defaultdict(list)
    for bad in failed:
        lines, rest, good = min(
            ((*plan_distance(g.text, bad.text), g) for g in passed), key=lambda near: near[:2]
        )
        by_outcome[bad.outcome].append((lines, rest, PlanPair(good, bad)))
    groups = [sorted(by_outcome[outcome], key=lambda near: near[:2]) for outcome in sorted(by_outcome)]
    alternating = chain.from_iterable(zip_longest(*groups))
    return [near[2] for near in alternating if near is not None][:most]


def plan_distance(one: str, other: str) -> tuple[int, float]:
    """Compute how far two plans are apart: in lines to insert, remove or change, then in characters.

    The characters are those that one has and the other has not, as a share of 1.
    """
    return edit_distance(one.splitlines(), other.splitlines()), 1 - SequenceMatcher(
        None, one, other, autojunk=False
    ).quick_ratio()


def edit_distance(first: Sequence[str], second: Sequence[str]) -> int:
    """Compute the edit distance of Levenshtein between two sequences."""
    row = list(range(len(second) + 1))
    for number, left in enumerate(first, 1):
        before, row[0] = row[0], number
        for at, right in enumerate(second, 1):
            before, row[at] = row[at], min(row[at] + 1, row[at - 1] + 1, before + (left != right))
    return row[-1]


def add_twin_plans(prompts: Sequence[PlanPrompt], evaluator: PlanEvaluator) -> list[PlanPrompt]:
    """Add each other's plan, where it fails, to prompts that call for a refusal and their neighbours."""
    borrowed: dict[int, list[EvaluatedPlan]] = defaultdict(list)
    requests = [words_of(next(iter(prompt.tasks.values())).user_prompt) for prompt in prompts]
    acting = WordIndex(
        {n: requests[n] for n, target in enumerate(prompts) if any(not refuses(p) for p in target.passed())}
    )
    for index, target in enumerate(prompts):
        if target.passed() and all(map(refuses, target.passed())):
            neighbour = acting.nearest(requests[index], CLOSE)
            if neighbour is not None:
                borrowed[index] += _failing(prompts[neighbour].passed(), target, evaluator)
                borrowed[neighbour] += _failing(target.passed(), prompts[neighbour], evaluator)
    return [replace(target, plans=(*target.plans, *borrowed[n])) for n, target in enumerate(prompts)]


def refuses(plan: EvaluatedPlan) -> bool:
    """Check whether a plan declines from the start."""
    return plan.text.startswith("REFUSE:")


def _failing(
    plans: Iterable[EvaluatedPlan], prompt: PlanPrompt, evaluator: PlanEvaluator
) -> list[EvaluatedPlan]:
    """Return the first of the neighbour's plans, evaluated here, where it is new and fails."""
    known = {plan.text for plan in prompt.plans}
    new = [plan for plan in plans if plan.text not in known][:1]
    borrowed = [
        replace(p, origin="borrowed", results=tuple(evaluator.evaluate(t, p.text) for t in prompt.tasks))
        for p in new
    ]
    return [plan for plan in borrowed if not plan.passed]
