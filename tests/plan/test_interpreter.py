"""Plans run as they say: references filled in, requirements kept, and an ending that says what happened."""

import json
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

import pytest

from eops_traj.plan import PlanRun, Step, in_order, parse, run, with_argument
from eops_traj.plan.interpreter import Ending, Progress
from eops_traj.sandbox.embedded import open_session
from eops_traj.verify.refusal_text import declines


@dataclass(frozen=True)
class Answer:
    text: str
    is_error: bool = False


@dataclass
class FakeTools:
    """Tools with the answers that a test sets; they note their arguments."""

    answers: dict[str, Any]
    arguments: list[dict[str, Any]] = field(default_factory=list)

    def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Answer:
        self.arguments.append(dict(arguments))
        answer = self.answers[name]
        return answer if isinstance(answer, Answer) else Answer(json.dumps(answer))


PEOPLE = [
    {"id": 1, "name": "Ana", "home": {"city": "Rome"}},
    {"id": 2, "name": "Ben", "home": {"city": "Oslo"}},
]


def run_text(text: str, **answers: Any) -> tuple[PlanRun, list[dict[str, Any]]]:
    tools = FakeTools({"find": PEOPLE, "update": {"ok": True}, **answers})
    return run(parse(text), tools), tools.arguments


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("$1[0].id", 1),
        ("$1[-1].name", "Ben"),
        ('$1[name="Ben"].id', 2),
        ('$1[home.city="Oslo"].id', 2),
        ("$1[id=2].home.city", "Oslo"),
        ('$1[*name="Ben"]', [PEOPLE[1]]),
        ('"id {$1[1].id} of {$1[1].name}"', "id 2 of Ben"),
        ('{"who": [$1[0].id]}', {"who": [1]}),
    ],
)
def test_references_are_filled_in(reference: str, value: Any) -> None:
    plan_run, arguments = run_text(f"1. find()\n2. update(a={reference})")
    assert arguments[1] == {"a": value} and plan_run.ending.kind == "completed"


TAGGED = [{"tags": [{"v": 1}, {"v": 2}]}, {"tags": None}, {"tags": []}, {"tags": [{"v": 3}]}]


@pytest.mark.parametrize(
    ("reference", "value"),
    [
        ("$1[*].tags[*].v", [1, 2, 3]),
        ("$1[*].tags[*v > 1].v", [2, 3]),
        ("$1[*].tags[v=3].v", 3),
        ("count($1[*].tags[*])", 3),
        ("count($1[*tags=null].tags[*])", 0),
        ("$1[*].tags", [row["tags"] for row in TAGGED]),
    ],
)
def test_a_row_without_a_list_has_none_to_look_into(reference: str, value: Any) -> None:
    plan_run, arguments = run_text(f"1. find()\n2. update(a={reference})", find=TAGGED)
    assert plan_run.ending.kind == "completed" and arguments[1] == {"a": value}


@pytest.mark.parametrize("other", ["red", 7, {"v": 5}])
def test_lists_beside_anything_else_are_not_looked_into(other: Any) -> None:
    plan_run, arguments = run_text(
        "1. find()\n2. update(a=$1[*].tags[*v > 1].v)", find=[*TAGGED, {"tags": other}]
    )
    assert (plan_run.ending.kind, len(arguments)) == ("stopped", 1)
    assert "$1[*].tags[*v > 1].v finds nothing" in plan_run.ending.reason


@pytest.mark.parametrize(
    ("condition", "holds"),
    [
        ("count($1) == 2", True),
        ('$1[0].name in ["Ana", "Eve"]', True),
        ('"Rome" not in ["Oslo"]', True),
        ('$1[name="Eve"].id == 1', False),
        ("$1[0].name > 3", False),
        ("ok($1)", True),
        ("count($1[0].id) == 1", False),
    ],
)
def test_requirements_hold_or_decline(condition: str, holds: bool) -> None:
    plan_run, arguments = run_text(f"1. find()\n2. require({condition}) -- it is not so\n3. update(a=1)")
    assert plan_run.ending.kind == ("completed" if holds else "declined")
    assert len(arguments) == (2 if holds else 1) and declines(plan_run.ending.answer) is not holds


def test_a_failed_look_up_stops_unless_the_next_line_asks_about_it() -> None:
    missing = Answer("no such person", is_error=True)
    stopped, _ = run_text("1. find()\n2. update(a=1)", find=missing)
    declined, _ = run_text(
        "1. find()\n2. require(ok($1)) -- nobody of that name\n3. update(a=1)", find=missing
    )
    assert stopped.ending.kind == "stopped" and "no such person" in stopped.ending.reason
    assert declined.ending.kind == "declined" and declined.ending.reason == "nobody of that name"


@pytest.mark.parametrize(("code", "reason"), [(404, "nobody of that name"), (403, "it is not yours to see")])
def test_a_refused_look_up_can_be_asked_why(code: int, reason: str) -> None:
    refused = Answer(json.dumps({"error": {"code": code}}), is_error=True)
    text = """1. find()
2. require(either($1.error.code, 0) != 404) -- nobody of that name
3. require(ok($1)) -- it is not yours to see
4. update(a=1)"""
    assert run_text(text, find=refused)[0].ending.reason == reason
    assert run_text(text)[0].ending.kind == "completed"


def test_a_requirement_after_a_write_stops_and_does_not_claim_that_nothing_changed() -> None:
    plan_run, _ = run_text("1. update(a=1)\n2. find()\n3. require(count($2) == 9) -- too few")
    assert plan_run.ending.kind == "stopped" and not declines(plan_run.ending.answer)


def test_a_refusal_calls_nothing_and_declines() -> None:
    plan_run, arguments = run_text("REFUSE: the approval is missing")
    assert arguments == [] and plan_run.ending.kind == "declined" and declines(plan_run.ending.answer)


def test_a_reference_that_finds_nothing_stops() -> None:
    plan_run, arguments = run_text("1. find()\n2. update(a=$1[7].id)")
    assert plan_run.ending.kind == "stopped" and len(arguments) == 1


def test_steps_in_another_order_keep_their_references() -> None:
    plan = parse("1. a()\n2. b()\n3. c(x=$2.id, y=$1[k=$2.id])")
    assert str(in_order(plan, [2, 1, 3])) == "1. b()\n2. a()\n3. c(x=$1.id, y=$2[k=$1.id])"
    assert str(in_order(plan, [1, 3])).endswith("2. c(x=$0.id, y=$1[k=$0.id])")


def test_an_argument_can_be_exchanged() -> None:
    plan = with_argument(parse('1. find(name="Ana")\n2. update(id=$1.id)'), 2, "id", 7)
    assert str(plan) == '1. find(name="Ana")\n2. update(id=7)'
    with pytest.raises(ValueError, match="step 2 calls nothing"):
        with_argument(parse("1. f()\n2. require(ok($1))"), 2, "id", 7)


def test_a_plan_runs_on_a_real_session() -> None:
    with open_session({"itsm": 3}) as session:
        number = session.run_sql("itsm", "SELECT number FROM incident LIMIT 1").rows[0][0]
        look_up = f'1. find_incident_by_number(number="{number}")'
        plan_run = run(
            parse(f'{look_up}\n2. update_incident(incident_id=$1.incident_id, impact="high")'), session
        )
        assert plan_run.ending.kind in ("completed", "stopped") and plan_run.calls[0][0].arguments == {
            "number": number
        }


LOOP = "1. find()\n2. for $1: when $row.id > 1: update(a=$row.name) -- renamed\n"


def test_a_loop_calls_for_the_rows_that_its_condition_holds_of() -> None:
    plan_run, arguments = run_text(LOOP + "3. update(n=count($2), first=$2[0].ok)")
    assert arguments[1:] == [{"a": "Ben"}, {"n": 1, "first": True}]
    assert plan_run.ending.kind == "completed"


def test_a_loop_ends_at_a_call_that_fails() -> None:
    refused = Answer("not yours", is_error=True)
    plan_run, arguments = run_text("1. find()\n2. for $1: update(a=$row.id)\n3. find()", update=refused)
    assert arguments == [{}, {"a": 1}]
    assert (plan_run.ending.kind, plan_run.ending.step) == ("stopped", 2)
    assert plan_run.ending.reason == "update: not yours"


def test_a_loop_over_what_is_no_list_stops() -> None:
    plan_run, arguments = run_text("1. find()\n2. for $1[0]: update(a=$row)")
    assert plan_run.ending.kind == "stopped" and len(arguments) == 1
    assert plan_run.ending.reason == "for $1[0]: a list is wanted"


def test_a_step_whose_condition_does_not_hold_calls_nothing() -> None:
    text = "1. find()\n2. when count($1) == 9: update(a=1)\n3. when count($1) == 2: update(a=2)"
    plan_run, arguments = run_text(text)
    assert arguments == [{}, {"a": 2}] and plan_run.ending.kind == "completed"


def test_the_replies_of_a_step_are_those_of_its_calls_in_order() -> None:
    class Echo(FakeTools):
        def call_tool(self, name: str, arguments: Mapping[str, Any]) -> Answer:
            return Answer(json.dumps(arguments)) if name == "update" else super().call_tool(name, arguments)

    tools, so_far = Echo({"find": PEOPLE}), Progress()
    first, second = parse("1. find()\n2. for $1: update(a=$row.id)").steps
    assert isinstance(first, Step) and isinstance(second, Step)
    [found] = so_far.run(1, first, tools)
    assert json.loads(found.text) == PEOPLE and not so_far.wrote
    assert len(so_far.run(2, second, tools)) == 2 and so_far.wrote
    assert so_far.results == {1: PEOPLE, 2: [{"a": 1}, {"a": 2}]}


def test_endings_name_their_step() -> None:
    assert run_text("REFUSE: the approval is missing.")[0].ending == Ending(
        "declined", 0, "the approval is missing.",
        "I cannot do this: the approval is missing. Nothing was changed.",
    )  # fmt: skip
    stopped = run_text("1. update(a=1)\n2. find()\n3. require(count($2) == 9) -- too few")[0].ending
    assert (stopped.step, stopped.reason) == (3, "too few")
    assert stopped.answer == "The work stopped at step 3 and is not finished. too few"
    assert PlanRun().ending == Ending("stopped", 0, "not run", "")


@pytest.mark.parametrize(
    ("text", "answer"),
    [
        ("1. find() -- looked", "Done."),
        ("1. find() -- looked\n2. update(a=1)", "Done."),
        (
            "1. update(a=1) -- the name is set\n2. update(a=2) -- and the town",
            "Done. the name is set; and the town.",
        ),
    ],
)
def test_an_answer_tells_the_reasons_of_the_writes(text: str, answer: str) -> None:
    ending = run_text(text)[0].ending
    assert (ending.kind, ending.answer, ending.step) == ("completed", answer, text.count("\n") + 1)


@pytest.mark.parametrize(
    ("after", "kind"),
    [
        ("\n2. require(ok($1)) -- missing", "declined"),
        ("\n2. require(1 == 2) -- of something else", "stopped"),
        ("\n2. update(a=$1)", "stopped"),
        ("", "stopped"),
    ],
)
def test_a_refused_call_goes_on_where_the_next_line_asks_about_it_alone(after: str, kind: str) -> None:
    ending = run_text(f"1. find(){after}", find=Answer("no", is_error=True))[0].ending
    assert ending.kind == kind
