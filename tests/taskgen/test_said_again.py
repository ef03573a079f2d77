"""A scene is asked for again in other words, without playing it; what it asks for stays."""

import json
from collections import defaultdict
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.errors import InputError
from eops_traj.schema import Task
from eops_traj.taskgen.build import join_parts, parts_of, run_job, run_jobs
from eops_traj.taskgen.draft import Draft, play
from eops_traj.taskgen.errors import NoMatch, ScenarioError
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.said_again import say_again
from eops_traj.taskgen.slots import Job
from eops_traj.taskgen.suites import SUITES, Suite, find_suite
from eops_traj.tasks.recipe import made_of

WORDED = Suite(
    "worded", {"itsm": 13}, splits={"train": 1.0}, infeasible=0.25, unproven=("train",), wordings=3
)
DOMAINS = ("calendar", "csm", "drive", "email", "hr", "hybrid", "itsm", "teams")


@pytest.fixture(scope="module")
def tasks() -> list[Task]:
    """The tasks of a job, each scene in three wordings."""
    return run_job(Job(WORDED, 5, "train", "itsm", 13)).tasks


def scenes(tasks: list[Task]) -> list[list[Task]]:
    """Sort tasks by what was played."""
    found = defaultdict(list)
    for task in tasks:
        found[made_of(task)["draw"].partition("~")[0], task.feasible].append(task)
    return list(found.values())


def test_each_scene_is_asked_for_so_often_and_what_is_left_over_is_no_scene_of_its_own(
    tasks: list[Task],
) -> None:
    assert len(tasks) == 13 == len({task.task_id for task in tasks})
    assert sorted(len(alike) for alike in scenes(tasks)) == [3, 3, 3, 4]


def test_a_suite_of_too_few_scenes_for_what_is_left_over_is_whole_all_the_same() -> None:
    parts = parts_of(replace(WORDED, tasks={"itsm": 5}), 5, "itsm")
    built = join_parts(parts, [run_jobs(part) for part in parts]).tasks
    assert len(built) == 5 == len({task.user_prompt for task in built})


def test_another_wording_has_the_same_work_and_says_it_otherwise(tasks: list[Task]) -> None:
    for first, *others in scenes(tasks):
        assert len({first.user_prompt, *(task.user_prompt for task in others)}) == 1 + len(others)
        for other in others:
            assert (other.plan, other.verifiers, other.servers) == (
                first.plan,
                first.verifiers,
                first.servers,
            )


def test_twins_are_asked_for_in_the_same_words(tasks: list[Task]) -> None:
    known = {task.task_id: task for task in tasks}
    infeasible = [task for task in tasks if task.feasible is False]
    assert len(infeasible) == 3  # one, in three wordings
    for task in infeasible:
        twin = known[made_of(task)["twin"]]
        assert twin.feasible and made_of(twin)["twin"] == task.task_id
        assert made_of(twin)["draw"] == made_of(task)["draw"]


def test_a_draw_with_the_words_in_it_plays_the_same(tasks: list[Task]) -> None:
    for task in tasks:
        made = made_of(task)
        company = json.loads(task.servers[0].details)["company"]
        known = {family.name: family for family in families(["itsm"])}
        played = tuple(known[name] for name in made["families"])
        again = play(played, company, made["draw"], made.get("twist"), made.get("part", 0))
        assert again.request == task.user_prompt and [*again.asides] == made["asides"]


def test_words_that_were_used_already_are_not_used_again() -> None:
    often = run_job(Job(replace(WORDED, wordings=90), 5, "train", "itsm", 90))
    assert len(often.tasks) == 90 == len({task.user_prompt for task in often.tasks})
    assert len(scenes(often.tasks)) == 1


def test_what_is_proven_is_asked_for_once() -> None:
    proven = Job(replace(WORDED, unproven=()), 5, "train", "itsm", 13)
    assert proven.wordings == 1 and Job(WORDED, 5, "train", "itsm", 2).wordings == 2
    assert find_suite("planner_all").worded(4).wordings == 4 and SUITES["planner_all"].wordings == 1


def test_a_suite_that_proves_every_task_takes_no_wordings(cli: Callable[..., Any], tmp_path: Any) -> None:
    with pytest.raises(InputError, match="default proves every task"):
        find_suite("default").worded(2)
    refused = cli("tasks", "make", "--suite", "quick", "--wordings", "2", "--out", tmp_path / "out")
    assert refused.code == 2 and "takes no wordings" in refused.err and not (tmp_path / "out").exists()


def drafts(family: Family) -> list[Draft]:
    """Play a family, as it is and in each way that cannot be done."""
    found = []
    for kind in (None, *family.perturbations):
        try:
            found.append(play((family,), 4, "again:4", kind))
        except (NoMatch, ScenarioError):
            continue
    return found


@pytest.mark.slow
@pytest.mark.parametrize("domain", DOMAINS)
def test_every_family_is_said_again_as_it_would_be_played(domain: str) -> None:
    said = 0
    for draft in [draft for family in families([domain]) for draft in drafts(family)]:
        try:
            other = say_again(draft, (1, 30, 7, 12))
        except NoMatch:
            continue
        played = play(draft.families, 4, other.draw, draft.scene.perturbation)
        assert (played.request, played.draw) == (other.request, other.draw)
        assert played.scene.plan() == draft.scene.plan() and played.scene.asked == draft.scene.asked
        said += 1
    assert said > 60
