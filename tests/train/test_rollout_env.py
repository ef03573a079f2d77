"""An environment is a task's sandbox with the task's tools, open while a rollout lasts."""

import gc
import inspect
import weakref
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import InputError
from eops_traj.planner.prompt import PlannerView
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.train.rollout_env import (
    Environment,
    acting_row,
    check_acting_view,
    environment_name,
    make_environments,
    parse_task,
)
from tests.collectors.group_tasks import TASK, TWIN
from tests.planner_data import planner_prompt, task_text
from tests.train.rollouts import do_work, reset_environment


def test_tasks_that_show_the_same_tools_share_an_environment() -> None:
    other = replace(TASK, tools=("find_user",))
    environments = make_environments([TASK, TWIN, other])
    assert set(environments) == {environment_name(TASK), environment_name(other)}
    methods = inspect.getmembers(environments[environment_name(TASK)], inspect.isfunction)
    assert {name for name, _ in methods if not name.startswith("_")} == {*TASK.tools, "reset"}


def test_tasks_whose_seeds_are_elsewhere_share_none(tmp_path: Path) -> None:
    here, there = make_environments([TASK]), make_environments([TASK], tmp_path)
    assert set(here).isdisjoint(there)
    rows = [acting_row(planner_prompt(TASK), task_text(TASK), root) for root in (None, tmp_path)]
    assert [row["environment"] for row in rows] == [*here, *there]


def test_a_reset_forgets_what_was_done() -> None:
    environment = reset_environment(TASK)
    do_work(environment)
    environment.reset(task=task_text(TASK))
    assert environment._outcome("Done.") == "failure"


def test_a_sandbox_that_was_judged_or_replaced_is_closed_and_gone() -> None:
    judged, replaced = reset_environment(TASK), reset_environment(TWIN)
    sessions = [weakref.ref(session_of(each)) for each in (judged, replaced)]
    judged._outcome("Done.")
    replaced.reset(task=task_text(TASK))
    gc.collect()
    assert judged._context is None and [session() for session in sessions] == [None, None]
    assert session_of(replaced).changed_rows() == ()


def test_a_sandbox_whose_verdict_fails_is_closed_too() -> None:
    environment = reset_environment(TASK)
    assert environment._context is not None
    environment._context.task = None  # type: ignore[assignment]
    with pytest.raises(AttributeError):
        environment._outcome("Done.")
    assert environment._context is None


def session_of(environment: Environment) -> EmbeddedSession:
    assert environment._context is not None
    session = environment._context.session
    assert isinstance(session, EmbeddedSession)
    return session


def test_an_acting_model_gets_the_request_as_it_is() -> None:
    row = acting_row(planner_prompt(TASK), task_text(TASK))
    assert [message["content"] for message in row["prompt"]] == [TASK.system_prompt, TASK.user_prompt]
    assert (parse_task(row["task"]), row["environment"]) == (TASK, environment_name(TASK))


@pytest.mark.parametrize(
    ("parts", "said"),
    [
        ({"policy": "reference"}, "data shows policy=reference, .* with --option policy=whole$"),
        ({"policy": "digest"}, "data shows policy=digest, .* with --option policy=whole$"),
        ({"values": "marked"}, "data shows values=marked, .* with --option values=plain$"),
        ({"policy": "digest", "values": "numbered"}, "digest, values=numbered, .*whole --option values="),
    ],
)
def test_what_only_a_planner_understands_is_no_view_for_a_model_that_acts(
    parts: dict[str, Any], said: str
) -> None:
    with pytest.raises(InputError, match=said):
        check_acting_view(PlannerView(**parts), "data", "--option")
    check_acting_view(PlannerView(tools="none", prompt="plan_short"), "data", "--option")
