"""Requests and gold plans of held-out tasks, looked for in every text of a row, whatever its column.

A request counts as held by a row that has four fifths of its runs of five words, in any texts and any order:
so it is found in other case, spacing and punctuation, cut in two, and with a few words changed. A plan counts
by its steps that name something: three quarters of three or more, whatever their numbers and reasons; of a
shorter plan all of its lines.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import Any, NamedTuple

from eops_traj.privacy.texts import leaves
from eops_traj.provenance.held_out_words import StepFinder, Words, forms, words

RUN, SHARE = 5, 0.8
"""Words of a run, and the share of a request's runs that gives it away. Tasks of one family share half."""
STEPS, STEPS_SHARE = 3, 0.75
"""The fewest steps of a plan that are known by a part of them, and that part."""
SHORTEST = 12
"""Characters of a text that may hold a run."""
CACHED = 1 << 12
"""Texts whose clues are cached: rows repeat their policies, tools and results."""


class Clues(NamedTuple):
    """What a text has of held-out tasks, and the words it begins and ends with."""

    runs: frozenset[Words]
    steps: frozenset[str]
    begin: Words
    end: Words


class HeldOutText:
    """The requests and plans of held-out tasks, by the task's id."""

    def __init__(self, requests: Mapping[str, str], plans: Mapping[str, str]) -> None:
        """``requests`` and ``plans`` are texts, by the id of a task that has them."""
        self._requests = {task_id: _runs(words(text)) for task_id, text in requests.items()}
        self._plans = {task_id: plan_facts(plan) for task_id, plan in plans.items()}
        self._least_runs = {task_id: _least(runs, SHARE) for task_id, runs in self._requests.items()}
        self._least_steps = {task_id: _least_of_plan(steps) for task_id, steps in self._plans.items()}
        self._of_run = _inverted(self._requests)
        self._of_step = _inverted(self._plans)
        self._finder = StepFinder(self._of_step)
        self.clues = lru_cache(CACHED)(self._clues)

    def request_in(self, record: Any) -> str | None:
        """Return the task whose request a record holds, in whatever columns; None where it holds none."""
        found = set[Words]()
        before: Words = ()
        for _, leaf in leaves(record):
            clues = self.clues(leaf)
            found |= clues.runs
            if len(clues.begin) > 1:
                found |= _runs((*before, *clues.begin)) & self._of_run.keys()
                before = clues.end
        return _best(found, self._of_run, self._least_runs)

    def plan_in(self, record: Any) -> str | None:
        """Return the task whose gold plan a record holds; None where it holds none."""
        found = {step for _, leaf in leaves(record) for step in self.clues(leaf).steps}
        return _best(found, self._of_step, self._least_steps)

    def _clues(self, leaf: str) -> Clues:
        said = words(leaf)
        begin, end = said[: RUN - 1], said[1 - RUN :]
        if len(leaf) < SHORTEST:
            return Clues(frozenset(), frozenset(), begin, end)
        runs, steps = set[Words](), set[str]()
        for form in dict.fromkeys(forms(leaf)):
            said = words(form)
            runs |= _runs(said) & self._of_run.keys()
            steps |= self._finder.find(said)
        return Clues(frozenset(runs), frozenset(steps), begin, end)


def plan_facts(plan: str) -> set[str]:
    """Return the lines of a plan that tell it from others, in normal form; none of one that names nothing.

    Those are the calls that name something: what only reads on from there stands in any plan.
    """
    lines = {step for line in plan.splitlines() if (step := _step(line))}
    telling = _telling(lines)
    return telling if len(telling) >= STEPS else lines if telling else set()


def _telling(lines: set[str]) -> set[str]:
    """Return the calls among lines that name something: an empty text and a mere reference name nothing."""
    calls = {line for line in lines if not line.startswith(("require(", "refuse"))}
    return {call for call in calls if _named(call) or re.search(r"=\d", call)}


def _named(call: str) -> list[str]:
    """Return the texts in a call, without those that are nothing but what an earlier step returned."""
    return [text for text in re.findall(r'"([^"]*)"', call) if re.sub(r"{\$[^{}]*}", "", text)]


def _step(line: str) -> str:
    """Return a step without number and reason, its spaces single, one name for what earlier ones returned."""
    call = re.sub(r"^\s*(?:\d+[.)]|[-*])?\s*(?:\w+\s*=\s*(?=\w+\())?", "", line).partition(" -- ")[0]
    return " ".join(re.sub(r"\$\w+", "$", call).split()).casefold()


def _runs(said: Words) -> set[Words]:
    return set(zip(*(said[start:] for start in range(RUN)), strict=False))


def _inverted(facts: Mapping[str, Iterable[Any]]) -> dict[Any, list[str]]:
    tasks = defaultdict(list)
    for task_id, parts in facts.items():
        for part in parts:
            tasks[part].append(task_id)
    return dict(tasks)


def _least(facts: set[Any], share: float) -> float:
    """Return how many of these facts give a task away: such a share, and of few all."""
    return share * len(facts) if len(facts) >= STEPS else len(facts)


def _least_of_plan(facts: set[str]) -> float:
    """Return the same of a plan's facts; where hardly any names something, it takes all."""
    return _least(facts, STEPS_SHARE) if len(_telling(facts)) >= STEPS else len(facts)


def _best(found: Iterable[Any], tasks: Mapping[Any, list[str]], least: Mapping[str, float]) -> str | None:
    """Return the first task with enough of its facts among those found."""
    counts = Counter(task_id for part in found for task_id in tasks[part])
    return min((i for i, count in counts.items() if count >= least[i]), default=None)
