from hypothesis import given
from hypothesis import strategies as st

from eops_traj.collect.orchestrator import configure
from eops_traj.collectors.agents.decomposing import parse_subtasks
from tests.collectors.group_tasks import TASK
from tests.collectors.scripted_context import ScriptedContext, scripted_turn

SPLIT = "Here you are:\n\n1. Find the group and the person\n2) **Put them in**\n   and note the number"


def worked(*replies, **options):
    context = ScriptedContext(TASK, replies)
    context.work(configure("decomposing", options).orchestrator)
    return context


def test_subtasks_are_worked_with_a_shared_memory():
    context = worked(
        scripted_turn(SPLIT),
        scripted_turn(find_user={"name": "Conrad Vogt"}),
        scripted_turn("He is user 8."),
        scripted_turn("All done."),
    )
    assert [role for _, role, _ in context.requests] == ["planner", "executor", "executor", "executor"]
    assert context.notes == {
        "subtasks": ["Find the group and the person", "Put them in and note the number"],
        "conversations": [0, 1, 3],
    }  # fmt: skip
    first, last = context.requests[1][0], context.requests[3][0]
    assert [m["role"] for m in last] == ["system", "user"]
    assert "He is user 8." not in first[1]["content"] and "1. He is user 8." in last[1]["content"]
    assert "carry out subtask 2" in last[1]["content"] and "answer the whole request" in last[1]["content"]
    assert last[1]["content"] == context.turns[3].nudge


def test_one_subtask_is_the_request_itself():
    context = worked(scripted_turn("I would do it in one go."), scripted_turn("Done."))
    assert context.notes["subtasks"] == [TASK.user_prompt] and len(context.turns) == 2


def test_what_is_too_many_goes_into_the_last():
    text = "\n".join(f"{n}. part {n}" for n in range(1, 8))
    assert parse_subtasks(text, 5) == [
        "part 1",
        "part 2",
        "part 3",
        "part 4",
        "part 5 Then: part 6 Then: part 7",
    ]


@given(st.text(), st.integers(2, 9))
def test_any_text_gives_none_or_two_to_most(text, most):
    assert len(parse_subtasks(text, most)) in {0, *range(2, most + 1)}


@given(st.lists(st.text("abc ,", min_size=1).map(str.strip).filter(bool), min_size=2, max_size=5))
def test_numbered_lines_are_read_back(parts):
    assert parse_subtasks("\n".join(f"{n}. {part}" for n, part in enumerate(parts, 1)), 5) == parts
