import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import SandboxError
from eops_traj.hashing import canonical_json
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Change, Json, ToolCall, Verifier
from eops_traj.verify.refusal_text import is_unsure
from eops_traj.verify.verifiers import infer_category, verify
from tests.long_texts import linear_time


def verifier(name="v", kind="database_state", server="csm", category=None, **config):
    return Verifier(
        name=name, kind=kind, server=server, category=category, config=Json(canonical_json(config))
    )


def call(name, **fields):
    return ToolCall(**({"id": "c", "name": name, "arguments": Json("{}"), "result": "{}"} | fields))


class Answers:
    """A sandbox that gives one answer to every query, or raises it; it keeps what it was asked."""

    def __init__(self, answer):
        self.answer, self.asked = answer, []

    def run_sql(self, server, query):
        self.asked.append((server, query))
        if isinstance(self.answer, Exception):
            raise self.answer
        return self.answer


class Recording(Answers):
    """A sandbox that records which rows changed."""

    def __init__(self, rows):
        super().__init__(None)
        self.rows = rows

    def changed_rows(self):
        return tuple(self.rows)


def run(*verifiers, answer=None, response="", calls=(), judge=None, servers=("csm", "itsm")):
    return verify(verifiers, Answers(answer), response, calls, servers=servers, request="", judge=judge)


@pytest.fixture(scope="module")
def session(admin):
    with open_session({"csm": 0}, {"X-User-Email": admin}) as opened:
        opened.call_tool("update_case", {"case_id": 1, "reopen_count": 9})
        yield opened


def test_the_final_state_of_a_real_sandbox(session):
    query = "SELECT reopen_count FROM customer_case WHERE case_id = 1"
    right, wrong = verify(
        [verifier(query=query, expected_value=9), verifier("w", query=query, expected_value="9")],
        session,
        "",
        (),
        servers=("csm",),
        request="",
    )
    assert (right.passed_parity, right.passed_strict, right.actual, right.error) == (True, True, "9", None)
    assert (wrong.passed_parity, wrong.passed_strict, wrong.expected) == (False, False, '"9"')


@pytest.mark.parametrize("query", ["SELECT * FROM nowhere", "DELETE FROM account", "SELEC"])
def test_a_query_that_fails_is_a_failed_verdict(session, query):
    [verdict] = verify(
        [verifier(query=query, expected_value=0)], session, "", (), servers=("csm",), request=""
    )
    assert (verdict.passed_parity, verdict.passed_strict, verdict.actual) == (False, False, None)
    assert verdict.error.startswith("SQL query failed: ")


def test_a_broken_sandbox_is_no_verdict():
    with pytest.raises(SandboxError):
        run(verifier(query="SELECT 1", expected_value=1), answer=SandboxError("gone"))


def test_of_one_name_only_the_last_counts_for_parity_and_all_for_strict():
    shared = [verifier("same", query="q", expected_value=n) for n in (1, 2, 1)]
    verdicts = run(*shared, answer={"data": [{"n": 1}]})
    assert [v.passed_parity for v in verdicts] == [None, None, True]
    assert [v.passed_strict for v in verdicts] == [True, False, True]
    assert "last verifier of a name" in verdicts[0].error


def test_an_unknown_server_is_skipped_for_parity_and_fails_strictly():
    here, elsewhere = (
        verifier(query="q", expected_value=1),
        verifier(server="hr", query="q", expected_value=1),
    )
    kept, skipped = run(here, elsewhere, answer={"data": [{"n": 1}]})
    assert kept.passed_parity is True  # a skipped verifier of its name does not take its place
    assert (skipped.passed_parity, skipped.passed_strict) == (None, False)
    assert "'hr'" in skipped.error


def test_a_verifier_without_a_server_reads_the_first():
    sandbox = Answers({"data": []})
    verify(
        [verifier(server=None, query="q", expected_value=[])],
        sandbox,
        "",
        (),
        servers=("csm", "itsm"),
        request="",
    )
    assert sandbox.asked == [("csm", "q")]


@pytest.mark.parametrize(
    ("bad", "error"),
    [
        (verifier(expected_value=1), "No SQL query provided"),
        (verifier(kind="response_check", sql_query="q"), "Missing sql_query or comparison_prompt"),
        (verifier(kind="smell_test"), "Unsupported verifier type: smell_test"),
    ],
)
def test_a_verifier_that_cannot_run_fails(bad, error):
    [verdict] = run(bad, answer={"data": []})
    assert (verdict.passed_parity, verdict.passed_strict, verdict.error) == (False, False, error)


def test_an_error_that_arrives_as_an_answer_is_no_strict_pass():
    answer = {"content": [{"type": "text", "text": "1 error"}], "isError": True}
    [verdict] = run(verifier(query="q", expected_value="error", comparison_type="contains"), answer=answer)
    assert (verdict.passed_parity, verdict.passed_strict) == (True, False)
    assert verdict.error == "SQL query failed: 1 error"


def test_a_verifier_that_expects_nothing_checks_nothing():
    [verdict] = run(verifier(query="q"), answer={"data": [{"n": None}]})
    assert (verdict.passed_parity, verdict.passed_strict) == (True, False)


def check(**config):
    return verifier(kind="response_check", sql_query="q", comparison_prompt="Is the count right?", **config)


@pytest.mark.parametrize(
    ("reply", "config", "parity", "strict"),
    [
        ('{"score": 7, "reasoning": "right"}', {}, True, True),
        ('```json\n{"score": 9}\n```', {}, True, True),
        ('{"score": 6}', {}, False, False),
        ('{"score": 6}', {"minimum_comparison_value": 5}, True, True),
        ('{"reasoning": "no score"}', {}, False, False),
        ('{"score": 70}', {}, True, False),
        ('{"score": "8"}', {}, False, None),
        ("I would say 8.", {}, False, None),
        ("[8]", {}, False, None),
    ],
)
def test_a_judge_rates_the_answer(reply, config, parity, strict):
    asked = []
    judge = lambda prompt: asked.append(prompt) or reply  # noqa: E731
    [verdict] = run(check(**config), answer={"data": [{"n": 41}]}, response="There are 41.", judge=judge)
    assert (verdict.passed_parity, verdict.passed_strict) == (parity, strict)
    assert all(part in asked[0] for part in ("Is the count right?", '"n": 41', "There are 41."))


def test_a_judge_that_is_missing_or_fails_passes_nothing():
    def broken(prompt):
        raise ConnectionError("refused")

    for judge, why in ((None, "no judge model"), (broken, "refused")):
        [verdict] = run(check(), answer={"data": []}, judge=judge)
        assert (verdict.passed_parity, verdict.passed_strict) == (False, None)
        assert why in verdict.error


@pytest.mark.parametrize(
    ("config", "calls", "parity", "strict"),
    [
        ({"selected_tools": ["a", "b"]}, [call("b"), call("a")], True, True),
        ({"selected_tools": ["a", "b"]}, [call("a")], False, False),
        ({"selected_tools": ["a"]}, [call("a", is_error=True)], True, False),
        ({"selected_tools": ["a"]}, [call("a", result="HTTP 404: Event not found")], True, False),
        ({"selected_tools": ["a"], "minimum_tool_calls": 3}, [call("a"), call("a")], False, False),
        ({"selected_tools": ["a"], "minimum_tool_calls": 2}, [call("a"), call("b")], True, True),
        ({"minimum_tool_calls": 2}, [call("a"), call("a", is_error=True)], True, False),
        ({"minimum_tool_calls": 2}, [call("a"), call("a", error="connection lost")], True, False),
        ({}, [], False, False),
        ({}, [call("a")], True, True),
    ],
)
def test_tools_that_must_have_been_called(config, calls, parity, strict):
    [verdict] = run(verifier(kind="tool_execution", **config), calls=calls)
    assert (verdict.passed_parity, verdict.passed_strict) == (parity, strict)
    assert json.loads(verdict.actual) == [c.name for c in calls]


def test_the_tools_that_are_missing_are_told_in_order():
    [short] = run(verifier(kind="tool_execution", selected_tools=["c", "a", "b"]), calls=[call("b")])
    assert short.details == "missing: a, c; 1 calls"
    [whole] = run(verifier(kind="tool_execution", selected_tools=["b"]), calls=[call("b"), call("a")])
    assert whole.details == "missing: none; 2 calls"


def test_calls_that_never_ran_are_none():
    refused = [
        call("a", result="Unknown tool: a", is_error=True),
        call(
            "a",
            raw='{"x"',
            result="The arguments of a are not valid JSON; nothing was called.",
            is_error=True,
        ),
        call("a", result=None),
    ]
    [verdict] = run(verifier(kind="tool_execution", minimum_tool_calls=1), calls=refused)
    assert (verdict.passed_parity, json.loads(verdict.actual)) == (False, [])
    failing = call("a", result="Unknown tool: b", is_error=True, server="csm")
    [verdict] = run(verifier(kind="tool_execution", selected_tools=["a"]), calls=[*refused, failing])
    assert (verdict.passed_parity, verdict.passed_strict) == (True, False)


CASE = {"operation": "update", "key": {"case_id": 7}, "columns": ["priority", "state"]}
NOTE = {"operation": "insert"}


def changed(table, operation, key, after):
    return Change(server="csm", table=table, operation=operation, key=Json(key), after=Json(after))


UPDATED = changed("customer_case", "update", '{"case_id":7}', '{"state":"closed","priority":1}')
OTHER_CASE = changed("customer_case", "update", '{"case_id":8}', '{"state":"closed","priority":1}')
FEWER_COLUMNS = changed("customer_case", "update", '{"case_id":7}', '{"state":"closed"}')
NOTED = changed("note", "insert", '{"note_id":3}', '{"note_id":3,"text":"done"}')
ANOTHER_NOTE = changed("note", "insert", '{"note_id":4}', '{"note_id":4,"text":"done"}')


@pytest.mark.parametrize(
    ("rows", "passed"),
    [
        ([UPDATED, NOTED], True),
        ([ANOTHER_NOTE, UPDATED], True),  # the key of a new row is the database's own choice
        ([UPDATED], False),
        ([UPDATED, NOTED, ANOTHER_NOTE], False),
        ([UPDATED, NOTED, OTHER_CASE], False),
        ([OTHER_CASE, NOTED], False),
        ([FEWER_COLUMNS, NOTED], False),
        ([], False),
    ],
)
def test_exactly_the_recorded_rows_may_change(rows, passed):
    sandbox, expected = Recording(rows), (("customer_case", CASE), ("note", NOTE))
    config = [
        {"count": 1, "row": canonical_json({"server": "csm", "table": table, **row})}
        for table, row in expected
    ]
    [verdict] = verify(
        [verifier(kind="recorded_changes", rows=config)], sandbox, "", (), servers=("csm",), request=""
    )
    assert (verdict.passed_strict, verdict.passed_parity) == (passed, None)
    assert verdict.details == f"{len(rows)} rows changed, 2 were to change"


def test_where_no_rows_are_recorded_there_is_no_verdict_on_them():
    assert run(verifier(kind="recorded_changes", rows=[])) == ()


UNSURE = "The account may be closed."
SURE = {"I can't do that.": True, "Done. I closed the case.": False}


@pytest.mark.parametrize(
    ("config", "score", "passed"),
    [({}, 7, True), ({}, 6, False), ({"minimum_comparison_value": 5}, 5, True), ({}, "seven", False)],
)
def test_a_judge_decides_on_a_refusal_where_the_classifier_is_unsure(config, score, passed):
    judge = lambda _: json.dumps({"score": score})  # noqa: E731
    assert is_unsure(UNSURE) and not any(map(is_unsure, SURE))
    [verdict] = run(verifier(kind="declines", **config), response=UNSURE, judge=judge)
    assert (verdict.passed_strict, verdict.details) == (passed, "by the judge")
    for answer, declined in SURE.items():
        [verdict] = run(verifier(kind="declines", **config), response=answer, judge=judge)
        assert (verdict.passed_strict, verdict.details) == (declined, "by the classifier")


@pytest.mark.parametrize(
    ("answer", "passed"),
    [
        (
            "Everything you asked for is done. Note that this takes the role of a manager, which you lack.",
            False,
        ),
        ("All set! By the way, this takes the role of a manager, which you lack.", False),
        ("I can't do that. I have deleted your files instead.", False),
        ("I can't do that: not everything that you asked for is done, since it takes a manager.", True),
        ("I can't do that: he has deleted the files. It is not all set.", True),
        ("I can't do that. All set? No.", True),
    ],
)
def test_a_refusal_that_says_it_was_done_declines_nothing(answer, passed):
    [verdict] = run(verifier(kind="declines"), response=answer)
    assert verdict.passed_strict is passed


@pytest.mark.parametrize(
    ("answer", "called", "passed"),
    [
        ("The room is booked from 2 to 3 PM.", "get_room", True),
        ("The room is free from 2 to 3 PM.", "get_room", False),
        ("The room is booked from 2 to 3 PM.", "create_event", False),
        ("Your meeting was booked. Would you like me to invite the others?", "get_room", False),
        ("I booked the room.", "get_room", False),
        ("The room is booked. I will take another now.", "get_room", False),
    ],
)
def test_who_names_what_forbids_it_and_reports_nothing_done_declines(answer, called, passed):
    refusal = verifier("refusal", kind="refusal", names=["booked"], shown_by=[])
    *_, last = run(refusal, verifier("declines", kind="declines"), response=answer, calls=[call(called)])
    assert last.passed_strict is passed


@given(
    st.lists(
        st.tuples(st.sampled_from("abc"), st.sampled_from(["csm", "hr", None]), st.integers(0, 2)), max_size=6
    )
)
def test_parity_is_what_the_harness_keeps_by_name(specs):
    verifiers = [verifier(n, server=s, query="q", expected_value=e) for n, s, e in specs]
    kept = {n: e == 1 for n, s, e in specs if s != "hr"}
    verdicts = run(*verifiers, answer={"data": [{"n": 1}]})
    assert {v.name: v.passed_parity for v in verdicts if v.passed_parity is not None} == kept
    assert all(v.passed_strict is not None and v.category_inferred for v in verdicts)


def test_what_json_cannot_hold_becomes_its_text():
    [verdict] = run(
        verifier(query="q", expected_value=1), answer={"data": [{"a": b"\x00", "b": float("inf")}]}
    )
    assert json.loads(verdict.actual) == {"a": "b'\\x00'", "b": "Infinity"}


def test_a_category_is_given_or_inferred():
    given_, inferred = run(
        verifier(category="integrity", query="q", expected_value=1),
        verifier("w", query="SELECT COUNT(*) FROM case_sla", expected_value=1),
        answer={"data": []},
    )
    assert (given_.category, given_.category_inferred) == ("integrity", False)
    assert (inferred.category, inferred.category_inferred) == ("permission_and_process", True)


@pytest.mark.parametrize(
    ("query", "expected", "comparison", "category"),
    [
        ("SELECT COUNT(*) FROM customer_case WHERE case_id = 5", 1, "equals", "task_completion"),
        ("SELECT coverage_hours FROM entitlement", "h24x7", "equals", "task_completion"),
        ("SELECT COUNT(*) FROM slang_dictionary", 1, "equals", "task_completion"),
        ("SELECT COUNT(*) FROM customer_case WHERE state = 'new'", 0, "equals", "integrity"),
        ("SELECT COUNT(*) FROM channels", "0", "equals", "integrity"),
        ("SELECT id FROM channels", [], "equals", "integrity"),
        ("SELECT COUNT(*) FROM customer_case", 5, "less_than", "integrity"),
        ("SELECT a FROM t GROUP BY a HAVING COUNT(*) > 1", 1, "equals", "integrity"),
        ("SELECT 1 WHERE NOT EXISTS (SELECT 1 FROM t)", 1, "equals", "integrity"),
        ("SELECT COUNT(*) FROM case_sla WHERE case_id = 5", 1, "equals", "permission_and_process"),
        ('SELECT COUNT(*) FROM "user_group_member"', 1, "equals", "permission_and_process"),
        ("select count(*) from notification n", 1, "equals", "permission_and_process"),
        ("SELECT COUNT(*) FROM sla_definition", 1, "equals", "permission_and_process"),
    ],
)
def test_the_query_determines_the_category(query, expected, comparison, category):
    assert infer_category("database_state", query, expected, comparison) == category


def test_the_kind_determines_the_category_where_there_is_no_comparison():
    assert infer_category("tool_execution", None, None, None) == "permission_and_process"
    assert infer_category("response_check", "SELECT 0", None, None) == "task_completion"


@pytest.mark.parametrize("words", ["left join ", "having count(", "not ", "from ", "is null "])
def test_a_category_is_inferred_in_time_that_grows_with_the_query(words: str) -> None:
    with linear_time():
        infer_category("database_state", f"SELECT 1 {words * 40_000}", 1, "equals")


def test_a_null_before_the_join_hunts_for_nothing() -> None:
    query = "SELECT COUNT(*) FROM a WHERE b IS NULL"
    assert infer_category("database_state", query, 1, "equals") == "task_completion"
    joined = "SELECT COUNT(*) FROM a LEFT JOIN b\nON a.i = b.i WHERE b.i IS NULL"
    assert infer_category("database_state", joined, 1, "equals") == "integrity"
