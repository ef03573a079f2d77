"""Training tasks are made in shards: each by itself, joined without repeating a request, read over only."""

import json
from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from eops_traj.schema import Json, Task
from eops_traj.taskgen.build import build_suite, join_parts, parts_of, places, run_job, run_jobs
from eops_traj.taskgen.checks import READ, find_problems
from eops_traj.taskgen.family import families
from eops_traj.taskgen.slots import BuildResult, Earlier, Job
from eops_traj.taskgen.suites import SUITES, Suite, companies_of_split, count_by_split
from eops_traj.workers.engine import Engine
from tests.taskgen.test_checks import make_task

SHARDED = Suite("sharded", {"itsm": 14}, splits={"train": 0.85, "test": 0.15}, companies=5, shard=4,
                unproven=("train",))  # fmt: skip
BUILT = replace(SHARDED, tasks={"itsm": 9})
"""One task to measure by, and two shards of four to train on."""


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """The suite, made by this process."""
    parts = parts_of(BUILT, 5, "itsm")
    return join_parts(parts, [run_jobs(part) for part in parts]).tasks


def test_a_domain_is_one_part_unless_its_suite_has_shards() -> None:
    [jobs] = parts_of(SUITES["default"], 0, "csm")
    assert [(job.split, job.shards) for job in jobs] == [(s, 1) for s in ("train", "dev", "test", "test_ood")]
    [alone] = parts_of(replace(SHARDED, shard=100), 0, "itsm")
    assert [job.count for job in alone] == [12, 2]


def test_shards_share_out_a_domains_training_and_its_companies() -> None:
    held_out, *shards = parts_of(SHARDED, 5, "itsm")
    assert [(job.split, job.count) for job in held_out] == [("test", 2)]
    assert [(job.first, job.count) for [job] in shards] == [(1, 4), (5, 4), (9, 4)]
    numbers = companies_of_split(5, "train", 5)
    assert [job.companies for [job] in shards] == [numbers[:2], numbers[2:4], numbers[4:]]
    assert len({job.draw("0:0") for [job] in shards}) == 3
    two = parts_of(replace(SHARDED, tasks={"itsm": 10}), 5, "itsm")
    assert [[job.count for job in part] for part in two] == [[2], [4], [4]]
    training = replace(SHARDED, splits={"train": 1.0})
    assert [part[0].split for part in parts_of(training, 5, "itsm")] == ["train"] * 4


def test_a_suite_without_shards_is_drawn_as_ever() -> None:
    [[job, *_]] = parts_of(SUITES["default"], 2, "csm")
    assert job.draw("0:1") == "default:2:train:csm:0:1" and job.first == 1
    assert job.companies == companies_of_split(2, "train")
    [_, [shard], *_] = parts_of(SHARDED, 2, "itsm")
    assert shard.draw("0:1") == "sharded:2:train:itsm:0:0:1"


def test_a_suite_of_shards_is_whole_and_the_same_on_several_processes(tasks: list[Task]) -> None:
    assert tasks == build_suite(BUILT, 5, Engine(2)).tasks
    assert len(tasks) == 9 == len({task.task_id for task in tasks})
    training = [task for task in tasks if task.split == "train"]
    assert sorted(task.task_id[-4:] for task in training) == [f"{n:04d}" for n in range(1, 9)]
    requests = [task.user_prompt for task in tasks if task.feasible]
    assert len(requests) == len({*requests})
    played = {json.loads(task.servers[0].details)["company"] for task in training}
    assert len(played) > 2 and played <= {*companies_of_split(5, "train", 5)}


def test_what_only_trains_is_read_over_and_what_measures_is_proven(tasks: list[Task]) -> None:
    assert all(not find_problems(task) for task in tasks if task.split == "test")
    task = replace(make_task(), verifiers=make_task().verifiers[2:3])
    assert find_problems(task, checks={"left_out"}) and not find_problems(task, checks=READ)
    silent = replace(task, user_prompt="Do it.")
    assert [problem.partition(":")[0] for problem in find_problems(silent, checks=READ)] == ["worded"]


@pytest.mark.parametrize("unproven", [(), ("train",)])
def test_a_split_is_proven_unless_its_suite_says_that_it_only_trains(
    unproven: tuple[str, ...], monkeypatch: pytest.MonkeyPatch
) -> None:
    ways = []

    def noted(task: Task, **how: object) -> list[str]:
        ways.append((how["first"] is not None, how["checks"]))
        return []

    monkeypatch.setattr("eops_traj.taskgen.slots.find_problems", noted)
    [job, *_] = parts_of(replace(SHARDED, tasks={"itsm": 2}, shard=0, unproven=unproven), 5, "itsm")[0]
    run_job(job)
    assert ways == [(not unproven, READ if unproven else None)] * job.count


@pytest.mark.parametrize("unproven", [(), ("train",)])
def test_other_tools_are_asked_for_where_tasks_are_proven(unproven: tuple[str, ...]) -> None:
    """Of the many that only train most would use the tools of others, after eight drafts too."""
    suite = Suite("alike", {"hr": 5}, families=("hr.take_up_case",), splits={"train": 1.0}, unproven=unproven)
    [jobs] = parts_of(suite, 5, "hr")
    assert bool(run_jobs(jobs).dropped["the same tools"]) is (not unproven)


def test_a_made_suite_names_its_unproven_splits(
    tmp_path: Path, cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    """One without any says nothing of them: tests/taskgen/test_build.py."""
    suite = Suite("small", {"itsm": 2}, splits={"train": 1.0}, unproven=("train",), wordings=2)
    monkeypatch.setitem(SUITES, "small", suite)
    made = cli("tasks", "make", "--suite", "small", "--out", tmp_path / "out", "--no-seeds", "--workers", "1")
    assert made.code == 0
    facts = json.loads((tmp_path / "out" / "suite.json").read_text())
    assert (facts["unproven"], facts["wordings"]) == (["train"], 2)


@pytest.mark.parametrize("infeasible", [0, 0.14, 0.5])
def test_a_job_has_places_for_its_tasks_in_any_number_of_wordings(infeasible: float) -> None:
    suite = replace(SHARDED, infeasible=infeasible)
    for count, wordings, twins in product(range(1, 40), range(1, 7), (True, False)):
        job = Job(replace(suite, wordings=wordings), 5, "train", "itsm", count)
        pairs, alone = places(job, twins=twins)
        assert 2 * pairs * job.wordings + sum(alone) == count and (twins or not pairs)
        assert max(alone, default=0) - min(alone, default=0) <= 1


def test_what_wordings_leave_over_goes_to_training() -> None:
    """No task of the last split is made in the place of one that training lacks."""
    suite = Suite("worded", {"itsm": 12}, splits={"train": 0.9, "test": 0.1}, unproven=("train",), wordings=4)
    [jobs] = parts_of(suite, 5, "itsm")
    made = Counter(task.split for task in join_parts([jobs], [run_jobs(jobs)]).tasks)
    assert made == count_by_split(12, suite.splits) == {"train": 11, "test": 1}


@pytest.mark.parametrize("split", ["train", "test_ood"])
def test_families_that_nothing_perturbs_make_tasks_without_twins(
    split: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Those kept for `test_ood` may be such ones where the others are not."""
    plain = [replace(family, perturbations=()) if family.ood is (split == "test_ood") else family
             for family in families(["itsm"])]  # fmt: skip
    monkeypatch.setattr("eops_traj.taskgen.slots.families", lambda of: plain)
    suite = Suite("plain", {"itsm": 3}, splits={split: 1.0}, unproven=(split,))
    tasks = run_job(Job(suite, 5, split, "itsm", 3)).tasks
    assert [task.feasible for task in tasks] == [True] * 3


def small_task(name: str, request: str, twin: str = "") -> Task:
    """Return a task with an id and a request, and with a twin."""
    made = {"families": [], **({"twin": twin} if twin else {})}
    return replace(make_task(), task_id=name, user_prompt=request, details=Json(json.dumps({"made": made})))


def test_a_request_that_an_earlier_shard_has_is_left_out_with_its_twin_and_made_anew(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    again: list[tuple[Job, set[str]]] = []

    def noted(job: Job, earlier: Earlier) -> BuildResult:
        again.append((job, {*earlier.requests}))
        return run_job(job, earlier)

    monkeypatch.setattr("eops_traj.taskgen.build.run_job", noted)
    held_out, *shards = parts_of(SHARDED, 5, "itsm")
    job: Job = replace(shards[-1][0], count=4)
    first = BuildResult([small_task("a", "one"), small_task("b", "two")])
    second = [small_task("c", "three", "d"), small_task("d", "one", "c"), small_task("e", "four"),
              small_task("f", "five", "g"), small_task("g", "five", "f")]  # fmt: skip
    joined = join_parts([[replace(held_out[0], count=2)], [replace(job, count=5)]],
                        [first, BuildResult(second)])  # fmt: skip
    ids = [task.task_id for task in joined.tasks]
    assert ids[:5] == ["a", "b", "e", "f", "g"] and len(ids) == 7
    assert joined.dropped["the same request"] == 1
    [(more, requests)] = again
    assert (more.count, more.shard, requests) == (2, job.shard + 3, {"one", "two", "four", "five"})
    assert ids[5:] == [f"itsm_train_5_{n:04d}" for n in (job.first + 5, job.first + 6)]
