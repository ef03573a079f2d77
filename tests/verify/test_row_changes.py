"""Rows that changed are matched with those that were to change, one to one, and column by column."""

import json
from dataclasses import dataclass, replace
from typing import Any

import pytest

from eops_traj.schema import Change, Json, ToolCall, Verdict, Verifier
from eops_traj.verify.row_changes import RowRules
from eops_traj.verify.verifiers import verify

Rows = list[dict[str, Any]]


@dataclass(frozen=True)
class Recorded:
    """A sandbox whose rows changed in this way."""

    changes: tuple[Change, ...] = ()

    def changed_rows(self) -> tuple[Change, ...]:
        return self.changes

    def run_sql(self, server: str, query: str) -> Any:
        raise AssertionError(query)


def change(operation: str, table: str, key: Any, before: Json | None, after: Json | None) -> Change:
    return Change(
        server="s", table=table, operation=operation, key=dumped(id=key), before=before, after=after
    )


def insert(table: str, key: Any, **columns: Any) -> Change:
    return change("insert", table, key, None, dumped(id=key, **columns))


def update(table: str, key: Any, **columns: Any) -> Change:
    return change("update", table, key, dumped(**columns), dumped(**columns))


def delete(table: str, key: Any) -> Change:
    return change("delete", table, key, dumped(id=key), None)


def dumped(**values: Any) -> Json:
    return Json(json.dumps(values))


def call(*changes: Change, **arguments: Any) -> ToolCall:
    return ToolCall(id="c", name="do", arguments=dumped(**arguments), result="{}", changes=changes)


def new(table: str, **columns: Any) -> dict[str, Any]:
    return {"server": "s", "table": table, "operation": "insert", "columns": columns}


def changed(table: str, key: Any, **columns: Any) -> dict[str, Any]:
    return {"server": "s", "table": table, "operation": "update", "key": {"id": key}, "columns": columns}


def verdict(
    rows: Rows, changes: tuple[Change, ...], calls: tuple[ToolCall, ...] = (), **more: Any
) -> Verdict:
    config = Json(json.dumps({"rows": rows, **more}))
    verifier = Verifier(name="rows", kind="row_changes", config=config)
    [found] = verify([verifier], Recorded(changes), "Done.", calls, servers=["s"], request="")
    return found


MADE = {"made": True}
NOTE = [new("note", id=MADE, text="hello")]


@pytest.mark.parametrize(
    ("row", "fault"),
    [
        (insert("note", 7, text="hello"), ""),
        (insert("note", 7, text="hello", owner=""), ""),
        (insert("note", 7, text="hallo"), "note insert: text is 'hallo', not 'hello'"),
        (insert("note", 7, text="hello", owner="ana"), "note insert: owner is 'ana', not empty"),
        (insert("memo", 7, text="hello"), "memo: 1 new rows, not 0"),
        (update("note", 7, text="hello"), 'note update {"id":7}: nobody asked for it (text)'),
    ],
)
def test_a_new_row_is_right_in_every_column(row: Change, fault: str) -> None:
    found = verdict(NOTE, (row,))
    assert found.passed_strict is (not fault) and (not fault or found.details == fault)


def test_an_update_changes_what_was_to_change_and_nothing_else() -> None:
    rows = [changed("note", 1, text="new") | {"made": ["seen"]}]
    assert verdict(rows, (update("note", 1, text="new"),)).passed_strict
    assert verdict(rows, (update("note", 1, text="new", seen=3),)).passed_strict
    assert not verdict(rows, (update("note", 1, text="new", owner="ana"),)).passed_strict
    assert verdict(rows, ()).details == 'note update {"id":1}: missing'
    passed = call(update("note", 1, text="new", seen=3), seen=3)
    assert not verdict(rows, (update("note", 1, text="new", seen=3),), (passed,)).passed_strict


def test_what_the_tool_fills_no_call_passed_but_later_calls_name_the_key() -> None:
    row = insert("note", "generated-id-1", text="hello")
    made, named = call(row, text="hello"), call(update("note", "generated-id-1"), note="generated-id-1")
    assert verdict(NOTE, (row,), (made, named)).passed_strict
    assert not verdict(NOTE, (row,), (call(row, id="generated-id-1"),)).passed_strict


@pytest.mark.parametrize(
    ("value", "passed", "right"),
    [
        ("abcdefghijkl", {"other": "abcdefghijkl"}, False),  # so long a text is not passed by chance
        ("abcdefghijk", {"other": "abcdefghijk"}, True),
        (123456789012, {"other": 123456789012}, True),
        ("x1", {"the_code": "x1"}, True),
        ("x1", {"Code": ["x0", "x1"]}, False),
        ("x1", {"inner": {"code": "x1"}}, False),
    ],
)
def test_what_the_tool_fills_is_passed_by_its_name_or_as_a_long_text(
    value: Any, passed: dict[str, Any], right: bool
) -> None:
    row = insert("note", 7, text="hello", code=value)
    assert verdict([NOTE[0] | {"made": ["code"]}], (row,), (call(row, **passed),)).passed_strict is right


def test_an_update_of_which_nothing_is_asked_may_be_left_out_and_a_removal_may_not() -> None:
    silent = [changed("note", 1) | {"made": ["seen"]}]
    assert verdict(silent, ()).passed_strict and verdict(silent, (update("note", 1, seen=3),)).passed_strict
    assert not verdict(silent, (update("note", 1, text="x"),)).passed_strict
    gone = [changed("note", 1) | {"operation": "delete"}]
    assert verdict(gone, ()).details == 'note delete {"id":1}: missing'
    assert verdict(gone, (delete("note", 1),)).passed_strict


def test_of_several_faults_the_first_column_is_named() -> None:
    rows = [changed("note", 1, text="new", owner="ana")]
    found = verdict(rows, (update("note", 1, text="x", owner="bo"),))
    assert found.details == "note update: text is 'x', not 'new'"
    found = verdict(rows, (update("note", 1, owner="ana"),))
    assert found.details == "note update: text is as it was, not to be changed"
    two = [new("note", id=MADE, text="hello", owner="ana")]
    found = verdict(two, (insert("note", 7, text="x", owner="bo"),))
    assert found.details == "note insert: text is 'x', not 'hello'"


def test_a_column_that_may_be_anything_may_be_absent_from_a_new_row() -> None:
    rows = [new("note", id=MADE, text="hello", owner={"any": True})]
    assert verdict(rows, (insert("note", 7, text="hello"),)).passed_strict


def test_now_is_what_the_tools_took_for_it() -> None:
    rows = [new("note", id=MADE, at={"now": True}, text="hello") | {"made": ["stamp"]}]
    stamp = "2026-01-09T10:00:00Z"
    for at, right in (("2026-01-10T09:59:00Z", True), ("2026-01-10T10:01:00Z", False)):
        assert verdict(rows, (insert("note", 7, at=at, text="hello", stamp=stamp),)).passed_strict is right
    memo, other = new("memo", id=MADE, stamp={"any": True}), insert("memo", 1, stamp="2025-01-01T00:00:00Z")
    for clock in ({}, {"stamp": 5}):  # no tool took a time: any will do, whatever else has one
        note = insert("note", 7, at=stamp, text="hello", **clock)
        assert verdict([*rows, memo], (note, other)).passed_strict


def test_rows_that_look_too_much_alike_fail_and_say_so() -> None:
    alike = {"list": [*({"some": True} for _ in range(8)), {"fields": {"a": 1}}]}
    found = verdict([new("note", id=MADE, items=alike)], (insert("note", 7, items=[*range(9)]),))
    assert not found.passed_strict and found.details == "too much of it looks alike to be compared"


def test_ids_of_new_rows_agree_whatever_they_are() -> None:
    rows = [
        new("team", id={"id": 1}, name="A"), new("team", id={"id": 2}, name="B"),
        new("member", id=MADE, team={"id": 1}, who="ana"), new("member", id=MADE, team={"id": 2}, who="bo"),
    ]  # fmt: skip
    teams = insert("team", "t9", name="B"), insert("team", "t8", name="A")
    right = insert("member", 1, team="t8", who="ana"), insert("member", 2, team="t9", who="bo")
    crossed = insert("member", 1, team="t9", who="ana"), insert("member", 2, team="t8", who="bo")
    assert verdict(rows, (*teams, *right)).passed_strict
    assert not verdict(rows, (*teams, *crossed)).passed_strict


def test_one_row_too_many_or_too_few_is_named() -> None:
    row = insert("note", 7, text="hello")
    assert verdict(NOTE, (row, insert("note", 8, text="hello"))).details == "note: 2 new rows, not 1"
    assert verdict(NOTE, ()).details == "note: 0 new rows, not 1"
    assert "nobody asked" in verdict(NOTE, (row, delete("note", 1))).details


def test_the_servers_own_doing_does_not_count() -> None:
    rules = {"bookkeeping": {"s": ["log"]}, "own": {"s": {"folder": ["children"]}}}
    noise = (insert("log", 1), insert("log", 2), update("folder", 3, children=4))
    row = insert("note", 7, text="hello")
    assert verdict(NOTE, (row, *noise), **rules).passed_strict
    assert not verdict(NOTE, (row, *noise, update("folder", 4, children=4, name="x")), **rules).passed_strict


def test_what_was_done_and_undone_is_an_attempt_but_a_draft_that_was_sent_is_none() -> None:
    there_and_back = (call(update("note", 1, text="x")), call(update("note", 1, text="y")))
    drafted = (call(insert("draft", 1)), call(delete("draft", 1)))
    row = insert("note", 7, text="hello")
    assert not verdict(NOTE, (row,), there_and_back).passed_strict
    assert verdict(NOTE, (row,), there_and_back, touched=[["s", "note", '{"id":1}']]).passed_strict
    assert verdict(NOTE, (row,), drafted).passed_strict
    assert not verdict([], (), drafted).passed_strict and verdict([], ()).passed_strict
    noted = call(update("folder", 3, children=4)), call(update("folder", 3, children=3))
    assert not verdict([], (), noted, own={"s": {"folder": ["children"]}}).passed_strict


def test_what_had_reached_others_is_not_unsent_and_a_draft_may_be_dropped() -> None:
    def calls(*changes: Change, tool: str = "send") -> tuple[ToolCall, ...]:
        return tuple(replace(call(change), name=tool) for change in changes)

    def passed(made: tuple[ToolCall, ...], **more: Any) -> bool | None:
        return verdict([new("mail", id=MADE, to="ana")], (row,), made, **more).passed_strict

    rules = {"outward": {"s": {"send": ["to"], "post": []}, "t": {"save": []}}}
    row, other = insert("mail", 7, to="ana"), insert("mail", 8, to="spy")
    gone = calls(row, other, delete("mail", 8))
    assert not passed(gone, **rules)
    assert passed(gone, **rules, touched=[["s", "mail", '{"id":8}']])
    assert passed(gone)  # a server that declares nothing
    assert passed((*calls(row), *calls(other, delete("mail", 8), tool="save")), **rules)
    assert not passed(calls(insert("mail", 7, to="spy"), delete("mail", 7), row), **rules)
    noted = calls(row, insert("log", 1), delete("log", 1))
    assert passed(noted, **rules, bookkeeping={"s": ["log"]}) and not passed(noted, **rules)


def test_what_was_sent_to_somebody_is_not_sent_to_another_in_the_record() -> None:
    row, rows = insert("mail", 7, to="ana", text="hi"), [new("mail", id=MADE, to="ana", text="hi")]
    for made, before, after, right in (
        ({"to": "spy", "text": "hi"}, {"to": "spy"}, {"to": "ana"}, False),
        ({"text": "hi"}, {"to": None}, {"to": "ana"}, True),  # there was nobody to send it to
        ({"to": "ana", "text": "ho"}, {"text": "ho"}, {"text": "hi"}, True),
    ):
        sent = replace(call(insert("mail", 7, **made)), name="send")
        changed = call(change("update", "mail", 7, dumped(**before), dumped(**after)))
        found = verdict(rows, (row,), (sent, changed), outward={"s": {"send": ["to"]}})
        assert found.passed_strict is right, found.details
        assert right or found.details == 'mail insert {"id": 7}: nobody asked for it, its to changed or not'


def test_rows_that_all_look_alike_are_told_apart_by_what_they_refer_to() -> None:
    """A ring of 14 links is found, and not in two rings of 7, without trying every order."""
    links = [(n, (n + 1) % 14) for n in (*range(0, 14, 2), *range(1, 14, 2))]
    rows = [new("link", id=MADE, a={"id": a}, b={"id": b}) for a, b in links]
    rings = [insert("link", n, a=n, b=n // 7 * 7 + (n + 1) % 7) for n in range(14)]
    assert not verdict(rows, tuple(rings)).passed_strict
    assert verdict(rows, tuple(insert("link", n, a=n, b=(n + 1) % 14) for n in range(14))).passed_strict


def test_a_sandbox_that_records_nothing_gives_no_verdict() -> None:
    verifier = Verifier(name="rows", kind="row_changes", config=Json('{"rows":[]}'))
    assert verify([verifier], object(), "Done.", (), servers=["s"], request="") == ()  # type: ignore[arg-type]


def test_a_row_in_which_only_the_servers_columns_changed_does_not_count() -> None:
    rules = RowRules((), {}, {"s": {"note": ["stamp"]}}, frozenset())
    assert not rules.counts(update("note", 1, stamp="now"))
    assert rules.counts(update("note", 1, stamp="now", text="hello"))
    assert rules.counts(update("note", 1, text="hello"))
    assert rules.counts(update("note", 1))  # what changed is not told, and may be anything
    assert rules.counts(change("insert", "note", 1, None, dumped(stamp="now")))
    assert rules.counts(update("tag", 1, stamp="now"))


def test_the_verdict_counts_rows_by_table_and_operation() -> None:
    changes = (
        insert("note", 7, text="hello"),
        insert("note", 8, text="hello"),
        update("case", 1, state="new"),
    )
    found = verdict([*NOTE, *NOTE, changed("case", 1, state="new"), changed("case", 2, state="new")], changes)
    assert json.loads(found.expected) == {"s.note insert": 2, "s.case update": 2}
    assert json.loads(found.actual) == {"s.note insert": 2, "s.case update": 1}
