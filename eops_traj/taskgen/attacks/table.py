"""The table of attacks: every kind on every task, and which attempts have a verdict that they should not."""

import json
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from random import Random
from typing import Any

from eops_traj.schema import Task
from eops_traj.taskgen.attacks import other_ways, words, wrong_work
from eops_traj.taskgen.attacks.arena import Arena
from eops_traj.taskgen.attacks.kinds import Attack
from eops_traj.taskgen.trial import Trial
from eops_traj.workers.engine import HERE, Engine

ATTACKS: dict[str, Attack] = {
    "value_changed": Attack(wrong_work.value_changed, passes=False, feasible=True),
    "argument_left_out": Attack(wrong_work.argument_left_out, passes=False, feasible=True),
    "argument_added": Attack(wrong_work.argument_added, passes=False, feasible=True),
    "words_lost": Attack(wrong_work.words_lost, passes=False, feasible=True),
    "sent_and_removed": Attack(wrong_work.sent_and_removed, passes=False, feasible=True),
    "denied": Attack(words.denied, passes=False, feasible=True),
    "wrong_figure": Attack(words.wrong_figure, passes=False, feasible=True),
    "blind": Attack(words.blind, passes=False, feasible=False),
    "wrong_reason": Attack(words.wrong_reason, passes=False, feasible=False),
    "claimed": Attack(words.claimed, passes=False, feasible=False),
    "attempted": Attack(words.attempted, passes=False, feasible=False),
    "undone": Attack(words.undone, passes=False, feasible=False),
    "right_reason": Attack(words.right_reason, passes=True, feasible=False),
    "other_words": Attack(other_ways.other_words, passes=True, feasible=True),
    "other_order": Attack(other_ways.other_order, passes=True, feasible=True),
    "more_lookups": Attack(other_ways.more_lookups, passes=True, feasible=True),
    "several_calls": Attack(other_ways.several_calls, passes=True, feasible=True),
    "another_tool": Attack(other_ways.another_tool, passes=True, feasible=True),
}
"""The kinds of attack, by name."""
_EXAMPLES = 5
_REASONS = 12
_BATCH = 1


@dataclass
class Tally:
    """The attempts of one kind in one domain: how many, how many went wrong, how many may go either way."""

    tries: int = 0
    wrong: int = 0
    free: Counter[str] = field(default_factory=Counter)
    tasks: set[str] = field(default_factory=set)
    examples: list[str] = field(default_factory=list)

    def add(self, task_id: str, what: str, wrong: bool, free: str) -> None:
        """Count an attempt; one that may do either is counted by the reason alone."""
        if free:
            self.free[free] += 1
            return
        self.tries += 1
        self.tasks.add(task_id)
        self.wrong += wrong
        if wrong and len(self.examples) < _EXAMPLES:
            self.examples.append(f"{task_id}: {what}"[:300])

    def merge(self, other: "Tally") -> None:
        """Add the counts of another."""
        self.tries, self.wrong, self.free = (
            self.tries + other.tries,
            self.wrong + other.wrong,
            self.free + other.free,
        )
        self.tasks |= other.tasks
        self.examples = [*self.examples, *other.examples][:_EXAMPLES]


Table = dict[tuple[str, str], Tally]
"""The tallies by kind of attack and domain."""


def attack_tasks(
    tasks: Sequence[Task],
    root: Path | None,
    engine: Engine = HERE,
    kinds: Sequence[str] = tuple(ATTACKS),
    most: int = 12,
    done: Callable[[int], None] = lambda count: None,
) -> Table:
    """Attack every task with every kind, at most so many attempts a kind and task."""
    work = partial(attack_task, root=root, kinds=kinds, most=most)
    table: Table = defaultdict(Tally)
    for part in engine.map(work, zip(tasks, other_reasons(tasks), strict=True), _BATCH):
        for key, tally in part.items():
            table[key].merge(tally)
        done(1)
    return dict(sorted(table.items()))


def table_rows(table: Table) -> list[dict[str, Any]]:
    """Return the table as rows for printing: a kind and a domain each, with what went wrong."""
    return [
        {
            "attack": kind,
            "should": "pass" if ATTACKS[kind].passes else "fail",
            "domain": domain,
            "tasks": len(tally.tasks),
            "tries": tally.tries,
            "wrong": tally.wrong,
            **{f"free: {name}": count for name, count in sorted(tally.free.items())},
            "examples": tally.examples,
        }
        for (kind, domain), tally in table.items()
    ]


def attack_task(
    attacked: tuple[Task, Sequence[str]], root: Path | None, kinds: Sequence[str], most: int
) -> Table:
    """Attack one task, with the reasons of other infeasible tasks of its domain."""
    task, reasons = attacked
    table: Table = defaultdict(Tally)
    arena = Arena(Trial(task, root))
    try:
        for kind in kinds:
            attack = ATTACKS[kind]
            if attack.feasible is (task.feasible is not False):
                for attempt in some(attack.tries(arena, reasons), most):
                    wrong = attempt.passed is not attack.passes
                    table[kind, task.domain].add(task.task_id, attempt.what, wrong, attempt.free)
    finally:
        arena.close()
    return dict(table)


def some(tries: Iterator[Any], most: int) -> Iterator[Any]:
    """Yield at most so many judged attempts: every one of a few, else those that come first."""
    judged = 0
    for attempt in islice(tries, 4 * most):
        yield attempt
        judged += not attempt.free
        if judged >= most:
            return


def other_reasons(tasks: Sequence[Task]) -> Iterator[list[str]]:
    """Yield for each task the reasons of tasks of its domain that are infeasible in another way."""
    by_domain: dict[str, dict[str, str]] = defaultdict(dict)
    for task in tasks:
        made = _made(task)
        if "twist" in made:
            by_domain[task.domain][made["why"]] = made["twist"]
    for task in tasks:
        made = _made(task)
        kinds = by_domain[task.domain].items()
        others = sorted(why for why, twist in kinds if twist != made.get("twist") and why != made.get("why"))
        yield Random(task.user_prompt).sample(others, min(_REASONS, len(others)))


def _made(task: Task) -> Mapping[str, Any]:
    made: Mapping[str, Any] = json.loads(task.details).get("made", {})
    return made
