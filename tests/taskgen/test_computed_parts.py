"""What a text holds that was computed from results has to be in it, in whatever words."""

import json
from collections.abc import Iterator
from dataclasses import replace

import pytest

from eops_traj.plan import Call, Plan, Step, parse, run
from eops_traj.sandbox.session import ToolResult
from eops_traj.schema import Change, Json, Task
from eops_traj.taskgen.computed_parts import computed_values
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.gold_run import GoldRun
from eops_traj.taskgen.plan_calls import tool_calls
from eops_traj.taskgen.trial import Trial, in_benchmark_label
from eops_traj.verify.verifiers import verify

WORDS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight")


def made(domain: str, name: str) -> Task:
    family = next(family for family in families([domain]) if family.name == name)
    return build_task(play((family,), 1, "computed:0"), "t", "s", "train")


@pytest.fixture(scope="module")
def notes() -> Iterator[Trial]:
    """Work notes with a count, whose wording is dictated in part."""
    yield Trial(made("itsm", "note_messages"))


def planned_and_said(trial: Trial) -> tuple[int, str]:
    """Return the number of the first step that writes notes, and the notes."""
    call = next(call for call, _ in trial.gold[1].calls if call.tool == "update_incident")
    return call.number, str(call.arguments["worknotes"])


def passes(trial: Trial, text: str) -> tuple[bool, bool]:
    """Return whether the plan with these notes passes, by the benchmark's queries and by all that counts."""
    number, _ = planned_and_said(trial)
    step = trial.plan.steps[number - 1]
    assert isinstance(step, Step)
    changed = replace(step, arguments={**step.arguments, "worknotes": text})
    session = trial.open()
    outcome = run(Plan((*trial.plan.steps[: number - 1], changed, *trial.plan.steps[number:])), session)
    kept = [verifier for verifier in trial.task.verifiers if verifier.kind != "answer"]
    servers = [server.name for server in trial.task.servers]
    verdicts = verify(kept, session, "Done.", tool_calls(outcome.calls), servers=servers, request="")
    session.close()
    queries = [one for one, of in zip(verdicts, kept, strict=True) if in_benchmark_label(of)]
    return all(one.passed_strict for one in queries), all(one.passed_strict for one in verdicts)


@pytest.mark.parametrize(
    "wording", ["There are {n} of them.", "{start} {n}, twice counted", "It was {word}."]
)
def test_the_figure_passes_in_other_words(notes: Trial, wording: str) -> None:
    start, _, figure = planned_and_said(notes)[1].rpartition(" ")
    assert passes(notes, wording.format(n=figure, start=start, word=WORDS[int(figure)])) == (True, True)


@pytest.mark.parametrize(
    "look_alike", ["{more}", "1{n}", "{n}1", "{n}.5", "{n},000", "0.{n}", "A{n}", "ph{word}"]
)
def test_a_figure_that_is_one_off_or_a_part_of_another_fails(notes: Trial, look_alike: str) -> None:
    start, _, figure = planned_and_said(notes)[1].rpartition(" ")
    said = look_alike.format(n=figure, more=int(figure) + 1, word=WORDS[int(figure)])
    assert passes(notes, f"{start} {said}") == (False, False)


def test_every_value_is_found_wherever_the_text_was_put_together(notes: Trial) -> None:
    session = notes.open()
    [(number, identity)] = session.run_sql("itsm", "SELECT number, incident_id FROM incident LIMIT 1").rows
    plan = parse(
        f"""1. find_incident_by_number(number="{number}")
        2. update_incident(incident_id=$1.incident_id, worknotes=join(["{{$1.number}} is", add(3, 4)], " "))
        3. update_incident(incident_id="{identity}", worknotes="{{$1.number}}5 not {{$2.incident_id}}")"""
    )
    outcome = run(plan, session)
    calls = tuple((call, reply) for call, reply in outcome.calls if isinstance(reply, ToolResult))
    found = computed_values(plan, GoldRun(session, calls, {}))
    session.close()
    # no part of a longer word counts, and nothing that one of several writes made
    assert found == {f"{number.lower()} is 7": (number, 7)}


def test_a_loop_in_a_list_has_the_values_of_each_of_its_elements() -> None:
    people = [{"name": "Ana Ruiz", "n": 1}, {"name": "Bo Li", "n": 2}]
    wrote = ToolResult("{}", False, {}, (Change(server="s", table="t", operation="insert", key=Json("{}")),))
    made_of = parse('1. a() \n2. b(to=each($1, {"text": "For {$item.name}", "n": $item.n}))')
    calls = [
        (Call(1, "a", {}), ToolResult(json.dumps(people), False, {})),
        (Call(2, "b", {"to": [{"text": f"For {one['name']}", "n": one["n"]} for one in people]}), wrote),
    ]
    found = computed_values(made_of, GoldRun(None, tuple(calls), {}))  # type: ignore[arg-type]
    assert found == {"for ana ruiz": ("Ana Ruiz",), "for bo li": ("Bo Li",)}
