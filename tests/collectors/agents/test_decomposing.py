from hypothesis import given
from hypothesis import strategies as st

from eops_traj.collect.orchestrator import configure
from eops_traj.collectors.agents.decomposing import parse_subtasks
from tests.collectors.asked import TASK
from tests.collectors.desks import Desk, says

SPLIT = "Here you are:\n\n1. Find the group and the person\n2) **Put them in**\n   and note the number"


def worked(*replies, **options):
    desk = Desk(TASK, replies)
    desk.work(configure("decomposing", options).orchestrator)
    return desk


def test_subtasks_are_worked_with_a_shared_memory():
    desk = worked(
        says(SPLIT), says(find_user={"name": "Conrad Vogt"}), says("He is user 8."), says("All done.")
    )
    assert [role for _, role, _ in desk.asked] == ["planner", "executor", "executor", "executor"]
    assert desk.notes == {
        "subtasks": ["Find the group and the person", "Put them in and note the number"],
        "conversations": [0, 1, 3],
    }  # fmt: skip
    first, last = desk.asked[1][0], desk.asked[3][0]
    assert [m["role"] for m in last] == ["system", "user"]
    assert "He is user 8." not in first[1]["content"] and "1. He is user 8." in last[1]["content"]
    assert "carry out subtask 2" in last[1]["content"] and "answer the whole request" in last[1]["content"]
    assert last[1]["content"] == desk.turns[3].nudge


def test_one_subtask_is_the_request_itself():
    desk = worked(says("I would do it in one go."), says("Done."))
    assert desk.notes["parse_subtasks"] == [TASK.user_prompt] and len(desk.turns) == 2


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
