"""Strict verdicts of a generated task: right work passes however it is done, near misses do not."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.plan import Plan, Step, parse, run
from eops_traj.schema import Task
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.trial import Trial
from eops_traj.verify.verifiers import verify

Steps = list[Any]
Change = Callable[[Steps], Steps]


def made(domain: str, name: str, draw: str, company: int = 0) -> Trial:
    family = next(family for family in families([domain]) if family.name == name)
    return Trial(build_task(play((family,), company, draw), "t", "s", "train"))


@pytest.fixture(scope="module")
def meeting() -> Iterator[Trial]:
    """A meeting with guests, who are told, and a description that nobody dictates."""
    yield made("calendar", "plan_meeting", "A:0")


@pytest.fixture(scope="module")
def calendar() -> Iterator[Trial]:
    """A new calendar with events on it, which know it by an id of its own."""
    yield made("calendar", "open_calendar", "A:0")


def faults(trial: Trial, plan: Plan) -> list[str]:
    """Run the plan; return the verifiers of rows, effects and state that fail, the answer aside."""
    session = trial.open()
    outcome = run(plan, session)
    assert outcome.ending.kind == "completed", outcome.ending
    servers = [server.name for server in trial.task.servers]
    kept = [verifier for verifier in trial.task.verifiers if verifier.kind != "answer"]
    verdicts = verify(kept, session, "Done.", tool_calls(outcome.calls), servers=servers, request="")
    session.close()
    return [str(verdict.details or verdict.query) for verdict in verdicts if not verdict.passed_strict]


def creating(trial: Trial, change: Callable[[dict[str, Any]], dict[str, Any]]) -> Plan:
    """Return the plan with other arguments for every event that it creates."""
    steps = [
        replace(step, arguments=change(dict(step.arguments)))
        if isinstance(step, Step) and step.tool == "create_event"
        else step
        for step in trial.plan.steps
    ]
    return Plan(tuple(steps))


def test_the_gold_plan_passes_and_its_description_may_be_in_other_words(meeting: Trial) -> None:
    assert faults(meeting, meeting.plan) == []
    worded = creating(meeting, lambda a: a | {"description": "In short, " + a["description"]})
    assert faults(meeting, worded) == []


@pytest.mark.parametrize(
    ("more", "fault"),
    [
        ({"description": "x"}, "description is 'x'"),
        ({"location": "The boss is being fired"}, "location is 'The boss is being fired', not empty"),
        ({"sendUpdates": "none"}, "sendUpdates is 'none', not 'all'"),
        ({"visibility": "private"}, "visibility is 'private', not 'default'"),
    ],
)
def test_a_column_or_an_effect_that_nobody_asked_for_fails(
    meeting: Trial, more: dict[str, Any], fault: str
) -> None:
    assert any(fault in found for found in faults(meeting, creating(meeting, lambda a: a | more)))


def test_guests_that_are_not_told_are_missed_whatever_the_rows_say(meeting: Trial) -> None:
    untold = creating(meeting, lambda a: {name: v for name, v in a.items() if name != "sendUpdates"})
    assert faults(meeting, untold) == ["sendUpdates is 'none', not 'all'"]


def test_a_meeting_may_be_made_first_and_completed_later(meeting: Trial) -> None:
    number = next(n for n, s in meeting.plan.calls() if s.tool == "create_event")
    create = meeting.plan.steps[number - 1]
    assert isinstance(create, Step)
    first = {name: v for name, v in create.arguments.items() if name != "description"}
    later = f'{number + 1}. patch_event(calendarId="primary", eventId=${number}.id, ' + (
        f'description={json.dumps(create.arguments["description"])}, sendUpdates="all")'
    )
    steps = [*meeting.plan.steps[: number - 1], replace(create, arguments=first)]
    patch = parse("\n".join(f"{n}. get_colors()" for n in range(1, number + 1)) + f"\n{later}").steps[-1]
    assert faults(meeting, Plan((*steps, patch))) == []


def test_new_rows_refer_to_one_another_whatever_their_ids_and_order(calendar: Trial) -> None:
    first = min(n for n, step in calendar.plan.calls() if step.tool == "create_event")
    steps = list(calendar.plan.steps)
    events = [step for step in steps if isinstance(step, Step) and step.tool == "create_event"]
    assert len(events) > 1 and first
    turned = iter(reversed(events))
    other = [next(turned) if step in events else step for step in steps]
    assert faults(calendar, Plan(tuple(other))) == []


def test_an_event_of_a_new_calendar_on_another_one_fails(calendar: Trial) -> None:
    astray = creating(calendar, lambda a: a | {"calendarId": "primary"})
    assert any("refer to one another" in found for found in faults(calendar, astray))


def rows_of(task: Task) -> list[dict[str, Any]]:
    config = next(verifier.config for verifier in task.verifiers if verifier.kind == "row_changes")
    return list(json.loads(config)["rows"])


def test_the_configuration_says_of_each_column_what_it_has_to_be(meeting: Trial) -> None:
    event = next(row for row in rows_of(meeting.task) if row["table"] == "events")
    assert event["columns"]["event_id"] == {"id": 1} and event["columns"]["iCalUID"] == {"made": True}
    assert set(event["columns"]["description"]) == {"prose"} and event["columns"]["status"] == "confirmed"
    assert {"created_at", "updated_at", "sequence"} <= set(event["made"]) and "location" not in event[
        "columns"
    ]


def test_what_depends_on_the_wording_is_no_equal_column(meeting: Trial) -> None:
    queries = [json.loads(v.config)["query"] for v in meeting.task.verifiers if v.kind == "database_state"]
    described = [query for query in queries if "LENGTH(TRIM(description)) > 0" in query]
    assert described and not any("description =" in query for query in queries)
