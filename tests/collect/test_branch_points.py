from dataclasses import replace

from eops_traj.collect.branch_points import POINT_FINDERS, shared_turns
from eops_traj.schema import Turn
from tests.collectors.scripted_context import scripted_turn
from tests.episodes import episode

LOOK, WRITE, OTHER = (
    scripted_turn(find_user={"name": "A"}),
    scripted_turn(update_case={"case_id": 1}),
    scripted_turn(find_user={"name": "B"}),
)
DONE = Turn(text="Done.")


def attempt(key, *turns, outcome="failure", task="t"):
    return episode(key, turns=turns, outcome=outcome, task_hash=task)


def told(kind, *episodes):
    return [(point.parent.episode_id, point.turn) for point in POINT_FINDERS[kind](episodes)]


def test_turns_are_shared_by_what_they_did():
    assert shared_turns([LOOK, WRITE, DONE], [LOOK, WRITE, DONE]) == 3
    assert shared_turns([LOOK, WRITE, DONE], [LOOK, OTHER, DONE]) == 1
    assert shared_turns([replace(LOOK, text="Who is A?"), DONE], [LOOK, Turn(text="Sorry.")]) == 1
    assert shared_turns([LOOK], []) == 0


def test_a_failure_is_branched_where_it_left_the_success():
    good = attempt("good", LOOK, WRITE, DONE, outcome="success")
    assert told("divergence", good, attempt("bad", LOOK, OTHER, DONE)) == [("bad", 1)]
    assert told("divergence", good, attempt("early", LOOK, DONE)) == [("early", 1)]
    assert told("divergence", good, attempt("cut", LOOK, WRITE)) == []
    assert told("divergence", attempt("bad", LOOK, DONE), attempt("worse", DONE)) == []


def test_the_success_that_it_kept_to_for_longest_counts():
    near = attempt("near", LOOK, OTHER, WRITE, DONE, outcome="safe_refusal")
    far = attempt("far", WRITE, DONE, outcome="success")
    assert told("divergence", near, far, attempt("bad", LOOK, OTHER, DONE)) == [("bad", 2)]


def test_successes_of_other_tasks_say_nothing():
    good = attempt("good", LOOK, WRITE, DONE, outcome="success", task="other")
    assert told("divergence", good, attempt("bad", LOOK, DONE)) == []


def test_every_turn_that_writes_is_a_point():
    refused = replace(WRITE, tool_calls=(replace(WRITE.tool_calls[0], is_error=True),))
    assert told("writes", attempt("a", LOOK, WRITE, refused, WRITE, DONE), attempt("b", DONE)) == [
        ("a", 1), ("a", 3),
    ]  # fmt: skip
