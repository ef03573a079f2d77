"""Building a suite: every task is drafted, checked by execution, and replaced where a check fails.

Each domain is built from its own random source, so that processes share the work and the result is the same
with any number of them. Its splits are built one after the other: no two of its tasks should sound alike.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import replace
from itertools import pairwise
from random import Random
from typing import Any

from eops_traj.errors import WorkError
from eops_traj.hashing import canonical_json, digest
from eops_traj.schema import Json, Task
from eops_traj.taskgen.choices import Choices
from eops_traj.taskgen.slots import BuildResult, Earlier, Job, fill
from eops_traj.taskgen.suites import Suite, count_by_split
from eops_traj.workers.engine import HERE, Engine
from eops_traj.workers.processes import count_done


def build_suite(
    suite: Suite, seed: int, engine: Engine = HERE, done: Callable[[int], None] = lambda count: None
) -> BuildResult:
    """Build every task of a suite, each proven by execution, and count why drafts were dropped.

    ``done`` is called with each number of tasks built. The same seed gives the same tasks. Raises WorkError
    where a slot of the suite cannot be filled, or two splits share what they must not.
    """
    domains = {
        domain: [
            Job(suite, seed, split, domain, count)
            for split, count in count_by_split(total, suite.splits).items()
            if count
        ]
        for domain, total in suite.tasks.items()
    }
    largest_first = sorted(domains, key=lambda domain: -suite.tasks[domain])
    built = engine.counted(run_jobs, [domains[name] for name in largest_first], done)
    results = dict(zip(largest_first, built, strict=True))
    whole = BuildResult()
    for domain in domains:
        whole.tasks += results[domain].tasks
        whole.dropped += results[domain].dropped
    check_splits(whole.tasks)
    return whole


def run_jobs(jobs: Sequence[Job]) -> BuildResult:
    """Build the tasks of one domain, split by split, so that none sounds like an earlier one."""
    whole, earlier = BuildResult(), Earlier()
    for job in jobs:
        result = run_job(job, earlier)
        whole.tasks += result.tasks
        whole.dropped += result.dropped
    return whole


def run_job(job: Job, earlier: Earlier | None = None) -> BuildResult:
    """Build the tasks of one domain of one split, in an order that tells nothing, with their ids."""
    result = BuildResult(earlier=earlier or Earlier())
    pairs = max(round(job.count * job.whole.infeasible), int(job.count > 2))
    if not job.families:
        raise WorkError(f"{job.domain} has no family for {job.split}")
    rng = Random(job.draw("order"))
    choices = Choices(job.families, rng, hard=bool(job.whole.hardness))
    for slot in mixed(rng, pairs, job.count - pairs):
        if slot < pairs:
            fill(job, result, slot, choices.of_pair(slot, job.whole.chained))
        else:
            chained = rng.random() < job.whole.chained
            fill(job, result, slot, choices.of_single(slot, chained=chained))
        count_done(2 if slot < pairs else 1)
    return assign_ids(job, result)


def mixed(rng: Random, pairs: int, slots: int) -> list[int]:
    """Return the slots with those of pairs among the others: what comes first has the freshest words."""
    order = [*[True] * pairs, *[False] * (slots - pairs)]
    rng.shuffle(order)
    paired, alone = iter(range(pairs)), iter(range(pairs, slots))
    return [next(paired if pair else alone) for pair in order]


def assign_ids(job: Job, result: BuildResult) -> BuildResult:
    """Give the tasks ids, in the order of their content's digest; twins get one another's id."""
    order = sorted(result.tasks, key=lambda t: digest(job.seed, t.user_prompt, t.servers[0].seed, t.feasible))
    ids = {id(task): f"{job.domain}_{job.split}_{job.seed}_{n:04d}" for n, task in enumerate(order, 1)}
    twins = _twins(result.tasks)
    result.tasks = [_with_id(task, ids, twins.get(id(task))) for task in order]
    return result


def _twins(tasks: Sequence[Task]) -> dict[int, Task]:
    """Map tasks to their twins: each infeasible task follows its feasible twin."""
    twins: dict[int, Task] = {}
    for usual, perturbed in pairwise(tasks):
        if perturbed.feasible is False:
            twins |= {id(usual): perturbed, id(perturbed): usual}
    return twins


def _with_id(task: Task, ids: dict[int, str], twin: Task | None) -> Task:
    details: dict[str, Any] = json.loads(task.details)
    if twin is not None:
        details["made"]["twin"] = ids[id(twin)]
    return replace(task, task_id=ids[id(task)], details=Json(canonical_json(details)))


def check_splits(tasks: Sequence[Task]) -> None:
    """Raise WorkError where training and test share a request or a database, or test_ood a family."""
    sides = [[t for t in tasks if t.split in some] for some in (("train", "dev"), ("test", "test_ood"))]
    shared = {t.user_prompt for t in sides[0]} & {t.user_prompt for t in sides[1]}
    shared |= {s.seed for t in sides[0] for s in t.servers} & {s.seed for t in sides[1] for s in t.servers}
    if shared:
        raise WorkError(f"training and test share requests or databases: {sorted(shared)[0][:200]}")
    families_ = [{f for t in tasks if t.split in some for f in _families(t)} for some in _OOD]
    if families_[0] & families_[1]:
        raise WorkError(f"test_ood has families of training: {sorted(families_[0] & families_[1])}")


_OOD = (("train", "dev", "test"), ("test_ood",))


def _families(task: Task) -> list[str]:
    return [f"{task.domain}.{name}" for name in json.loads(task.details)["made"]["families"]]
