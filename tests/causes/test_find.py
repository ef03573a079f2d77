"""Causes of episodes with a query for a verifier: which kind, where, and what is a consequence."""

import json
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.causes.find import causes_of, diagnosed
from eops_traj.causes.sql import Condition
from eops_traj.schema import Episode, Json, ToolCall, Turn, Verdict
from eops_traj.verify.verifiers import collapse
from tests.episodes import episode

QUERY = "SELECT COUNT(*) FROM customer_case c WHERE c.case_id = 7 AND c.state = 'closed'"
SEEN = '{"cases": [{"case_id": 8, "state": "resolved"}]}'


def call(name: str, arguments: dict[str, Any], result: str = "{}", is_error: bool = False) -> Turn:
    made = ToolCall(
        id="c", name=name, arguments=Json(json.dumps(arguments)), result=result, is_error=is_error
    )
    return Turn(text="", tool_calls=(made,))


def verdict(query: str = QUERY, expected: str = "1", actual: str = "0", **fields: Any) -> Verdict:
    texts: dict[str, Any] = {"expected": Json(expected), "actual": Json(actual), "comparison": "equals"}
    told: dict[str, Any] = {"name": "v", "kind": "database_state", "query": query, "passed_strict": False}
    return Verdict(**{**told, **texts, **fields})


def failed(*turns: Turn, answer: str = "All done.", **fields: Any) -> Episode:
    every: dict[str, Any] = {"outcome": "failure", "success_strict": False, "verdicts": (verdict(),)}
    return episode("x", turns=(*turns, Turn(text=answer)), **{**every, **fields})


LOOK = call("search_cases", {"q": "VPN"}, SEEN)


def test_a_value_that_another_record_had() -> None:
    (cause,) = causes_of(failed(LOOK, call("update_case", {"case_id": 7, "state": "resolved"})))
    at = cause.evidence
    assert (cause.kind, at.turn, at.call, at.column) == ("wrong_value", 1, 0, "state")
    assert (at.wanted, at.got) == ("closed", "resolved")
    assert "another record, shown by search_cases in turn 1" in cause.sentence


def test_what_a_wrong_refusal_speaks_of_is_told_with_its_turn() -> None:
    answer = "I cannot do that, since case 8 is resolved."
    first, *_ = causes_of(failed(LOOK, LOOK, answer=answer, outcome="over_refusal"))
    assert first.kind == "over_refusal" and first.evidence.turn == 2
    assert first.sentence.endswith("; what it speaks of was shown by search_cases in turn 2")


def test_another_record_than_the_one_meant() -> None:
    (cause,) = causes_of(failed(LOOK, call("update_case", {"case_id": 8, "state": "closed"})))
    assert (cause.kind, cause.evidence.wanted, cause.evidence.got) == ("wrong_record", "7", "8")


def test_what_was_never_written_and_a_tool_of_another_table() -> None:
    (cause,) = causes_of(failed(LOOK, call("create_user", {"state": "closed"})))
    assert (cause.kind, cause.evidence.turn) == ("missing_write", 2)


def test_a_call_refused_for_good_explains_what_is_missing() -> None:
    refused = call("update_case", {"case_id": 7, "state": "closed"}, "state: not allowed", is_error=True)
    first, then = causes_of(failed(refused, LOOK))
    assert (first.kind, first.consequence, first.evidence.turn) == ("unrepaired_call", False, 0)
    assert (then.kind, then.consequence) == ("missing_write", True)


def test_a_refused_call_that_came_through_later_is_no_cause() -> None:
    refused = call("update_case", {"case_id": 7}, "state is required", is_error=True)
    causes = causes_of(failed(refused, LOOK, call("update_case", {"case_id": 7, "state": "open"})))
    assert [cause.kind for cause in causes] == ["wrong_value"]


def test_a_refusal_stands_before_what_it_left_undone() -> None:
    answer = "I cannot close the case because it is locked. Ask Ana."
    lost = failed(LOOK, answer=answer, outcome="over_refusal")
    assert [(c.kind, c.consequence) for c in causes_of(lost)] == [
        ("over_refusal", False),
        ("missing_write", True),
    ]
    assert diagnosed(lost).causes == ("over_refusal", "missing_write")


@pytest.mark.parametrize(("expected", "actual", "kind"), [('"1"', "1", "faulty_verifier"), ("0", "1", None)])
def test_a_verifier_that_nothing_can_pass_is_the_tasks_fault(
    expected: str, actual: str, kind: str | None
) -> None:
    wrong = verdict(expected=expected, actual=actual)
    done = call("update_case", {"case_id": 7, "state": "closed"})
    causes = causes_of(failed(LOOK, done, verdicts=(wrong,)))
    assert [cause.kind for cause in causes] == [kind or "extra_write"]


def test_what_passed_or_was_not_judged_failed_for_nothing() -> None:
    assert causes_of(failed(LOOK, outcome="success")) == ()
    assert diagnosed(failed(LOOK, outcome="unverified")).causes is None


def test_a_query_that_cannot_be_read_tells_nothing() -> None:
    assert causes_of(failed(LOOK, verdicts=(verdict("SELEKT 1"),))) == ()


def test_running_out_of_turns_explains_what_is_missing() -> None:
    causes = causes_of(failed(LOOK, stop_reason="max_turns"))
    assert [(c.kind, c.consequence) for c in causes] == [("out_of_budget", False), ("missing_write", True)]


def test_a_write_before_any_look_up_explains_its_own_wrong_value_alone() -> None:
    wrong, right = ({"case_id": 7, "state": state} for state in ("open", "closed"))
    causes = causes_of(failed(call("update_case", wrong), LOOK))
    assert [(c.kind, c.consequence) for c in causes] == [("premature_step", False), ("wrong_value", True)]
    assert causes_of(failed(call("update_case", right), LOOK, verdicts=())) != causes


def test_what_the_benchmark_does_not_count_is_read_like_any_other_verdict() -> None:
    """Of one name the last alone counts; that the first failed is still the agent's fault."""
    verdicts = collapse([verdict(passed_parity=False), verdict(passed_parity=True, passed_strict=True)])
    assert "last verifier of a name" in str(verdicts[0].error)
    wrong = call("update_case", {"case_id": 7, "state": "open"})
    (cause,) = causes_of(failed(LOOK, wrong, verdicts=verdicts))
    assert (cause.kind, cause.evidence.verifier) == ("wrong_value", 0)


def test_a_result_that_is_not_known_blames_nobody() -> None:
    unjudged = verdict(kind="response_check", passed_strict=None, error="no judge model was given")
    unrecorded = verdict(kind="row_changes", passed_strict=None, error="not recorded")
    assert causes_of(failed(LOOK, verdicts=(unjudged, unrecorded))) == ()
    broken = replace(unjudged, passed_strict=False, error="no configuration")
    assert [c.kind for c in causes_of(failed(LOOK, verdicts=(broken,)))] == ["faulty_verifier"]


@pytest.mark.parametrize(("wanted", "passed"), [("12", 15), ("15", 12)])
def test_a_number_that_a_column_holds_is_no_count_of_rows(wanted: str, passed: int) -> None:
    shown = verdict("SELECT assigned_to FROM customer_case WHERE case_id = 7", wanted, str(passed))
    assigned = call("update_case", {"case_id": 7, "assigned_to": passed})
    (cause,) = causes_of(failed(LOOK, assigned, verdicts=(shown,)))
    at = cause.evidence
    assert (cause.kind, at.turn, at.call, at.wanted, at.got) == ("wrong_record", 1, 0, wanted, str(passed))


@pytest.mark.parametrize(("wanted", "kind"), [(9, "extra_write"), (11, "missing_write")])
def test_the_number_of_a_row_that_came_too_late_is_compared_as_one(wanted: int, kind: str) -> None:
    asked = verdict(f"SELECT COUNT(*) FROM customer_case WHERE customer_case_id = {wanted} AND state = 'new'")
    made = call("create_case", {"state": "new"}, '{"customer_case_id": 10}')
    (cause,) = causes_of(failed(LOOK, made, verdicts=(asked,)))
    assert (cause.kind, cause.evidence.got) == (kind, "10")


@pytest.mark.parametrize(("given", "asked"), [("true", "1"), ("1", "TRUE"), ("0", "FALSE")])
def test_a_truth_that_is_right_is_not_blamed_for_how_it_is_written(given: str, asked: str) -> None:
    assert Condition("t", "active", (asked,)).holds(given) and not Condition("t", "active", ("2",)).holds(
        given
    )


@pytest.mark.parametrize(
    "time", ["= '2026-01-05 10:00:00'", "LIKE '2026-01-05T10:%'", "= '2026-01-05T10:00Z'"]
)
def test_a_time_that_is_right_is_not_blamed_for_how_it_is_written(time: str) -> None:
    asked = verdict(
        f"SELECT COUNT(*) FROM customer_case WHERE due {time} AND priority = 'high' AND case_id = 7"
    )
    given = call("update_case", {"case_id": 7, "due": "2026-01-05T10:00:00Z", "priority": "low"})
    (cause,) = causes_of(failed(LOOK, given, verdicts=(asked,)))
    assert (cause.kind, cause.evidence.column) == ("wrong_value", "priority")


@pytest.mark.parametrize(
    "condition",
    [
        "(state = 'open' OR state = 'closed')",
        "(state LIKE '%shut%' OR state LIKE 'clo%' OR LOWER(state) LIKE '%dead%')",
        "(state = 'open' OR reason = 'spam')",
        "(state = 'open' OR state IS NULL)",
        "state NOT LIKE '%open%'",
        "NOT (state LIKE '%open%')",
        "state LIKE 'clo_ed\\%' ESCAPE '\\'",
        "LENGTH(state) = 6",
        "REPLACE(state, 'd', '') = 'close'",
        "SUBSTR(state, 1, 4) = 'clos'",
        "SUBSTR(state, 4, 2) = 'se'",
        "state IN ('open', 'clos' || 'ed')",
        "DATE(due) = '2026-03-05'",
        "SUBSTR(due, 1, 10) IN ('2026-03-06', '2026-03-05')",
        "DATE(due, '+1 day') = '2026-03-06'",
        "price = 100.0",
        "price = '100'",
        "(SELECT COUNT(DISTINCT state) FROM customer_case) = 4",
    ],
)
def test_a_right_value_is_not_blamed_for_how_the_query_asks(condition: str) -> None:
    asked = verdict(f"SELECT COUNT(*) FROM customer_case WHERE {condition} AND owner = 'Ana' AND case_id = 7")
    given = {"case_id": 7, "state": "closed", "due": "2026-03-05T10:00:00", "price": 100, "owner": "Ben"}
    (cause,) = causes_of(failed(LOOK, call("update_case", given), verdicts=(asked,)))
    assert (cause.kind, cause.evidence.column) == ("wrong_value", "owner")


@pytest.mark.parametrize(
    ("condition", "wanted"),
    [
        ("(state = 'open' OR state IN ('new', 'held'))", "open or new or held"),
        ("TRIM(LOWER(state)) = 'open'", "open"),
        ("CAST(COALESCE(state, '') AS TEXT) = 'open'", "open"),
        ("DATE(state) = '2026-03-05'", "2026-03-05"),
        ("SUBSTR(state, 1, 4) = 'open'", "open"),
    ],
)
def test_a_wrong_value_is_found_however_the_query_asks(condition: str, wanted: str) -> None:
    asked = verdict(f"SELECT COUNT(*) FROM customer_case WHERE {condition} AND case_id = 7")
    (cause,) = causes_of(
        failed(LOOK, call("update_case", {"case_id": 7, "state": "closed"}), verdicts=(asked,))
    )
    at = cause.evidence
    assert (cause.kind, at.column, at.wanted, at.got) == ("wrong_value", "state", wanted, "closed")


@pytest.mark.parametrize(("found", "wanted", "same"), [("1.50", "1.5", True), ("100", "10.0", False)])
def test_numbers_are_compared_as_numbers(found: str, wanted: str, same: bool) -> None:
    assert Condition("t", "price", (wanted,)).holds(found) is same
    assert not Condition("t", "number", ("7",)).holds("007")


@pytest.mark.parametrize(
    ("comparison", "bound", "found", "kind", "says"),
    [
        ("less_than", 1, 1, "extra_write", "1 rows with case_id=7, state=closed, not 0"),
        ("less_than", 2, 5, "extra_write", "5 rows with case_id=7, state=closed, not 1"),
        ("greater_than", 1, 1, "missing_write", "1 of 2 rows are there"),
        ("not_equals", 2, 2, "faulty_verifier", "compares by 'not_equals'"),
    ],
)
def test_a_bound_itself_does_not_pass(comparison: str, bound: int, found: int, kind: str, says: str) -> None:
    asked = verdict(expected=str(bound), actual=str(found), comparison=comparison)
    done = call("update_case", {"case_id": 7, "state": "closed"})
    (cause,) = causes_of(failed(LOOK, done, verdicts=(asked,)))
    assert cause.kind == kind and says in cause.sentence


@pytest.mark.parametrize(
    ("comparison", "given", "wanted"),
    [
        ("greater_than", 9, "greater than 10"),
        ("greater_than", 10, "greater than 10"),
        ("less_than", 11, "less than 10"),
        ("contains", 9, "10"),
    ],
)
def test_a_column_is_held_to_the_verifiers_comparison(comparison: str, given: int, wanted: str) -> None:
    query = "SELECT rank FROM customer_case WHERE case_id = 7"
    asked = verdict(query, '"10"' if comparison == "contains" else "10", str(given), comparison=comparison)
    (cause,) = causes_of(failed(LOOK, call("update_case", {"case_id": 7, "rank": given}), verdicts=(asked,)))
    at = cause.evidence
    assert (cause.kind, at.column, at.wanted, at.got) == ("wrong_value", "rank", wanted, str(given))


def test_what_meets_a_comparison_is_met() -> None:
    assert Condition("t", "rank", ("10",), "greater_than").holds("11")
    assert Condition("t", "rank", ("10",), "less_than").holds("9.5")
    assert Condition("t", "name", ("b",), "less_than").holds("a10")


@pytest.mark.parametrize(
    ("source", "turn", "origin"),
    [
        ("openai", 1, "the request, misread"),
        ("openai", 2, "invented"),
        ("eops-traj", 1, "invented"),
    ],
)
def test_what_the_user_said_by_then_is_the_request(source: str, turn: int, origin: str) -> None:
    wrong = call("update_case", {"case_id": 7, "state": "st-88"})
    turns = [LOOK, wrong, Turn(text="All done.")]
    turns[turn] = replace(turns[turn], nudge="Then make it st-88.")
    lost = replace(failed(LOOK, wrong), turns=tuple(turns), source=source)
    assert causes_of(lost)[0].evidence.origin == origin
