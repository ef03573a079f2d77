"""Building a suite: every task is drafted, checked by execution, and replaced where a check fails.

Each domain is built from its own random source, so that processes share the work and the result is the same
with any number of them. Its splits are built one after the other: no two of its tasks should sound alike. Of
a suite with shards, each shard of training is built by itself.
"""

import json
from collections import Counter
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
from eops_traj.taskgen.suites import Suite, check_seed, count_by_split
from eops_traj.tasks.recipe import made_of
from eops_traj.workers.engine import HERE, Engine
from eops_traj.workers.processes import count_done


def build_suite(
    suite: Suite, seed: int, engine: Engine = HERE, done: Callable[[int], None] = lambda count: None
) -> BuildResult:
    """Build every task of a suite, each proven by execution, and count why drafts were dropped.

    ``done`` is called with each number of tasks built. The same seed gives the same tasks. Raises InputError
    for a seed that is out of range, WorkError where a slot of the suite cannot be filled, or two splits share
    what they must not.
    """
    check_seed(seed)
    parts = [part for domain in suite.tasks for part in parts_of(suite, seed, domain)]
    largest_first = sorted(range(len(parts)), key=lambda n: -sum(job.count for job in parts[n]))
    built = engine.counted(run_jobs, [parts[n] for n in largest_first], done)
    results = dict(zip(largest_first, built, strict=True))
    whole = BuildResult()
    for domain in suite.tasks:
        own = [n for n, part in enumerate(parts) if part[0].domain == domain]
        joined = join_parts([parts[n] for n in own], [results[n] for n in own])
        whole.tasks += joined.tasks
        whole.dropped += joined.dropped
    check_splits(whole.tasks)
    return whole


def parts_of(suite: Suite, seed: int, domain: str) -> list[list[Job]]:
    """Return a domain's jobs in the parts that are built apart: one, or as many as training has shards."""
    counts = count_by_split(suite.tasks[domain], suite.splits)
    jobs = [Job(suite, seed, split, domain, count) for split, count in counts.items() if count]
    shards = round(counts["train"] / suite.shard) if suite.shard else 1
    if shards < 2:
        return [jobs]
    firsts = [counts["train"] * shard // shards for shard in range(shards + 1)]
    training = [
        Job(suite, seed, "train", domain, end - start, shard, shards, start + 1)
        for shard, (start, end) in enumerate(pairwise(firsts))
    ]
    held_out = [job for job in jobs if job.split != "train"]
    return [held_out, *([job] for job in training)] if held_out else [[job] for job in training]


def join_parts(parts: Sequence[Sequence[Job]], results: Sequence[BuildResult]) -> BuildResult:
    """Join the parts of a domain; for a request that an earlier part has already, another one is made."""
    joined, wanted = BuildResult(), sum(job.count for part in parts for job in part)
    for result in results:
        _add_new(joined, result)
    last = parts[-1][-1]
    while missing := wanted - len(joined.tasks):
        first = last.first + last.count
        last = replace(last, count=missing, shard=last.shard + last.shards, first=first)
        _add_new(joined, run_job(last, Earlier(requests={*joined.earlier.requests})))
    return joined


def _add_new(joined: BuildResult, result: BuildResult) -> None:
    """Add tasks but for those, with their twins, whose requests are there."""
    known = joined.earlier.requests
    repeated = {task.task_id for task in result.tasks if task.user_prompt in known}
    new = [task for task in result.tasks if not repeated & {task.task_id, made_of(task).get("twin")}]
    known |= {task.user_prompt for task in new}
    joined.tasks += new
    joined.dropped += result.dropped + Counter({"the same request": len(repeated)} if repeated else {})


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
    if not job.families:
        raise WorkError(f"{job.domain} has no family for {job.split}")
    rng = Random(job.draw("order"))
    choices = Choices(job.families, rng, hard=bool(job.whole.hardness))
    pairs, alone = places(job, twins=bool(choices.perturbed))
    for slot in mixed(rng, pairs, pairs + len(alone)):
        built = len(result.tasks)
        if slot < pairs:
            fill(job, result, slot, choices.of_pair(slot, job.whole.chained), job.wordings)
        else:
            chained = rng.random() < job.whole.chained
            fill(job, result, slot, choices.of_single(slot, chained=chained), alone[slot - pairs])
        count_done(len(result.tasks) - built)
    return assign_ids(job, result)


def places(job: Job, *, twins: bool) -> tuple[int, list[int]]:
    """Return how many places have ``twins``, where any can, and in how many wordings each other one is asked.

    They make as many tasks as the job wants: wordings that are left over are shared out among the places
    without twins.
    """
    scenes, more = divmod(job.count, job.wordings)
    most = (scenes - (more > 0)) // 2
    pairs = min(max(round(scenes * job.whole.infeasible), int(scenes > 2)), most) if twins else 0
    alone = scenes - 2 * pairs
    each, rest = divmod(more, max(alone, 1))
    return pairs, [job.wordings + each + (place < rest) for place in range(alone)]


def mixed(rng: Random, pairs: int, slots: int) -> list[int]:
    """Return the slots with those of pairs among the others: what comes first has the freshest words."""
    order = [*[True] * pairs, *[False] * (slots - pairs)]
    rng.shuffle(order)
    paired, alone = iter(range(pairs)), iter(range(pairs, slots))
    return [next(paired if pair else alone) for pair in order]


def assign_ids(job: Job, result: BuildResult) -> BuildResult:
    """Give the tasks ids, in the order of their content's digest; twins get one another's id."""
    order = sorted(result.tasks, key=lambda t: digest(job.seed, t.user_prompt, t.servers[0].seed, t.feasible))
    numbered = enumerate(order, job.first)
    ids = {id(task): f"{job.domain}_{job.split}_{job.seed}_{n:04d}" for n, task in numbered}
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
