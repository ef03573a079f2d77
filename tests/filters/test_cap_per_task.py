"""cap_per_task keeps the best few of each task."""

from tests.episodes import episode
from tests.filters.labelled import kept, labelled


def test_strict_successes_come_first_then_fewer_calls_then_the_id() -> None:
    tries = [
        episode("a", success_strict=False, n_steps=1),
        episode("b", success_strict=None, n_steps=0),
        episode("c", n_steps=4),
        episode("e", n_steps=2),
        episode("d", n_steps=2),
    ]
    order = [kept(tries, {"cap_per_task": {"most": most}}) for most in range(1, 6)]
    assert order == [["d"], ["d", "e"], ["c", "d", "e"], ["b", "c", "d", "e"], ["a", "b", "c", "d", "e"]]
    assert labelled(tries, {"cap_per_task": {"most": 1}})["a"].detail == (
        "task task_0 has 1 better, the last of them d"
    )


def test_a_task_is_one_in_every_mode_and_another_in_another_suite() -> None:
    tries = [episode("a"), episode("b", mode="plus_5_tools"), episode("c", suite="other")]
    assert kept(tries, {"cap_per_task": {"most": 1}}) == ["a", "c"]


def test_what_passed_comes_before_a_strict_success_that_was_to_be_declined() -> None:
    tries = [
        episode("a", feasible=False, outcome="false_success", n_steps=0),
        episode("b", feasible=False, outcome="safe_refusal", n_steps=3, success_strict=False),
        episode("c", feasible=False, outcome="safe_refusal", n_steps=4),
    ]
    order = [kept(tries, {"cap_per_task": {"most": most}}) for most in (1, 2)]
    assert order == [["c"], ["b", "c"]]
