"""What no row keeps is read from the calls, and tied to the rows that they changed."""

import json
from typing import Any

import pytest

from eops_traj.schema import Change, Json, ToolCall, Verdict, Verifier
from eops_traj.verify.verifiers import verify

MADE = {"made": True}


class Recorded:
    """A sandbox in which every call's rows are still there."""

    def __init__(self, calls: tuple[ToolCall, ...]) -> None:
        self.changes = {c.key: c for call in reversed(calls) for c in call.changes}

    def changed_rows(self) -> tuple[Change, ...]:
        return tuple(self.changes.values())

    def run_sql(self, server: str, query: str) -> Any:
        raise AssertionError(query)


def event(title: str, operation: str = "insert") -> Change:
    """Return the change that makes an event, or changes it; its key is its title."""
    key, row = Json(json.dumps({"id": title})), {"title": title}
    after = Json(json.dumps(row | ({"id": title} if operation == "insert" else {})))
    return Change(server="s", table="event", operation=operation, key=key, before=None, after=after)


def call(
    *titles: str, tool: str = "put", failed: bool = False, operation: str = "insert", **arguments: Any
) -> ToolCall:
    changes = tuple(event(title, operation) for title in titles)
    dumped = Json(json.dumps(arguments))
    return ToolCall(id="c", name=tool, arguments=dumped, result="{}", is_error=failed, changes=changes)


def judged(*calls: ToolCall, expected: tuple[dict[str, Any], ...], **config: Any) -> Verdict:
    """Return the verdict on the effects of the calls."""
    row = {"server": "s", "table": "event"}
    rows = [
        row | {"operation": "insert", "columns": {"id": MADE, "title": title}}
        if event(title) in [change for call in calls for change in call.changes]
        else row | {"operation": "update", "columns": {"title": title}, "key": {"id": title}}
        for title in ("A", "B")
    ]
    tools = {"put": {"notify": "none"}, "page": {"text": None}}
    config |= {"tools": tools, "effects": list(expected)}
    verifiers = [
        Verifier(name="rows", kind="row_changes", config=Json(json.dumps({"rows": rows}))),
        Verifier(name="effects", kind="effects", config=Json(json.dumps(config))),
    ]
    return verify(verifiers, Recorded(calls), "Done.", calls, servers=["s"], request="")[1]


def details(*calls: ToolCall, expected: tuple[dict[str, Any], ...], **config: Any) -> str | None:
    """Return what is wrong with the effects of the calls; empty where they pass."""
    found = judged(*calls, expected=expected, **config)
    return "" if found.passed_strict else found.details


FIRST = {"argument": "notify", "value": "all", "places": [0]}


@pytest.mark.parametrize(
    ("calls", "fault"),
    [
        ((call("A", notify="all"), call("B")), ""),
        ((call("A", notify="all"), call("B", notify="none")), ""),
        ((call("A"), call("A", notify="all"), call("B")), ""),
        ((call("A", notify="all"), call("A"), call("B")), "notify is 'none', not 'all'"),
        ((call("A"), call("B")), "notify is 'none', not 'all'"),
        ((call("A"), call("B", notify="all")), "notify is 'all', not left out"),
        ((call("A", notify="all"), call("B", notify="all")), "notify is 'all', not left out"),
        ((call("A", "B", notify="all"),), "notify is 'all', not left out"),
        ((call("A", notify="some"), call("A", notify="all"), call("B")), "notify is 'some', not 'all'"),
        ((call("A"), call("A", notify="all", failed=True), call("B")), "notify is 'none', not 'all'"),
    ],
)
def test_each_row_has_the_effects_that_were_meant_for_it(calls: tuple[ToolCall, ...], fault: str) -> None:
    assert details(*calls, expected=(FIRST,)) == fault


def test_a_later_change_may_go_by_in_silence_where_the_gold_runs_did() -> None:
    calls = (call("A", notify="all"), call("A"), call("B"))
    assert details(*calls, expected=(FIRST,), silent=[[0, "notify"]]) == ""
    assert details(*calls, expected=(FIRST,), silent=[[1, "notify"]]) == "notify is 'none', not 'all'"


def test_a_row_of_the_seed_changes_in_silence_only_where_the_gold_runs_did() -> None:
    moved, coloured = (call("A", operation="update", notify=n) for n in ("none", "all"))
    assert details(coloured, coloured, call("B"), expected=(FIRST,)) == ""
    assert details(moved, coloured, call("B"), expected=(FIRST,)) == "notify is 'none', not 'all'"
    assert details(moved, coloured, call("B"), expected=(FIRST,), silent=[[0, "notify"]]) == ""
    assert details(moved, call("B"), expected=()) == ""


def test_a_call_that_changes_no_row_is_known_by_its_tool() -> None:
    page = {"argument": "text", "value": {"prose": ["CS001"]}, "places": ["page"]}
    rows = call("A"), call("B")
    assert details(*rows, call(tool="page", text="Look at CS001."), expected=(page,)) == ""
    assert details(*rows, expected=(page,)) == "text is None, not a text with CS001"
    assert details(*rows, call(tool="page", text="x"), expected=()) == "text is 'x', not left out"
    silent = call(tool="page")
    assert details(*rows, silent, call(tool="page", text="On CS001."), expected=(page,)) == ""


def test_the_verdict_counts_what_was_expected_and_what_was_done() -> None:
    found = judged(call("A", notify="all"), call("A", notify="all"), call("B"), expected=(FIRST,))
    assert (found.expected, found.actual) == ("1", "2") and found.passed_strict


def test_a_value_that_only_the_tool_knows_is_any() -> None:
    own = {**FIRST, "value": {"made": True}}
    assert details(call("A", notify="2026-01-05"), call("B"), expected=(own,)) == ""


def test_values_that_look_too_much_alike_fail_and_say_so() -> None:
    alike = {"list": [*({"some": True} for _ in range(8)), {"fields": {"a": 1}}]}
    found = details(call("A", notify=[*range(9)]), call("B"), expected=({**FIRST, "value": alike},))
    assert found == "too much of it looks alike to be compared"


def test_effects_alone_tell_nothing() -> None:
    verifier = Verifier(name="effects", kind="effects", config=Json('{"tools":{},"effects":[]}'))
    [found] = verify([verifier], Recorded(()), "Done.", (), servers=["s"], request="")
    assert found.passed_strict is False and found.error
