from dataclasses import replace

import pytest

from eops_traj.errors import InputError
from eops_traj.planner.plan_check import PlanResult, evaluate_plan, shown_task, state_digest
from eops_traj.schema import Json, Server, Verifier
from tests.collectors.group_tasks import PLAN, TASK, TWIN
from tests.collectors.scripted_context import scripted_turn
from tests.planner.attempts import episode_of

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
    episode = episode_of(task, "plan", [scripted_turn(text)]).episode
    result = evaluate_plan(text, task)
    assert (result.outcome, result.calls) == (episode.outcome, len(episode.tool_calls()))
    assert result.passed == (episode.outcome in ("success", "safe_refusal")) and result.text == text
    assert (result.state == state_digest(())) == (not any(call.changes for call in episode.tool_calls()))


def test_what_an_answer_has_to_tell_is_not_asked_of_a_plan():
    config = Json('{"requirements": [{"what": "the weather", "values": ["rain"]}]}')
    curious = replace(
        TASK, verifiers=(*TASK.verifiers, Verifier(name="answer", kind="answer", config=config))
    )
    assert evaluate_plan(PLAN, curious).passed
    assert not evaluate_plan(HASTY, curious).passed


def test_a_plan_is_told_by_what_it_changes():
    short = PLAN.replace(" -- put them in", "")
    assert (
        evaluate_plan(PLAN, TASK).state
        == evaluate_plan(short, TASK).state
        != evaluate_plan(HASTY, TASK).state
    )
    assert (
        evaluate_plan("REFUSE: no", TASK).state == evaluate_plan("REFUSE: no", TWIN).state == state_digest(())
    )


@pytest.mark.parametrize("text", ["", "I cannot do this.", "1. find_user(name=", "2. find_user()", "{" * 99])
@pytest.mark.parametrize("task", [TASK, TWIN])
def test_a_text_that_is_no_plan_is_a_failure(task, text):
    result = evaluate_plan(text, task)
    assert result == PlanResult(text, "failure", False, state_digest(()), result.error, 0) and result.error


def test_where_a_plan_stopped_is_said():
    assert evaluate_plan(PLAN, TASK).error is None and evaluate_plan(PLAN, TWIN).error is None
    assert evaluate_plan(TEXTS["stopping"], TASK).error.startswith("step 2: $1.id finds nothing")
    assert "Unknown tool" in evaluate_plan(TEXTS["of a tool that is not shown"], TASK).error


def test_a_stored_episode_is_task_enough():
    bundle = episode_of(TASK, "plan", [scripted_turn(PLAN)])
    task = shown_task(bundle.episode, bundle.toolset, bundle.prompt.text)
    assert set(task.tools) == set(TASK.tools) and task.system_prompt == TASK.system_prompt
    for text in TEXTS.values():
        assert evaluate_plan(text, task) == evaluate_plan(text, TASK)


def test_withheld_tools_are_refused():
    result = evaluate_plan(PLAN, replace(TASK, tools=(), restricted_tools=("find_user_group",)))
    assert not result.passed and result.error == "step 1: find_user_group: Unknown tool: find_user_group"


def test_a_task_that_cannot_be_opened_is_no_fault_of_the_text(tmp_path):
    strange = replace(TASK, servers=(Server(name="nowhere", seed=""),))
    missing = replace(TASK, servers=(Server(name="csm", seed="seeds/gone.sql"),))
    for task in (strange, missing):
        with pytest.raises(InputError):
            evaluate_plan(PLAN, task, tmp_path)


def test_what_a_refusal_quotes_of_the_request_is_no_reason():
    config = Json('{"names": ["two"], "why": "there are two", "shown_by": []}')
    infeasible = replace(TWIN, verifiers=(Verifier(name="refusal", kind="refusal", config=config),))
    refusing = 'REFUSE: I have not written "There are two tables".'
    assert evaluate_plan(refusing, infeasible).passed
    asked = replace(infeasible, user_prompt='Write "There are two tables".')
    assert not evaluate_plan(refusing, asked).passed
