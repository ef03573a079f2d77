from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from eops_traj.planner.plan_check import Proof, prove, shown_task, state_of
from eops_traj.schema import Server
from tests.collectors.asked import PLAN, TASK, TWIN
from tests.collectors.desks import says
from tests.planner.made import episode_of

HASTY = "1. add_new_group_member(group_id=1, user_id=8) -- put them in\n"
TEXTS = {
    "gold": PLAN,
    "hasty": HASTY,
    "refusing": "REFUSE: it is not allowed",
    "of a tool that is not shown": "1. delete_case(case_id=1)\n2. find_user(name=\"x\")",
    "of a tool that there is none of": "1. fly()",
    "stopping": "1. find_user(name=\"Conrad Vogt\")\n2. update_user_details(user_id=$1.id, phone=\"1\")",
    "of no number": "1. update_user_details(user_id=1e999)",
}  # fmt: skip


@pytest.mark.parametrize("task", [TASK, TWIN], ids=["feasible", "infeasible"])
@pytest.mark.parametrize("text", TEXTS.values(), ids=TEXTS)
def test_it_comes_to_what_an_episode_of_the_plan_alone_comes_to(task, text):
    made = episode_of(task, "plan", [says(text)]).episode
    proof = prove(text, task)
    assert (proof.outcome, proof.calls) == (made.outcome, len(made.tool_calls()))
    assert proof.passed == (made.outcome in ("success", "safe_refusal")) and proof.text == text
    assert (proof.state == state_of(())) == (not any(call.changes for call in made.tool_calls()))


def test_a_plan_is_told_by_what_it_changes():
    short = PLAN.replace(" -- put them in", "")
    assert prove(PLAN, TASK).state == prove(short, TASK).state != prove(HASTY, TASK).state
    assert prove("REFUSE: no", TASK).state == prove("REFUSE: no", TWIN).state == state_of(())


@pytest.mark.parametrize("text", ["", "I cannot do this.", "1. find_user(name=", "2. find_user()", "{" * 99])
@pytest.mark.parametrize("task", [TASK, TWIN])
def test_a_text_that_is_no_plan_is_a_failure(task, text):
    proof = prove(text, task)
    assert proof == Proof(text, "failure", False, state_of(()), proof.error, 0) and proof.error


def test_where_a_plan_stopped_is_said():
    assert prove(PLAN, TASK).error is None and prove(PLAN, TWIN).error is None
    assert prove(TEXTS["stopping"], TASK).error.startswith("step 2: $1.id finds nothing")
    assert "Unknown tool" in prove(TEXTS["of a tool that is not shown"], TASK).error


def test_a_stored_episode_is_task_enough():
    made = episode_of(TASK, "plan", [says(PLAN)])
    task = shown_task(made.episode, made.toolset, made.prompt.text)
    assert set(task.tools) == set(TASK.tools) and task.system_prompt == TASK.system_prompt
    for text in TEXTS.values():
        assert prove(text, task) == prove(text, TASK)


def test_withheld_tools_are_refused():
    proof = prove(PLAN, replace(TASK, tools=(), restricted_tools=("find_user_group",)))
    assert not proof.passed and proof.error == "step 1: find_user_group: Unknown tool: find_user_group"


def test_a_task_that_cannot_be_opened_is_no_fault_of_the_text(tmp_path):
    strange = replace(TASK, servers=(Server(name="nowhere", seed=""),))
    missing = replace(TASK, servers=(Server(name="csm", seed="seeds/gone.sql"),))
    for task in (strange, missing):
        with pytest.raises(InputError):
            prove(PLAN, task, tmp_path)
