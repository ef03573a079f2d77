"""Suites are made whole, the same at every time, and their splits stay apart."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import UnknownName, WorkError
from eops_traj.gym.suite.making import Job, check_apart, make, work
from eops_traj.gym.suite.suites import SPLITS, SUITES, Suite, companies, shares, suite
from eops_traj.schema import Task
from eops_traj.tasks import find_tasks
from eops_traj.tasks.stats import BENCHMARK, stats

SMALL = Suite("small", {"csm": 16, "itsm": 12})


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    return make(SMALL, 5, workers=2).tasks


def test_the_default_suite_has_the_benchmarks_size() -> None:
    found = SUITES["default"].tasks
    assert sum(found.values()) == 1150
    assert all(count <= found[domain] <= 1.05 * count for domain, count in BENCHMARK.items())


def test_a_suite_has_its_splits_and_its_share_of_infeasible_tasks(tasks: list[Task]) -> None:
    found = stats(tasks)
    assert found["tasks"] == 28 and set(found["by_split"]) == set(SPLITS)
    assert found["infeasible"] >= 0.12 * 28
    assert found["by_domain"]["csm"]["by_split"] == shares(16)


def test_every_infeasible_task_knows_its_feasible_twin(tasks: list[Task]) -> None:
    known = {task.task_id: task for task in tasks}
    for task in tasks:
        if task.feasible is False:
            twin = known[json.loads(task.details)["made"]["twin"]]
            assert twin.feasible and json.loads(twin.details)["made"]["twin"] == task.task_id
            assert (twin.user_prompt == task.user_prompt) != (twin.servers == task.servers)


def test_the_same_seed_makes_the_same_tasks_and_another_seed_shares_none(tasks: list[Task]) -> None:
    job = Job(SMALL, 5, "dev", "csm", 3)
    assert work(job) == work(job)
    others = work(Job(SMALL, 6, "dev", "csm", 3)).tasks
    assert not {t.user_prompt for t in tasks} & {t.user_prompt for t in others}


def test_splits_play_in_companies_of_their_own() -> None:
    every = [number for seed in (0, 1) for split in SPLITS for number in companies(seed, split)]
    assert len(every) == len(set(every))


def test_a_request_shared_by_training_and_test_is_found(tasks: list[Task]) -> None:
    from dataclasses import replace

    train = next(task for task in tasks if task.split == "train")
    with pytest.raises(WorkError, match="training and test share"):
        check_apart([*tasks, replace(train, split="test")])


def test_an_unknown_suite_lists_the_choices() -> None:
    with pytest.raises(UnknownName, match="unknown suite 'big'; choose from default, quick"):
        suite("big")


def test_a_scaled_suite_has_the_size_asked_for() -> None:
    assert sum(SUITES["default"].scaled(100).tasks.values()) == 100


def test_make_check_list_show_and_stats_from_the_command_line(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    out = tmp_path / "suite"
    made = cli(
        "tasks", "make", "--suite", "quick", "--tasks", "40", "--seed", "3", "--out", str(out), "--json"
    )
    assert made.code == 0 and json.loads(made.out)["tasks"] == 40
    found = find_tasks(str(out))
    assert len(list((out / "tasks").glob("oracle__*.json"))) == 40 == len(found)
    assert {p.name for p in (out / "hub").iterdir()} >= {"oracle", "plus_15_tools", "all", "README.md"}
    assert all((out / server.seed).is_file() for task in found for server in task.servers)
    checked = cli("tasks", "check", str(out), "--limit", "8", "--json")
    assert checked.code == 0 and json.loads(checked.out)["passed"] == 8
    shown = cli("tasks", "show", str(out), found[0].task_id)
    assert all(f"# {title}" in shown.out for title in ("Request", "Plan", "Verifiers", "Tools", "Policy"))
    assert json.loads(cli("tasks", "list", str(out), "--limit", "5", "--json").out)["tasks"] == 5
    assert json.loads(cli("tasks", "stats", str(out), "--json").out)["infeasible"] >= 4
    again = cli("tasks", "make", "--out", str(out))
    assert again.code == 2 and "is not empty" in again.err


def test_a_task_that_does_not_hold_fails_the_check(
    cli: Callable[..., Any], tmp_path: Path, tasks: list[Task]
) -> None:
    from eops_traj.tasks import dump_task

    data = dump_task(tasks[0]) | {"user_prompt": "too short"}
    (tmp_path / "a.json").write_text(json.dumps(data))
    checked = cli("tasks", "check", str(tmp_path))
    assert checked.code == 1 and "the request has 2 words" in " ".join(checked.out.split())
