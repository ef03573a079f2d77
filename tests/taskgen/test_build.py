"""Suites are made whole, the same at every time, and their splits stay apart."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.cli.main import main
from eops_traj.errors import InputError, UnknownName, WorkError
from eops_traj.schema import Task
from eops_traj.taskgen.build import build_suite, check_splits, run_jobs
from eops_traj.taskgen.slots import Job
from eops_traj.taskgen.suites import (
    LARGEST_SEED,
    SPLITS,
    SUITES,
    Suite,
    companies_of_split,
    count_by_split,
    find_suite,
)
from eops_traj.tasks import dump_task, find_tasks, load_task
from eops_traj.tasks.summary import BENCHMARK, stats
from tests.made import SUITE, made_workspace
from tests.tasks.small_suite import larger_suite

SMALL = Suite("small", {"itsm": 2})
WHOLE = SUITE.tasks["hr"]
"""The tasks of a suite with all its splits and with twins, which other tests have made too."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A small suite, made by the command line."""
    out = tmp_path_factory.mktemp("made") / "suite"
    with pytest.MonkeyPatch.context() as patch, pytest.raises(SystemExit) as stop:
        patch.setitem(SUITES, SMALL.name, SMALL)
        main(["tasks", "make", "--suite", SMALL.name, "--seed", "5", "--workers", "1", "--out", str(out)])
    assert not stop.value.code
    return out


@pytest.fixture(scope="module")
def tasks(folder: Path) -> list[Task]:
    """Its tasks, read back."""
    return find_tasks(str(folder))


@pytest.fixture(scope="module")
def whole() -> Path:
    """A folder of `WHOLE` tasks."""
    return made_workspace() / "suite"


@pytest.fixture(scope="module")
def of_every_split(whole: Path) -> list[Task]:
    """The tasks of that folder."""
    return find_tasks(str(whole))


def test_the_default_suite_has_the_benchmarks_size() -> None:
    counts = SUITES["default"].tasks
    assert sum(counts.values()) == 1150
    assert all(count <= counts[domain] <= 1.05 * count for domain, count in BENCHMARK.items())


def test_a_suite_has_its_splits_and_its_share_of_infeasible_tasks(of_every_split: list[Task]) -> None:
    counts = stats(of_every_split)
    assert counts["tasks"] == WHOLE and set(counts["by_split"]) == set(SPLITS)
    assert counts["infeasible"] >= 0.12 * WHOLE
    assert counts["by_domain"]["hr"]["by_split"] == count_by_split(WHOLE)


def test_every_infeasible_task_knows_its_feasible_twin(of_every_split: list[Task]) -> None:
    known = {task.task_id: task for task in of_every_split}
    for task in of_every_split:
        if task.feasible is False:
            twin = known[json.loads(task.details)["made"]["twin"]]
            assert twin.feasible and json.loads(twin.details)["made"]["twin"] == task.task_id
            assert (twin.user_prompt == task.user_prompt) != (twin.servers == task.servers)


def test_the_same_seed_makes_the_same_tasks_and_another_seed_shares_none(tasks: list[Task]) -> None:
    counts = count_by_split(SMALL.tasks["itsm"])
    jobs = {
        seed: [Job(SMALL, seed, split, "itsm", count) for split, count in counts.items() if count]
        for seed in (5, 6)
    }
    again, others = ({task.task_id: task for task in run_jobs(own).tasks} for own in jobs.values())
    assert again == {task.task_id: task for task in tasks}
    requests = {task.user_prompt for task in tasks}
    assert len(others) == len(again) and not requests & {task.user_prompt for task in others.values()}


def test_splits_play_in_companies_of_their_own() -> None:
    every = [number for seed in (0, 1) for split in SPLITS for number in companies_of_split(seed, split)]
    assert len(every) == len(set(every))


def test_the_largest_seed_has_companies_that_a_file_of_tasks_may_hold() -> None:
    numbers = [max(companies_of_split(LARGEST_SEED, split, training=100)) for split in SPLITS]
    assert 2**63 - 2000 < max(numbers) < 2**63
    for seed in (LARGEST_SEED + 1, -1):
        with pytest.raises(InputError, match=f"from 0 to {LARGEST_SEED}, not {seed}"):
            build_suite(SMALL, seed)


def test_a_request_shared_by_training_and_test_is_found(of_every_split: list[Task]) -> None:
    train = next(task for task in of_every_split if task.split == "train")
    with pytest.raises(WorkError, match="training and test share"):
        check_splits([*of_every_split, replace(train, split="test")])


def test_an_unknown_suite_lists_the_choices() -> None:
    with pytest.raises(
        UnknownName, match="unknown suite 'big'; choose from default, hard, planner, planner_all, quick"
    ):
        find_suite("big")


def test_a_scaled_suite_has_the_size_asked_for() -> None:
    assert sum(SUITES["default"].scaled(100).tasks.values()) == 100


def test_a_suite_is_made_as_files_in_both_layouts_with_its_databases(folder: Path, tasks: list[Task]) -> None:
    facts = json.loads((folder / "suite.json").read_text())
    assert facts["tasks"] == 2 == len(tasks) and not {"unproven", "wordings"} & facts.keys()
    files = {path.name: load_task(path) for path in (folder / "tasks").glob("oracle__*.json")}
    assert sorted(files.values(), key=lambda t: t.task_id) == sorted(tasks, key=lambda t: t.task_id)
    assert {p.name for p in (folder / "hub").iterdir()} >= {"oracle", "plus_15_tools", "all", "README.md"}
    assert all((folder / server.seed).is_file() for task in tasks for server in task.servers)


def test_check_list_show_and_stats_from_the_command_line(
    cli: Callable[..., Any], folder: Path, tasks: list[Task], whole: Path
) -> None:
    checked = cli("tasks", "check", folder, "--limit", "1", "--json")
    assert checked.code == 0 and json.loads(checked.out)["passed"] == 1
    page = cli("tasks", "show", folder, tasks[0].task_id)
    assert all(f"# {title}" in page.out for title in ("Request", "Plan", "Verifiers", "Tools", "Policy"))
    assert json.loads(cli("tasks", "list", whole, "--limit", "5", "--json").out)["tasks"] == 5
    assert json.loads(cli("tasks", "stats", whole, "--json").out)["infeasible"] >= 2
    again = cli("tasks", "make", "--out", folder)
    assert again.code == 2 and "is not empty" in again.err


@pytest.mark.slow
def test_every_domain_is_made_from_the_command_line(cli: Callable[..., Any]) -> None:
    suite = larger_suite()
    counts = json.loads((suite / "suite.json").read_text())
    assert counts["tasks"] == 48 and set(counts["by_domain"]) == set(BENCHMARK)
    checked = cli("tasks", "check", suite, "--json")
    last = checked.out.splitlines()[-1]  # the suite may have been made just now, and said so
    assert checked.code == 0 and json.loads(last)["passed"] == 48


def test_a_task_that_does_not_hold_fails_the_check(
    cli: Callable[..., Any], tmp_path: Path, tasks: list[Task]
) -> None:
    data = dump_task(tasks[0]) | {"user_prompt": "too short"}
    (tmp_path / "a.json").write_text(json.dumps(data))
    checked = cli("tasks", "check", str(tmp_path))
    assert checked.code == 1 and "the request has 2 words" in " ".join(checked.out.split())


def test_a_folder_that_cannot_be_made_is_told_before_the_tasks_are(
    cli: Callable[..., Any], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("eops_traj.taskgen.build.build_suite", None)
    ran = cli("tasks", "make", "--suite", "quick", "--out", "/proc/nowhere/t")
    assert ran.code == 2 and "cannot write to /proc/nowhere/t" in ran.err
