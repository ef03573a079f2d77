"""What follows from an earlier error, and look-alikes that are errors of their own."""

import json
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.causes.find import causes_of
from eops_traj.causes.references import refers
from eops_traj.schema import Json, Verdict
from tests.causes.test_find import LOOK, call, failed
from tests.causes.test_meant_rows import OWN, found, update
from tests.verify.test_row_changes import changed, insert, new

ARGUMENTS = {"case_id": 7, "state": "open"}


def kinds(causes: Any) -> list[tuple[str, bool]]:
    return [(cause.kind, cause.consequence) for cause in causes]


@pytest.mark.parametrize(
    ("answer", "stopped"),
    [
        ("I made the first change, but could not finish the others.", True),
        ("The work stopped at step 4 and is not finished.", True),
        ("I was unable to complete the rest of it.", True),
        ("I can't get any further here: $7: step 7 has no result.", True),
        ("I can’t proceed with the second: $3.", True),
        ("It can't be put any later, so I set the next day.", False),
        ("The order is not finished yet, and I noted that.", False),
        ("I set the case to complete, which did not need a note.", False),
    ],
)
def test_an_answer_that_tells_of_work_left_undone_ends_it(answer: str, stopped: bool) -> None:
    done = call("update_case", {"case_id": 7, "note": "x"})
    causes = causes_of(failed(LOOK, done, answer=answer))
    assert ("stopped_early" in [cause.kind for cause in causes]) is stopped


def test_the_sentence_that_tells_of_the_stop_is_the_one_that_is_quoted() -> None:
    answer = "I looked it up.\nWhat I could not complete: the transfer.\nWhich group is it?"
    (cause, *_) = causes_of(failed(LOOK, call("update_case", {"case_id": 7, "note": "x"}), answer=answer))
    assert cause.kind == "stopped_early" and "“What I could not complete: the transfer.”" in cause.sentence


def test_what_stopped_it_after_a_wrong_early_step_follows_from_that() -> None:
    early = call("update_case", ARGUMENTS)
    causes = causes_of(failed(early, LOOK, answer="The work stopped at step 3 and is not finished."))
    assert kinds(causes)[:3] == [("premature_step", False), ("wrong_value", True), ("stopped_early", True)]
    later = causes_of(failed(LOOK, early, answer="The work stopped at step 3 and is not finished."))
    assert ("stopped_early", False) in kinds(later)


def test_a_row_too_many_that_a_wrong_call_made_beside_it_follows_from_that() -> None:
    rows = [new("a", id=OWN, owner_id=4)]
    wrong = ({"owner_id": 5}, [insert("a", 8, owner_id=5), insert("b", 9, note="made with it")])
    assert kinds(found(rows, wrong)) == [("wrong_record", False), ("extra_write", True)]
    apart = ({}, [insert("b", 9, note="made by another call")])
    assert kinds(found(rows, ({"owner_id": 5}, [insert("a", 8, owner_id=5)]), apart))[-1] == (
        "extra_write",
        False,
    )


def test_a_row_of_another_record_is_told_from_where_it_was_first_changed() -> None:
    rows = [changed("a", 1, state="shut")]
    first, then = (
        ({"id": 2, "state": "shut"}, [update("a", 2, state="shut")]),
        ({}, [update("a", 2, etag="x")]),
    )
    (cause,) = found(rows, first, then)
    assert (cause.kind, cause.evidence.turn) == ("wrong_record", 1)


def test_what_a_wrong_record_was_then_given_follows_from_it() -> None:
    rows = [changed("a", 1, state="shut"), changed("b", 5, note="as told", mark="y")]
    wrong = ({"a_id": 2, "state": "shut"}, [update("a", 2, state="shut")])
    given = ({"a_id": 2, "note": "as told"}, [update("b", 6, note="as told", mark="y")])
    assert kinds(found(rows, wrong, given)) == [("wrong_record", False), ("wrong_record", True)]
    another = ({"a_id": 3, "note": "as told"}, [update("b", 6, note="as told", mark="y")])
    assert kinds(found(rows, wrong, another)) == [("wrong_record", False), ("wrong_record", False)]


def test_the_same_change_made_twice_was_meant_for_another_record() -> None:
    rows = [changed("a", 1, active=0), changed("a", 2, active=0)]
    off = {"a_id": 2, "active": 0}
    once = (off, [update("a", 2, active="0")])
    twice = found(rows, once, (off, [update("a", 2, etag="x")]))
    assert ("wrong_record", '{"id": 1}') in [
        (c.kind, (c.evidence.row or "").removeprefix("a ")) for c in twice
    ]
    assert "wrong_record" not in [c.kind for c in found(rows, once)]


def test_what_was_not_given_yet_follows_from_the_end() -> None:
    rows = [new("a", id=OWN, name="x", owner_name="y")]
    made = [insert("a", 8, name="x")]
    assert kinds(found(rows, ({"name": "x"}, made))) == [("wrong_value", False)]
    ended = found(rows, ({"name": "x"}, made), answer="I will now fill in the rest.")
    assert kinds(ended) == [("wrong_value", True), ("stopped_early", False)]


def test_a_column_that_the_schema_says_refers_to_another_table_names_a_record() -> None:
    assert refers("hr", "hr_case", "hr_service")
    assert refers("sn-hr-internal", "hr_case", "hr_service")
    assert not refers("hr", "hr_case", "priority")
    assert refers("nobody's", "thing", "owner_id") and not refers("nobody's", "thing", "hr_service")


def test_an_early_right_step_explains_a_stop_only_where_its_row_was_met() -> None:
    rows = [new("a", id=OWN, name="x"), new("b", id=OWN, name="z")]
    early = ({"name": "x"}, [insert("a", "row-80012", name="x")])
    unfinished = "The work stopped at step 3 and is not finished."
    causes = found(rows, early, answer=unfinished, look_last='{"a": [{"id": "row-80012"}]}')
    assert kinds(causes)[:2] == [("premature_step", False), ("stopped_early", True)]
    causes = found(rows, early, answer=unfinished, look_last='{"a": [{"id": "row-90099"}]}')
    assert kinds(causes)[0] == ("stopped_early", False)


def test_a_stop_before_anything_was_looked_up_follows_from_the_early_step() -> None:
    rows = [new("a", id=OWN, name="x"), new("b", id=OWN, name="z")]
    early = ({"name": "x"}, [insert("a", "row-80012", name="x")])
    causes = found(rows, early, answer="I can't get any further here.", looks=False)
    assert kinds(causes) == [("premature_step", False), ("stopped_early", True), ("missing_write", True)]
    claimed = found(rows, early, answer="Done.", looks=False)
    assert kinds(claimed) == [("missing_write", False)]


def test_a_wrong_effect_is_told_at_the_call_that_passed_it() -> None:
    told = Verdict(name="told", kind="effects", details="notify is 'none', not 'all'", passed_strict=False)
    asked, named = call("update_case", {"notify": "none"}), call("update_case", {"notify": "all"})
    (cause,) = causes_of(failed(LOOK, named, asked, verdicts=(told,)))
    at = cause.evidence
    assert (cause.kind, at.turn, at.call, at.column, at.got) == ("missing_effect", 2, 0, "notify", "none")
    (unknown,) = causes_of(failed(LOOK, named, verdicts=(told,)))
    assert (unknown.kind, unknown.evidence.turn, unknown.evidence.call) == ("missing_effect", 2, None)
    assert kinds(causes_of(failed(asked, LOOK, verdicts=(told,)))) == [("missing_effect", False)]
    early = causes_of(failed(asked, LOOK, verdicts=(told,), answer="The work is not finished."))
    assert kinds(early) == [("premature_step", False), ("missing_effect", True), ("stopped_early", True)]


def test_what_is_missing_follows_from_a_wrong_early_step_until_something_was_looked_up() -> None:
    rows = [new("a", id=OWN, name="x"), new("b", id=OWN, name="z")]
    wrong = ({"name": "y"}, [insert("a", "row-80012", name="y")])
    assert ("missing_write", True) in kinds(found(rows, wrong, looks=False))
    causes = kinds(found(rows, wrong, look_last="{}"))
    assert causes[0] == ("premature_step", False) and ("missing_write", False) in causes


def test_what_an_early_step_left_in_the_row_that_it_wrote_follows_from_it() -> None:
    rows = [changed("a", 1, state="shut", told="yes")]
    early = ({"id": 1, "note": "open"}, [update("a", 1, state="open")])
    causes = kinds(found(rows, early, look_last="{}"))
    assert causes[0] == ("premature_step", False) and ("missing_write", True) in causes
    elsewhere = [*rows, changed("b", 2, told="yes", state="new")]
    partly = ({"id": 2, "state": "new"}, [update("b", 2, state="new")])
    causes = kinds(found(elsewhere, early, partly, look_last="{}"))
    assert [kind for kind, follows in causes if kind == "missing_write" and not follows] == ["missing_write"]


def test_a_row_that_an_early_step_wrote_and_nobody_removed_is_an_error_of_its_own() -> None:
    removed = {"server": "s", "table": "a", "operation": "delete", "key": {"id": 1}, "columns": {}}
    early = ({"id": 1, "note": "open"}, [update("a", 1, state="open")])
    assert ("missing_write", False) in kinds(found([removed], early, look_last="{}"))


def test_an_announcement_claims_nothing_where_a_task_had_to_be_declined() -> None:
    undone = {"outcome": "false_success", "feasible": False, "verdicts": ()}
    told = "Let me get on with it and look up the incident."
    assert kinds(causes_of(failed(LOOK, answer=told, **undone))) == [("stopped_early", False)]
    assert kinds(causes_of(failed(LOOK, answer="It is all done.", **undone))) == [("false_claim", False)]


def test_a_list_of_fewer_entries_lacks_one_and_of_as_many_has_a_wrong_one() -> None:
    rows = [new("a", id=OWN, members={"list": ["ann", "bea"]})]
    fewer, other = ([insert("a", 5, members=json.dumps(names))] for names in (["ann"], ["ann", "cy"]))
    assert kinds(found(rows, ({"n": 1}, fewer))) == [("missing_write", False)]
    assert kinds(found(rows, ({"n": 1}, other))) == [("wrong_value", False)]


def test_a_short_text_that_was_meant_names_no_missing_row() -> None:
    rows = [changed("a", 1, owner_id="x"), changed("b", 5, note="told")]
    causes = found(rows, ({"id": 1, "owner_id": "y"}, [update("a", 1, owner_id="y")]))
    assert kinds(causes) == [("wrong_record", False), ("missing_write", False)]


def test_what_the_record_that_was_meant_lacks_follows_from_the_wrong_one() -> None:
    rows = [changed("a", 1198, state="shut"), new("b", id=OWN, a_id=1198)]
    rows[0]["key"] = {"a_id": 1198}
    wrong = update("a", 153, state="shut")
    wrong = replace(wrong, key=Json('{"a_id": 153}'))
    causes = found(rows, ({"a_id": 153, "state": "shut"}, [wrong]))
    assert kinds(causes) == [("wrong_record", False), ("missing_write", True)]
    rows[1]["columns"]["a_id"] = 11980
    assert kinds(found(rows, ({"a_id": 153, "state": "shut"}, [wrong])))[-1] == ("missing_write", False)
