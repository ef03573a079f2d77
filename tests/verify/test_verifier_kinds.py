"""What the kinds of verifiers say of themselves, and of their verdicts to the benchmark's result files."""

from typing import Any

import pytest

from eops_traj.schema import Json, Verdict, json_of
from eops_traj.verify.verifier_kinds import KINDS, is_judged, kind_of, kind_of_result

BENCHMARKS = {"database_state", "response_check", "tool_execution"}


def verdict(kind: str, expected: Any = None, actual: Any = None, **more: Any) -> Verdict:
    values = {"expected": expected, "actual": actual}
    given = {name: json_of(value) for name, value in values.items() if value is not None}
    return Verdict(name="v", kind=kind, config=Json("{}"), **given, **more)


def written(kind: str, expected: Any = None, actual: Any = None, **more: Any) -> dict[str, Any]:
    return kind_of(kind).harness_result(verdict(kind, expected, actual, **more))


def test_all_but_the_benchmarks_kinds_are_for_the_strict_label_alone() -> None:
    assert {name for name, kind in KINDS.items() if not kind.strict_only} == BENCHMARKS


def test_which_kinds_need_a_query_and_which_compare_its_value() -> None:
    assert {name for name, kind in KINDS.items() if kind.needs_query} == {"database_state", "response_check"}
    assert {name for name, kind in KINDS.items() if kind.compares} == {"database_state"}


def test_an_unknown_kind_asks_for_nothing() -> None:
    kind = kind_of("smell_test")
    assert not (kind.strict_only or kind.needs_query or kind.compares) and kind.judge == "never"


@pytest.mark.parametrize(
    ("kind", "details", "judged"),
    [
        ("response_check", "whatever it said", True),
        ("declines", "by the judge", True),
        ("declines", "by the classifier", False),
        ("declines", None, False),
        ("database_state", "by the judge", False),
        ("smell_test", "by the judge", False),
    ],
)
def test_a_judge_decided_where_it_always_does_or_had_to(kind: str, details: str, judged: bool) -> None:
    assert is_judged(verdict(kind, details=details)) is judged


def test_a_comparison_is_written_with_both_values() -> None:
    result = written("database_state", 5, 4, comparison="equals", query="q", details="d")
    assert result == {
        "expected": 5, "actual": 4, "comparison_type": "equals", "query": "q", "details": "d"
    }  # fmt: skip
    nothing = written("database_state")
    assert (nothing["expected"], nothing["actual"]) == (None, None)


def test_a_rating_is_written_with_its_bound() -> None:
    result = written("response_check", 7, 9, details="agrees")
    assert result == {"score": 9, "minimum_score": 7, "reasoning": "agrees"}
    nothing = written("response_check", details="no judge")
    assert (nothing["score"], nothing["minimum_score"]) == (None, None)


def test_tools_are_written_with_those_that_are_missing() -> None:
    wanted = {"selected_tools": ["a", "b"], "minimum_tool_calls": 3}
    assert written("tool_execution", wanted, ["b", "c"]) == {
        "selected_tools": ["a", "b"], "tools_called": ["b", "c"], "missing_tools": ["a"],
        "minimum_tool_calls": 3, "actual_tool_calls": 2,
    }  # fmt: skip


def test_one_call_is_enough_where_an_older_verdict_lists_the_tools_alone() -> None:
    result = written("tool_execution", ["a"], ["a"])
    assert (result["selected_tools"], result["missing_tools"], result["minimum_tool_calls"]) == (["a"], [], 1)


@pytest.mark.parametrize(
    ("kind", "keys"),
    [
        ("response_check", {"minimum_score": 7}),
        ("tool_execution", {"selected_tools": []}),
        ("database_state", {}),
    ],
)
def test_a_result_tells_its_kind_by_its_keys(kind: str, keys: dict[str, Any]) -> None:
    assert kind_of_result({"passed": True, **keys}) == kind
