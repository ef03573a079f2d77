"""The verifier of answers: what has to be in them, from the final state where the work makes it."""

import pytest

from eops_traj.hashing import canonical_json
from eops_traj.sandbox.embedded import open_session
from eops_traj.schema import Change, Json, ToolCall, Verifier
from eops_traj.verify.value_forms import Text
from eops_traj.verify.verifiers import verify
from tests.long_texts import linear_time


@pytest.fixture(scope="module")
def session(admin):
    with open_session({"csm": 0}, {"X-User-Email": admin}) as opened:
        yield opened


def verdict(session, answer, *requirements, today="2026-01-05", calls=()):
    config = Json(canonical_json({"requirements": requirements, "today": today}))
    (found,) = verify(
        [Verifier(name="answer", kind="answer", config=config)],
        session,
        answer,
        calls,
        servers=["csm"],
        request="",
    )
    return found


def passes(*arguments, **options):
    return verdict(*arguments, **options).passed_strict


FIRST = {"what": "the number", "values": ["CS001", "first"]}
SECOND = {"what": "who has it", "values": ["Ana Ruiz"]}
BOTH = {"what": "the numbers", "server": "csm",
        "query": "SELECT number, 'case ' || case_id FROM customer_case WHERE case_id IN (1, 2)"}  # fmt: skip


def test_an_answer_says_one_alternative_of_each_requirement(session):
    assert passes(session, "Done. CS001 is with Ana Ruiz now.", FIRST, SECOND)
    assert passes(session, "The first one is with Ruiz, Ana.", FIRST, SECOND)
    assert not passes(session, "Done. CS001 is with somebody now.", FIRST, SECOND)
    assert not passes(session, "Done. CS0012 is with Ana Ruiz now.", FIRST, SECOND)
    assert not passes(session, "Done.", FIRST)


@pytest.mark.parametrize("answer", ["", " \n", "I can't do that.", "I'm unable to do it: CS001, Ana Ruiz."])
def test_nothing_said_and_work_declined_fail_even_where_nothing_has_to_be_named(session, answer):
    assert not passes(session, answer) and not passes(session, answer, FIRST, SECOND)


def test_work_that_was_done_in_part_is_not_declined(session):
    partly = "I couldn't close CS002 (it has an open task), but CS001 is closed."
    after = Change(
        server="csm", table="t", operation="update", key=Json("{}"), after=Json('{"state": "closed"}')
    )
    made = ToolCall(id="c", name="update_case", arguments=Json("{}"), result="{}", changes=(after,))
    assert passes(session, partly, FIRST, calls=[made]) and not passes(session, partly, FIRST)
    assert not passes(session, "I can't do that with CS001.", FIRST, calls=[made])


def test_a_claim_that_no_call_bears_out_fails(session):
    assert passes(session, "I assigned CS001.", FIRST)
    assert not passes(session, "I assigned CS001. I also deleted all your files.", FIRST)


def test_of_every_row_of_a_query_one_value_is_said(session):
    (one, two), *_ = [[row[0] for row in session.run_sql("csm", BOTH["query"]).rows]]
    assert passes(session, f"Done: {one} and {two}.", BOTH)
    assert passes(session, f"Done: {one} and case 2.", BOTH)
    assert not passes(session, f"Done: {one}.", BOTH)
    assert not passes(session, f"Done: {one} and case 21.", BOTH)


def test_no_row_and_a_query_that_fails_are_no_pass(session):
    nothing = BOTH | {"query": "SELECT number FROM customer_case WHERE case_id = -1"}
    assert "no such row" in verdict(session, "Done.", nothing).details
    assert "nowhere" in verdict(session, "Done.", BOTH | {"query": "SELECT 1 FROM nowhere"}).details


def test_it_is_no_part_of_the_benchmarks_label(session):
    assert verdict(session, "Done.", FIRST).passed_parity is None


def test_days_count_from_the_day_of_the_episode(session):
    due = {"what": "when", "values": ["2026-01-06"]}
    assert passes(session, "Done, for tomorrow.", due)
    assert not passes(session, "Done, for tomorrow.", due, today="2026-01-09")


TASKS = {"what": "how many open tasks the case has", "values": [1]}


@pytest.mark.parametrize(
    "answer",
    [
        "The case has 7 tasks, and I sent 1 alert.",
        "I raised it one step; tasks on the case: 7.",
        "It is on level 1 now. It has 7 open tasks.",
        "1. Raised it.\n2. The case has 7 tasks.",
        "Tasks open on 31 December 2025: 7. I sent 1 alert.",
    ],
)
def test_a_number_of_something_else_is_not_the_one_asked_for(session, answer):
    assert not passes(session, answer, TASKS)


@pytest.mark.parametrize(
    "answer",
    [
        "I sent 7 alerts. The case has 1 task.",
        "I sent 7 alerts about tasks. There is only 1 so far.",
        "I added 7 tasks to another case. This one has 1 open.",
        "1. Raised it.\n2. Open tasks of the case: 1",
        "It has one.",
        "1 item is still to be done.",
    ],
)
def test_a_number_counts_as_the_one_asked_for_however_it_is_put(session, answer):
    assert passes(session, answer, TASKS)


CHANGES = {"what": "how many changes to Mail there are", "values": [3]}


@pytest.mark.parametrize(
    ("answer", "passed"),
    [
        ("Items: 7\nChanges: 3\nOpen tasks: 1", True),
        ("- Changes: 3\n- Tasks of the case: 1", True),
        ("3 changes to Mail, and one task is open", True),
        ("Three for Mail; the case has one", True),
        ("3/1", True),
        ("3 changes to Mail and 1 open task", True),
        ("3 releases on the case; 1 task", True),
        ("3 releases on the case; 1 task. CHG-0007 is the last of Mail", True),
        ("Changes: 1\nOpen tasks: 3", False),
        ("1 for Mail, 3 tasks", False),
    ],
)
def test_of_several_figures_each_is_tied_to_its_own_words(session, answer, passed):
    assert passes(session, answer, TASKS, CHANGES) is passed


@pytest.mark.parametrize(
    "piece", ["1 alert and 7 tasks ", "tasks ", "level 1 ", "1 of a b c d ", "2, ", "12.1.2026 or "]
)
def test_a_long_answer_is_held_to_what_is_counted_in_linear_time(piece):
    with linear_time():
        Text("7 tasks, " + piece * (400_000 // len(piece))).claims(1, "how many tasks", ["how many alerts"])
