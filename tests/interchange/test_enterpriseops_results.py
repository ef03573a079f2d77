from eops_traj.hashing import canonical_json
from eops_traj.interchange.enterpriseops_results import recorded_verdicts
from eops_traj.schema import Json, Verifier
from eops_traj.verify.outcome import labels
from tests.real import real_episodes

PASSED = {
    "passed": True,
    "expected": 1,
    "actual": 1,
    "comparison_type": "equals",
    "query": "q",
    "details": "1 vs 1",
}


def verifier(name, server="csm", query="q", kind="database_state"):
    return Verifier(name=name, kind=kind, server=server, config=Json(canonical_json({"query": query})))


def test_of_one_name_the_last_verifier_left_the_result():
    verdicts = recorded_verdicts(
        [verifier("a", query="1"), verifier("b"), verifier("a", query="2")], {"a": PASSED, "b": PASSED}
    )
    assert [(v.passed_parity, v.passed_strict) for v in verdicts] == [
        (None, None),
        (True, True),
        (True, True),
    ]
    assert verdicts[0].query == "1" and verdicts[0].error.startswith("not recorded: ")


def test_a_verifier_s_own_name_is_no_repeat_of_another():
    failed = PASSED | {"passed": False}
    verdicts = recorded_verdicts(
        [verifier("a"), verifier("a"), verifier("a_1")], {"a": PASSED, "a_1": failed}
    )
    assert [v.passed_parity for v in verdicts] == [None, True, False]


def test_a_collision_is_where_parity_and_strict_part():
    verdicts = recorded_verdicts([verifier("a"), verifier("a")], {"a": PASSED})
    scored = labels(verdicts)
    assert (scored.success_parity, scored.success_strict) == (True, False)
    assert (scored.verifier_pass_parity, scored.verifier_pass_strict) == (1.0, 0.5)


def test_without_the_task_each_result_is_a_verdict():
    results = {
        "db": PASSED,
        "judged": {
            "passed": True,
            "score": 8,
            "minimum_score": 7,
            "reasoning": "agrees",
            "sql_result": "[]",
            "llm_response": "x",
        },
        "tools": {
            "passed": False,
            "selected_tools": ["a"],
            "tools_called": [],
            "missing_tools": ["a"],
            "minimum_tool_calls": 1,
        },
        "failed": {"passed": False, "error": "SQL query failed: no such table"},
    }
    database, judged, tools, failed = recorded_verdicts(None, results)
    assert (database.kind, database.query, database.expected, database.actual) == (
        "database_state",
        "q",
        "1",
        "1",
    )
    assert (judged.kind, judged.actual, judged.expected, judged.details) == (
        "response_check",
        "8",
        "7",
        "agrees",
    )
    assert (tools.kind, tools.expected, tools.actual, tools.passed_strict) == (
        "tool_execution",
        '["a"]',
        "[]",
        False,
    )
    assert (failed.passed_parity, failed.passed_strict, failed.actual) == (False, False, None)


def test_a_verifier_of_an_unknown_server_left_no_result():
    here, elsewhere = recorded_verdicts(
        [verifier("a"), verifier("a", server="hr")], {"a": PASSED}, servers=["csm"]
    )
    assert here.passed_parity is True
    assert (elsewhere.passed_parity, elsewhere.passed_strict) == (None, False)


def test_a_result_that_no_verifier_names_is_kept():
    verdicts = recorded_verdicts([verifier("a")], {"b": PASSED})
    assert [(v.name, v.passed_parity) for v in verdicts] == [("a", None), ("b", True)]


def test_a_judge_that_failed_leaves_strict_unknown():
    failed = {"passed": False, "error": "Judge comparison failed: timeout"}
    [verdict] = recorded_verdicts([verifier("a", kind="response_check")], {"a": failed})
    assert (verdict.passed_parity, verdict.passed_strict) == (False, None)


def test_a_pass_that_is_no_evidence_is_no_strict_pass():
    lucky = {**PASSED, "comparison_type": "contains", "expected": "state", "actual": {"state": "new"}}
    [verdict] = recorded_verdicts(None, {"a": lucky})
    assert (verdict.passed_parity, verdict.passed_strict) == (True, False)


def test_the_real_files_have_no_collision_and_so_no_difference(shared):
    for episode in real_episodes(shared).values():
        assert [v.passed_strict for v in episode.verdicts] == [v.passed_parity for v in episode.verdicts]
        assert episode.success_strict == episode.success_parity
