"""Rows that should not have changed, beside the rows that were meant; and look-alikes that mean none."""

import json
from dataclasses import replace
from typing import Any

from eops_traj.causes.cause import Cause
from eops_traj.causes.find import causes_of
from eops_traj.schema import Change, Json, ToolCall, Turn, Verdict
from tests.episodes import episode
from tests.verify.test_row_changes import change, changed, dumped, insert, new

LOOK = Turn(text="", tool_calls=(ToolCall(id="l", name="search_items", arguments=Json("{}"), result="{}"),))
OWN = {"own": True}


def update(table: str, key: int, **columns: str) -> Change:
    return change("update", table, key, dumped(**dict.fromkeys(columns, "as it was")), dumped(**columns))


def found(
    rows: list[dict[str, Any]],
    *made: tuple[dict[str, Any], list[Change]],
    answer: str = "Done.",
    look_last: str | None = None,
    looks: bool = True,
) -> list[Cause]:
    """Return the causes of calls, each with its arguments and the rows that it changed.

    A look-up comes before them, or after them, with this result; without ``looks`` there is none.
    """
    calls = [
        ToolCall(id="c", name="update_item", arguments=Json(json.dumps(a)), result="{}", changes=tuple(c))
        for a, c in made
    ]
    config = Json(json.dumps({"rows": rows}))
    judged = Verdict(name="rows", kind="row_changes", config=config, passed_strict=False, details="no")
    looked = replace(LOOK.tool_calls[0], result=look_last or "{}")
    turns = [Turn(text="", tool_calls=(one,)) for one in calls]
    if looks:
        turns.insert(0 if look_last is None else len(turns), Turn(text="", tool_calls=(looked,)))
    turns.append(Turn(text=answer, finish_reason="stop"))
    lost = episode("x", turns=tuple(turns), verdicts=(judged,), outcome="failure", success_strict=False)
    return list(causes_of(lost))


def test_of_two_wrong_rows_each_is_paired_with_the_one_that_agrees() -> None:
    rows = [changed("a", 1, state="open"), changed("a", 2, state="shut")]
    causes = found(
        rows,
        ({"id": 8, "state": "shut"}, [update("a", 8, state="shut")]),
        ({"id": 9, "state": "open"}, [update("a", 9, state="open")]),
    )
    assert [(c.kind, c.evidence.wanted) for c in causes] == [
        ("wrong_record", '{"id": 2}'),
        ("wrong_record", '{"id": 1}'),
    ]


def test_a_record_that_has_a_row_is_changed_in_place_of_one_that_needs_a_new_row() -> None:
    rows = [new("a", id=OWN, note="At lunch", user=4)]
    (cause,) = found(rows, ({"user": 5, "note": "At lunch"}, [update("a", 6, note="At lunch")]))
    assert cause.kind == "wrong_record"
    other = found(rows, ({"user": 5, "note": "Away"}, [update("a", 6, note="Away")]))
    assert [c.kind for c in other] == ["extra_write", "missing_write"]


def test_what_went_to_another_record_is_not_a_wrong_value_of_the_right_one() -> None:
    rows = [changed("a", 1, members="ann, bea")]
    right, wrong = update("a", 1, members="ann"), update("a", 2, members="bea")
    (cause,) = found(rows, ({"id": 1, "add": "x"}, [right]), ({"id": 2, "add": "y"}, [wrong]))
    assert (cause.kind, cause.evidence.turn) == ("wrong_record", 2)
    passed = found(rows, ({"id": 1, "members": "ann"}, [right]), ({"id": 2, "add": "y"}, [wrong]))
    assert [c.kind for c in passed] == ["wrong_value", "extra_write"]


def test_a_value_set_as_it_was_is_a_wrong_value_and_one_never_given_a_missing_write() -> None:
    rows = [changed("a", 1, keep=1)]
    (cause,) = found(rows, ({"id": 1, "user_id": "me", "keep": False}, []))
    assert (cause.kind, cause.evidence.column, cause.evidence.got) == ("wrong_value", "keep", "False")
    assert [c.kind for c in found(rows, ({"id": 1, "user_id": "me"}, []))] == ["missing_write"]
    assert [c.kind for c in found(rows, ({"id": 1, "keep": True}, []))] == ["missing_write"]


def test_a_value_set_as_it_was_is_told_at_the_call_that_changed_the_row_whatever_it_named_it_by() -> None:
    rows = [changed("a", 1, keep="move", to="ann")]
    row = [update("a", 1, to="ann")]
    (cause,) = found(rows, ({"user": "sam@x.example", "keep": "leave", "to": "ann"}, row))
    assert (cause.kind, cause.evidence.turn, cause.evidence.got) == ("wrong_value", 1, "leave")
    (cause,) = found(rows, ({"user": "sam@x.example", "to": "ann"}, row))
    assert cause.kind == "missing_write"
    other = ({"user": "eva@x.example", "keep": "leave"}, [update("b", 1, to="eva")])
    assert "missing_write" in [cause.kind for cause in found(rows, ({"to": "ann"}, row), other)]


def test_an_address_that_the_tool_resolves_names_a_record() -> None:
    rows = [new("a", id=OWN, opened_for=70)]
    (cause,) = found(rows, ({"opened_for": "sam@x.example"}, [insert("a", 5, opened_for=29)]))
    assert cause.kind == "wrong_record"
    (plain,) = found(rows, ({"opened_for": "sam"}, [insert("a", 5, opened_for=29)]))
    assert plain.kind == "wrong_value"


def test_a_value_that_holds_a_wrong_id_follows_from_it() -> None:
    rows = [new("a", id=OWN, list_id="x", path="/lists/x/items")]
    arguments = {"list_id": "x-25"}
    first, then = found(rows, (arguments, [insert("a", 5, list_id="x-25", path="/lists/x-25/items")]))
    assert (first.kind, first.consequence, then.kind, then.consequence) == (
        "wrong_record",
        False,
        "wrong_value",
        True,
    )
    other = found(rows, (arguments, [insert("a", 5, list_id="x-25", path="/lists/y/items")]))
    assert len(other) == 2


def test_rows_too_much_alike_to_be_compared_have_what_the_verifier_says_of_them() -> None:
    notes = [{"prose": []}] * 8 + [{"prose": ["urgent"]}]
    written = json.dumps([f"note number {n}" for n in range(9)])
    (cause,) = found([new("a", notes={"list": notes})], ({}, [insert("a", 1, notes=written)]))
    assert (cause.kind, cause.sentence) == ("wrong_record", "no")
