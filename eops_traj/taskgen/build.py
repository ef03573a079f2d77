"""Making a suite: every task drafted, checked by execution, and replaced where a check fails.

Each domain of each split is made alone, from its own chance, so that processes share the work and the result
is the same with any number of them.
"""

import json
import re
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass, field, replace
from itertools import chain as joined
from itertools import pairwise
from multiprocessing import get_context
from random import Random
from typing import Any

from eops_traj.errors import WorkError
from eops_traj.hashing import canonical_json, digest
from eops_traj.schema import Json, Task
from eops_traj.taskgen.checks import problems
from eops_traj.taskgen.draft import Draft, play, task
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.suites import Suite, companies, shares, staff

_TRIES = 60  # drafts for one place in the suite before it is given up


@dataclass(frozen=True)
class Job:
    """One domain of one split."""

    whole: Suite
    seed: int
    split: str
    domain: str
    count: int

    @property
    def suite(self) -> str:
        """The suite's name."""
        return self.whole.name

    @property
    def families(self) -> list[Family]:
        """Those that the split may play: the ones kept for it, or those of training."""
        own = [f for f in families([self.domain]) if f.ood is (self.split == "test_ood")]
        if self.whole.families is None or self.split == "test_ood":
            return own
        return [family for family in own if f"{family.domain}.{family.name}" in self.whole.families]


@dataclass
class Made:
    """What came of a job: its tasks, and what was drafted in vain, by reason."""

    tasks: list[Task] = field(default_factory=list)
    dropped: Counter[str] = field(default_factory=Counter)

    @property
    def prompts(self) -> set[str]:
        """The requests so far."""
        return {task.user_prompt for task in self.tasks}


def make(suite: Suite, seed: int, workers: int = 2, done: Callable[[int], None] = lambda count: None) -> Made:
    """Every task of a suite, each proven by execution, and why drafts were dropped.

    ``done`` is told of each number of tasks made. The same seed gives the same tasks. Raises WorkError where
    a place in the suite cannot be filled, or two splits share what they must not.
    """
    jobs = [
        Job(suite, seed, split, domain, count)
        for domain, total in suite.tasks.items()
        for split, count in shares(total, suite.splits).items()
        if count
    ]
    largest_first = sorted(jobs, key=lambda job: -job.count)
    results: dict[tuple[str, str], Made] = {}
    with ProcessPoolExecutor(workers, get_context("spawn")) as pool:
        for job, made in zip(largest_first, pool.map(work, largest_first), strict=True):
            results[job.domain, job.split] = made
            done(len(made.tasks))
    whole = Made()
    for job in jobs:
        whole.tasks += results[job.domain, job.split].tasks
        whole.dropped += results[job.domain, job.split].dropped
    check_apart(whole.tasks)
    return whole


def work(job: Job) -> Made:
    """The tasks of one domain of one split, in an order that tells nothing, with their ids."""
    made = Made()
    pairs = max(round(job.count * job.whole.infeasible), int(job.count > 2))
    found = job.families
    if not found:
        raise WorkError(f"{job.domain} has no family for {job.split}")
    rng = Random(_draw(job, "order"))
    twisted = _shuffled(rng, [(f, twist) for f in found for twist in f.twists])
    for place in range(pairs):
        _fill(job, made, place, _pairs(twisted, place))
    singles = job.count - 2 * pairs
    alone = [((f,), None) for f in _shuffled(rng, found)]
    chains = [(c, None) for c in _shuffled(rng, list(_chains(found)))]
    for place in range(pairs, pairs + singles):
        chained = chains and rng.random() < job.whole.chained
        _fill(job, made, place, _turned(chains if chained else alone, place), spare=alone)
    return replace_ids(job, made)


Choice = tuple[tuple[Family, ...], str | None]


def _pairs(twisted: Sequence[tuple[Family, str]], place: int) -> list[Choice]:
    return [((family,), twist) for family, twist in _turned(twisted, place)]


def _fill(job: Job, made: Made, place: int, choices: Sequence[Choice], spare: Sequence[Choice] = ()) -> None:
    """Fill one place: the first choice that comes out well, drawn a few times, one company after another."""
    numbers = companies(job.seed, job.split, job.whole.companies)
    queue = [*joined.from_iterable((c, c) for c in choices), *spare] or [*spare]
    for attempt in range(_TRIES):
        families_, twist = queue[attempt % len(queue)]
        draw = _draw(job, f"{place}:{attempt}")
        try:
            made.tasks += _tasks(job, made, families_, twist, numbers[(place + attempt) % len(numbers)], draw)
            return
        except NoMatch:
            made.dropped["no entity fits"] += 1
        except ScenarioError as error:
            made.dropped[_reason(error)] += 1
    tried = f"{len(queue)} choices, {_TRIES} draws; dropped so far: {dict(made.dropped)}"
    raise WorkError(f"{job.domain}, {job.split}: nothing came out well for place {place}: {tried}")


def _reason(error: ScenarioError) -> str:
    """The check that failed, or that the scenario itself did."""
    found = re.match(r"check (\w+)", str(error))
    return found.group() if found else "scenario"


def _tasks(
    job: Job, made: Made, chain: tuple[Family, ...], twist: str | None, company: int, draw: str
) -> list[Task]:
    """The task of a draft, with its twin where it is twisted; checked. Raises NoMatch and ScenarioError."""
    usual = play(chain, company, draw)
    _fits(job, made, usual)
    found = [_checked(task(usual, "", job.suite, job.split))]
    if twist is not None:
        other = play(chain, company, draw, twist)
        found.append(_checked(task(other, "", job.suite, job.split, usual)))
    return found


def _fits(job: Job, made: Made, draft: Draft) -> None:
    """Raises NoMatch for a request that is there already, or that names someone whom training knows."""
    if draft.request in made.prompts:
        raise NoMatch("the same request again")
    if job.split.startswith("test"):
        for split in ("train", "dev"):
            if any(name in draft.request for name in staff(job.seed, split, job.whole.companies)):
                raise NoMatch("training has someone of that name")


def _checked(made: Task) -> Task:
    wrong = problems(made)
    if wrong:
        raise ScenarioError(f"check {wrong[0]}")
    return made


def replace_ids(job: Job, made: Made) -> Made:
    """The same tasks with ids, in the order of their content's digest; twins know one another's."""
    order = sorted(made.tasks, key=lambda t: digest(job.seed, t.user_prompt, t.servers[0].seed, t.feasible))
    ids = {id(found): f"{job.domain}_{job.split}_{job.seed}_{n:04d}" for n, found in enumerate(order, 1)}
    twins = _twins(made.tasks)
    made.tasks = [_named(found, ids, twins.get(id(found))) for found in order]
    return made


def _twins(tasks: Sequence[Task]) -> dict[int, Task]:
    """Each infeasible task stands right behind its feasible twin."""
    found: dict[int, Task] = {}
    for usual, twisted in pairwise(tasks):
        if twisted.feasible is False:
            found |= {id(usual): twisted, id(twisted): usual}
    return found


def _named(found: Task, ids: dict[int, str], twin: Task | None) -> Task:
    details: dict[str, Any] = json.loads(found.details)
    if twin is not None:
        details["made"]["twin"] = ids[id(twin)]
    return replace(found, task_id=ids[id(found)], details=Json(canonical_json(details)))


def check_apart(tasks: Sequence[Task]) -> None:
    """Raises WorkError where training and test share a request, a database or, in a request, a colleague."""
    sides = [[t for t in tasks if t.split in some] for some in (("train", "dev"), ("test", "test_ood"))]
    shared = {t.user_prompt for t in sides[0]} & {t.user_prompt for t in sides[1]}
    shared |= {s.seed for t in sides[0] for s in t.servers} & {s.seed for t in sides[1] for s in t.servers}
    if shared:
        raise WorkError(f"training and test share requests or databases: {sorted(shared)[0][:200]}")
    families_ = [{f for t in tasks if t.split in some for f in _families(t)} for some in _OOD]
    if families_[0] & families_[1]:
        raise WorkError(f"test_ood has families of training: {sorted(families_[0] & families_[1])}")


_OOD = (("train", "dev", "test"), ("test_ood",))


def _families(found: Task) -> list[str]:
    return [f"{found.domain}.{name}" for name in json.loads(found.details)["made"]["families"]]


def _chains(found: Sequence[Family]) -> Iterator[tuple[Family, ...]]:
    """Chains of two and three families, each handing on what the next takes."""
    for first in found:
        for second in found:
            if first.gives is None or second.takes != first.gives or first is second:
                continue
            yield first, second
            for third in found:
                if second.gives is not None and third.takes == second.gives and third not in (first, second):
                    yield first, second, third


def _turned(choices: Sequence[Any], place: int) -> list[Any]:
    """The choices from this place on, so that each comes first as often as the others."""
    at = place % len(choices) if choices else 0
    return [*choices[at:], *choices[:at]][:6]


def _shuffled(rng: Random, items: Sequence[Any]) -> list[Any]:
    return rng.sample(list(items), len(items))


def _draw(job: Job, what: str) -> str:
    return f"{job.suite}:{job.seed}:{job.split}:{job.domain}:{what}"
