"""Pairs of plans, chosen together so that the looks of a plan do not tell which side it is on.

What failed episodes did is mostly a plan with something left out, or a refusal in one line: length alone
would tell it from the right one. So for each such plan another prompt's right plan is given the very steps
that are missing here, and fails by them; a refusal in one line is rejected only as often as one is chosen;
and where there is room left, two values of a right plan are exchanged. Every plan is run, and counts as what
it proves to be.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from functools import cache
from heapq import nsmallest
from random import Random

from eops_traj.hashing import digest
from eops_traj.plan import Plan, PlanError, parse, render
from eops_traj.planner.plan_alterations import grafts, missing_steps, swaps
from eops_traj.planner.plan_dataset import EvaluatedPlan, PlanPrompt
from eops_traj.planner.plan_evaluator import PlanEvaluator
from eops_traj.planner.plan_pairs import PlanPair, closest_pairs, refuses
from eops_traj.schema import PASSED, REFUSALS

PARSER_WORDS = re.compile(r"\$\d|\bstep \d|finds nothing|[{}\[\]`]|Unknown tool|JSON", re.IGNORECASE)
"""What a machine says where a plan stops, and no one who declines."""

WRONG_REFUSALS, RIGHT_REFUSALS = REFUSALS - PASSED, REFUSALS & PASSED

TRIES = 12
"""The most altered plans that are run for one place; nearly every one fails."""

SLACK = 0.02
"""The share of pairs by which one side may be the longer more often."""

HOSTS = 6
"""The most prompts that are tried for the steps of one plan."""


@dataclass
class BalancedPairs:
    """The pairs of all prompts, at most so many of each."""

    prompts: Sequence[PlanPrompt]
    evaluator: PlanEvaluator
    most: int
    counts: Counter[str]
    alter: bool = True
    """True where right plans may be altered to make the wrong ones that are wanting."""
    _pairs: dict[int, list[PlanPair]] = field(default_factory=dict)
    _by_domain: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    _steps: list[int] = field(default_factory=list)
    """The steps of each prompt's first right plan."""

    def __post_init__(self) -> None:
        for number, prompt in enumerate(self.prompts):
            self._by_domain[_domain(prompt)].append(number)
            self._steps.append(next((plan.text.count("\n") + 1 for plan in prompt.passed()), 0))

    def choose(self) -> list[list[PlanPair]]:
        """Return the pairs of each prompt."""
        for number, prompt in enumerate(self.prompts):
            self._pairs[number] = self._own(prompt)
        self._match_refusals()
        if self.alter:
            for number in self._pairs:
                self._match_steps(number)
            self._add_swaps()
            self._even_out()
        return [self._pairs[number] for number in range(len(self.prompts))]

    def _own(self, prompt: PlanPrompt) -> list[PlanPair]:
        """Return the pairs with what failed there; half of the places are left for altered plans."""
        most = self.most - self.most // 2 if self.alter else self.most
        failed = [plan for plan in prompt.failed() if not refuses(plan)]
        return closest_pairs(prompt.passed(), failed, most)

    def _match_refusals(self) -> None:
        """Reject refusals in one line as often as one is chosen, those of people and not of parsers."""
        chosen = sum(refuses(pair.chosen) for pairs in self._pairs.values() for pair in pairs)
        offered = list(self._refusals())
        for number, pair in offered[:chosen]:
            self._pairs[number].append(pair)
        if left := len(offered[chosen:]):
            self.counts["refusals in one line, left out since as few are chosen"] += left

    def _refusals(self) -> Iterator[tuple[int, PlanPair]]:
        """Yield the refusals that may be rejected, one a prompt: those that are borrowed come first."""
        offered = []
        for number, prompt in enumerate(self.prompts):
            failed = [plan for plan in prompt.failed() if refuses(plan)]
            spoken = [plan for plan in failed if not PARSER_WORDS.search(plan.text)]
            if len(spoken) < len(failed):
                self.counts["refusals that sound like a parser's, left out"] += len(failed) - len(spoken)
            best = sorted(spoken, key=lambda plan: plan.origin != "borrowed")[:1]
            if len(self._pairs[number]) < self.most:
                offered += [(number, pair) for pair in closest_pairs(prompt.passed(), best, 1)]
        yield from sorted(offered, key=lambda offer: offer[1].rejected.origin != "borrowed")

    def _match_steps(self, number: int) -> None:
        """Put what the plans of a prompt leave out into right plans of others, or replace the pair."""
        for pair in [*self._pairs[number]]:
            if pair.rejected.origin == "altered" or refuses(pair.chosen) or refuses(pair.rejected):
                continue
            whole, part = _parsed(pair.chosen.text), _parsed(pair.rejected.text)
            if whole is None or part is None or not (missing := missing_steps(whole, part)):
                continue
            if len(pair.chosen.text) > len(pair.rejected.text):
                self._graft(number, pair.chosen, missing)

    def _graft(self, number: int, giver: EvaluatedPlan, missing: Sequence[int]) -> bool:
        """Put steps into the right plan of another prompt of the domain; return whether that fails there."""
        donor = parse(giver.text)
        for host in self._hosts(number, len(donor.steps) - len(missing)):
            prompt = self.prompts[host]
            for right in prompt.passed()[:1]:
                plan = _parsed(right.text)
                for longer in grafts(plan, donor, missing) if plan and plan.steps else ():
                    if bad := self._failing(prompt, longer, giver.episodes):
                        self._pairs[host].append(PlanPair(right, bad))
                        return True
        return False

    def _hosts(self, number: int, steps: int) -> list[int]:
        """Return a few of the domain's other prompts with room: with the fewest pairs, then so many steps.

        With the steps that a plan left out, the host's is about as long as that plan should have been.
        """
        alike = self._by_domain[_domain(self.prompts[number])]
        room = (n for n in alike if n != number and len(self._pairs[n]) < self.most)
        return nsmallest(HOSTS, room, key=lambda n: (len(self._pairs[n]), abs(self._steps[n] - steps)))

    def _add_swaps(self) -> None:
        for number, pairs in self._pairs.items():
            if len(pairs) < self.most and (pair := self._swap(number)):
                pairs.append(pair)

    def _swap(self, number: int) -> PlanPair | None:
        """Return a right plan and the same with two values exchanged, which fails."""
        prompt = self.prompts[number]
        for right in prompt.passed()[:1]:
            plan = _parsed(right.text)
            if plan is None or plan.refusal is not None:
                continue
            for changed, _ in zip(swaps(plan, Random(digest(prompt.prompt))), range(TRIES), strict=False):
                bad = self._failing(prompt, changed, right.episodes)
                if bad and (bad.outcome not in WRONG_REFUSALS or self._lacks_refusals()):
                    return PlanPair(right, bad)
        return None

    def _lacks_refusals(self) -> bool:
        """Check whether fewer pairs decline wrongly on the rejected side than rightly on the chosen one."""
        pairs = [pair for pairs in self._pairs.values() for pair in pairs]
        declined = sum(pair.rejected.outcome in WRONG_REFUSALS for pair in pairs)
        return declined < sum(pair.chosen.outcome in RIGHT_REFUSALS for pair in pairs)

    def _failing(self, prompt: PlanPrompt, plan: Plan, of: tuple[str, ...]) -> EvaluatedPlan | None:
        """Return a plan as it proves on the prompt's tasks, where it fails and is new.

        ``of`` are the episodes that its words are from, whose terms go with the row (`publish.licence_gate`).
        """
        text = render(plan)
        if any(text == known.text for known in prompt.plans) or _parsed(text) is None:
            return None
        results = tuple(self.evaluator.evaluate(task_hash, text) for task_hash in prompt.tasks)
        found = EvaluatedPlan(text, "altered", results, of)
        return None if found.passed else found

    def _even_out(self) -> None:
        """Replace or drop pairs that differ most in length, until neither side is the longer more often."""
        signs = {-1: list[tuple[int, int, PlanPair]](), 1: list[tuple[int, int, PlanPair]]()}
        for number, pairs in self._pairs.items():
            for pair in pairs:
                more = len(pair.chosen.text) - len(pair.rejected.text)
                if more:
                    signs[1 if more > 0 else -1].append((abs(more), number, pair))
        fewer, many = sorted(signs.values(), key=len)
        most = len(fewer) + max(1, round(SLACK * sum(map(len, self._pairs.values()))))
        for _, number, pair in sorted(many, key=lambda entry: -entry[0])[: max(0, len(many) - most)]:
            self._pairs[number].remove(pair)
            swapped = self._swap(number)
            if swapped and swapped not in self._pairs[number]:
                self._pairs[number].append(swapped)
                self.counts["pairs that length would tell apart, replaced"] += 1
            else:
                self.counts["pairs that length would tell apart, left out"] += 1


def _domain(prompt: PlanPrompt) -> str:
    return next(iter(prompt.tasks.values())).domain


@cache
def _parsed(text: str) -> Plan | None:
    """Parse a plan; None for a text that is none."""
    try:
        return parse(text)
    except PlanError:
        return None
