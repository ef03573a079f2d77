"""A plan taken apart does on its database what the plan does."""

import json
from collections.abc import Mapping
from typing import Any, NamedTuple

import pytest

from eops_traj.plan import parse, render, run, unroll

CASES = [
    {"id": 7, "state": "open", "size": 3, "owner": {"id": 1}},
    {"id": 9, "state": "closed", "size": 8, "owner": {"id": 2}},
    {"id": 4, "state": "open", "size": 5, "owner": {"id": 2}},
]

ANSWERS = {
    "list_cases": {"cases": CASES},
    "me": {"id": 2, "name": "Ana {$1.id}"},
    "list_rooms": {"a": [{"seats": [{"user": 2, "no": 5}, {"user": 1, "no": 6}]}],
                   "b": [{"seats": [{"user": 1, "no": 8}, {"user": 2, "no": 9}]}]},
}  # fmt: skip


class Reply(NamedTuple):
    """A tool's answer."""

    text: str
    is_error: bool = False


class Desk:
    """Tools that answer with cases, or with what they were called with."""

    def __init__(self) -> None:
        self.calls: list[tuple[str, Mapping[str, Any]]] = []

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Reply:
        self.calls.append((name, arguments))
        if name == "get_refused":
            return Reply("no", True)
        return Reply(json.dumps(ANSWERS.get(name) or {"made": True, **arguments}))


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('2. for $1.cases[*state="open"]: close(id=$row.id)', [7, 4]),
        ("2. for $1.cases[*size >= 5]: close(id=$row.id)", [9, 4]),
        ('2. for $1.cases[*state="lost"]: close(id=$row.id)', []),
        ('2. for $1.cases: when $row.state != "open": close(id=$row.id)', [9]),
        ("2. for $1.cases[*].owner: close(id=$row.id)", [1, 2, 2]),
        ("2. for [3, 5]: close(id=$row)", [3, 5]),
        ("2. close(id=$1.cases[max(size)].id)", [9]),
        ("2. close(id=$1.cases[*state=\"open\"][min(size)].id)", [7]),
        ("2. when count($1.cases) > 5: close(id=0)\n3. close(id=either($2.id, $1.cases[-1].id))", [4]),
        ("2. for $1.cases: get(id=$row.id)\n3. for $2[*id<8]: close(id=$row.id)", [7, 9, 4, 7, 4]),
        ("2. for $1.cases: get(id=$row.id)\n3. close(id=$2[id=9].id, a=$2[*].id, n=count($2))", [7, 9, 4, 9]),
    ],
)  # fmt: skip
def test_it_makes_the_same_calls(text: str, calls: list[int]) -> None:
    plan, desk, again = parse(f"1. list_cases()\n{text}"), Desk(), Desk()
    assert parse(render(plan)) == plan
    outcome = run(plan, desk)
    assert outcome.ending.kind == "completed", outcome.ending
    assert [arguments["id"] for _, arguments in desk.calls[1:]] == calls
    plain, _ = unroll(plan, Desk())
    assert all(step.plain for _, step in plain.calls())
    assert run(plain, again).ending.kind == "completed"
    assert again.calls == desk.calls


@pytest.mark.parametrize(
    ("text", "calls"),
    [
        ('1. list_cases()\n2. for $1.cases[*].id: note(text="case {$row}")', ["case 7", "case 9", "case 4"]),
        ('1. list_cases()\n2. for concat($1.cases, []): note(text="{$row.id}")', ["7", "9", "4"]),
        ('1. for [1, true, null, "x"]: note(text="no {$row}")', ["no 1", "no true", "no null", "no x"]),
        ('1. me()\n2. for [1, "{$1.name}"]: note(text="{$row} by {$1.id}")', ["1 by 2", "Ana {$1.id} by 2"]),
        ('1. for ["$1", "{"]: note(text="{$row}$1.id}")', ["$1$1.id}", "{$1.id}"]),
        ("1. me()\n2. list_rooms()\n3. for concat($2.a, $2.b): note(text=$row.seats[user=$1.id].no)", [5, 9]),
        ("1. me()\n2. for [{\"a\": [[7], [8], [9]]}]: note(text=$row.a[1][0], by=$1.id)", [8]),
        ('1. me()\n2. list_rooms()\n3. for concat($2.a, $2.b): note(text=each([1, $1.id], '
         '"{$row.seats[user=$item].no} of {$1.id}"))', [["6 of 2", "5 of 2"], ["8 of 2", "9 of 2"]]),
    ],
)  # fmt: skip
def test_a_row_that_is_a_value_is_written_as_the_value_that_it_is(text: str, calls: list[Any]) -> None:
    plan, desk, again = parse(text), Desk(), Desk()
    assert run(plan, desk).ending.kind == "completed"
    assert [arguments["text"] for name, arguments in desk.calls if name == "note"] == calls
    plain, _ = unroll(plan, Desk())
    assert parse(render(plain)) == plain
    assert run(plain, again).ending.kind == "completed" and again.calls == desk.calls


def test_a_step_left_out_is_found_by_nothing_else() -> None:
    plan = parse("1. list_cases()\n2. when count($1.cases) == 0: get(id=1)\n3. close(id=$2.id)")
    assert run(plan, Desk()).ending.step == 3
    plain, numbers = unroll(plan, Desk())
    assert (len(plain.steps), numbers) == (2, {1: 1, 3: 2})
    assert run(plain, Desk()).ending.kind == "stopped"


def test_a_call_of_a_loop_that_fails_ends_the_plan() -> None:
    plan = parse("1. list_cases()\n2. for $1.cases: get_refused(id=$row.id)\n3. close(id=1)")
    desk = Desk()
    ending = run(plan, desk).ending
    assert (ending.kind, ending.step, len(desk.calls)) == ("stopped", 2, 2)


def test_the_new_numbers_of_steps_are_told() -> None:
    plan = parse("1. list_cases()\n2. for $1.cases: get(id=$row.id)\n3. close(id=$2[0].id)")
    plain, numbers = unroll(plan, Desk())
    assert numbers == {1: 1, 2: (2, 3, 4), 3: 5}
    assert [str(step) for step in plain.steps[1:]] == [
        "get(id=$1.cases[0].id)",
        "get(id=$1.cases[1].id)",
        "get(id=$1.cases[2].id)",
        "close(id=$2.id)",
    ]


def test_nothing_is_found_in_a_loop_that_went_round_never() -> None:
    plan = parse('1. list_cases()\n2. for $1.cases[*state="lost"]: get(id=$row.id)\n3. close(id=$2[0].id)')
    plain, numbers = unroll(plan, Desk())
    assert numbers == {1: 1, 2: (), 3: 2} and run(plan, Desk()).ending.step == 3
    assert "steps that were not made" in run(plain, Desk()).ending.reason


def test_a_row_of_a_loop_is_the_result_of_its_own_call() -> None:
    text = "1. list_cases()\n2. for $1.cases: get(id=$row.id)\n3. for $2[*id>4]: close(id=$row.id)"
    plain, _ = unroll(parse(text), Desk())
    assert [str(step) for step in plain.steps[4:]] == ["close(id=$2.id)", "close(id=$3.id)"]
