"""The known suites, their splits, and the companies that each split plays in."""

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from random import Random

from eops_traj.errors import FormatError, InputError, UnknownName
from eops_traj.gym.company.company import company
from eops_traj.gym.registry import SERVERS
from eops_traj.taskgen.family import families
from eops_traj.tasks.summary import BENCHMARK

SPLITS = {"train": 0.56, "dev": 0.08, "test": 0.18, "test_ood": 0.18}
"""The share of each split; ``test_ood`` has families that training never sees."""

LARGEST_SEED = (2**63 - 1) // 1000 - 1
"""Above it, the numbers of companies are larger than a file of tasks may hold (`companies_of_split`)."""

OWN_TASKS = 24
"""Tasks of the suite of a server of one's own."""

INFEASIBLE = 0.14  # of a suite; each with its feasible twin
CHAINED = 0.35  # of the feasible tasks without a twin


@dataclass(frozen=True)
class Suite:
    """A suite: its number of tasks a domain, their families, and its splits."""

    name: str
    tasks: dict[str, int]
    families: tuple[str, ...] | None = None
    """The families of training, ``domain.name``; None for all. ``test_ood`` has those kept for it."""
    splits: Mapping[str, float] = field(default_factory=lambda: SPLITS)
    infeasible: float = INFEASIBLE
    chained: float = CHAINED
    companies: int = 3
    """How many companies training plays in; each of the other splits has one."""
    hardness: float = 0
    """The score of `eops_traj.tasks.hardness` that a task has to reach; real tasks have 1 on average.

    For a place in the suite that no draft comes up to, it is lowered step by step.
    """
    unproven: tuple[str, ...] = ()
    """Splits whose tasks only train: read over (`eops_traj.taskgen.checks.READ`), not attempted by checks."""
    wordings: int = 1
    """In how many words each training task is asked for, where those are unproven."""
    shard: int = 0
    """About how many training tasks of a domain are made together, in few of the companies; 0 for all."""

    def scaled(self, total: int) -> "Suite":
        """Scale the suite to this many tasks in all, at least one a domain."""
        whole = sum(self.tasks.values())
        tasks = {domain: max(1, round(count * total / whole)) for domain, count in self.tasks.items()}
        largest = max(tasks, key=lambda domain: tasks[domain])
        tasks[largest] += total - sum(tasks.values())
        return replace(self, tasks=tasks)

    def worded(self, wordings: int) -> "Suite":
        """Ask for each unproven task in so many words. Raises InputError where every task is proven."""
        if not self.unproven:
            raise InputError(f"{self.name} proves every task, each asked for once; it takes no wordings")
        return replace(self, wordings=wordings)


SUITES = {  # the counts that the benchmark gives per domain come to 1,115; its 1,150 are kept, in that mix
    "default": Suite("default", BENCHMARK).scaled(1150),
    "quick": Suite("quick", dict.fromkeys(BENCHMARK, 20)),
    "hard": Suite(  # as many steps and look-ups as real tasks, or more
        "hard", Suite("default", BENCHMARK).scaled(400).tasks, chained=0.6, hardness=1.25
    ),
    "planner": Suite(  # what a small planner learns in minutes: the plan shows in the request
        "planner",
        {"csm": 800, "hr": 800, "itsm": 800},
        families=(
            "csm.replace_piece",
            "hr.offboard_employee",
            "hr.take_up_case",
            "itsm.hand_out_device",
        ),
        splits={"train": 0.925, "dev": 0.01, "test": 0.045, "test_ood": 0.02},
        infeasible=0.2,
        chained=0,
        companies=96,
        unproven=("train",),
        shard=100,
    ),
    "planner_all": Suite(  # to train on as much as one likes: every family of every domain
        "planner_all",
        dict.fromkeys(BENCHMARK, 1250),
        splits={"train": 0.9, "dev": 0.01, "test": 0.06, "test_ood": 0.03},
        companies=100,
        unproven=("train",),
        shard=100,
    ),
}


def find_suite(name: str) -> Suite:
    """Return a suite by name; a server of one's own is a suite too. Raises UnknownName listing the names."""
    if name in SERVERS.own:
        return _own_suite(name)
    if name not in SUITES:
        raise UnknownName("suite", name, {**SUITES, **SERVERS.own})
    return SUITES[name]


def _own_suite(domain: str) -> Suite:
    """Return the suite of a domain alone; splits that no family of it is meant for go to training."""
    kept = {family.ood for family in families([domain])}
    if not kept:
        raise FormatError(f"{domain} has no scenarios: write them into {domain}/scenarios.py")
    splits = {split: share for split, share in SPLITS.items() if (split == "test_ood") in kept}
    splits["train"] = splits.get("train", 0.0) + 1 - sum(splits.values())
    return Suite(domain, {domain: OWN_TASKS}, splits=splits)


def count_by_split(count: int, splits: Mapping[str, float] = SPLITS) -> dict[str, int]:
    """Count a domain's tasks in each split; what rounding leaves over goes to training."""
    held_out = {split: round(count * share) for split, share in splits.items() if split != "train"}
    return {"train": count - sum(held_out.values()), **held_out}


def check_seed(seed: int) -> None:
    """Raise InputError for a seed of which no suite can be made."""
    if not 0 <= seed <= LARGEST_SEED:
        raise InputError(f"the seed of a suite is from 0 to {LARGEST_SEED}, not {seed}")


def companies_of_split(seed: int, split: str, training: int = 3) -> tuple[int, ...]:
    """Return the numbers of the companies that a split plays in; no two splits or seeds share one.

    ``training`` says how many training has, at most 100.
    """
    first = seed * 1000 + 100 * list(SPLITS).index(split)
    return tuple(range(first, first + (training if split == "train" else 1)))


@functools.cache
def staff_names(seed: int, split: str, training: int = 3) -> frozenset[str]:
    """Return the full names of all people in a split's companies."""
    numbers = companies_of_split(seed, split, training)
    return frozenset(p.name for number in numbers for p in company(Random(number)).people)
