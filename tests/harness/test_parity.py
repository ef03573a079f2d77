"""The harness and our protocol on the same tasks, with a model that errs: equal where they have to be."""

import json
from collections import Counter
from pathlib import Path
from random import Random
from typing import Any

import pytest

from benchmarks.fallible_model import (
    KINDS,
    NO_SUCH_TOOL,
    QUESTION,
    STRICT,
    FallibleModel,
    decomposition,
    judgement,
)
from benchmarks.harness_parity import CALLED, SCORED, Comparison, make_tasks, run
from eops_traj.collectors.agents.benchmark_subtasks import parse_plan
from eops_traj.errors import FormatError
from tests.endpoint import Answer, ReceivedRequest, completion
from tests.harness.checkouts import REAL

TASKS = 16
FACTS: dict[str, Any] = dict.fromkeys((*SCORED, *CALLED), 1)
CALLS = [("look", {"case_id": 5}), ("update", {"case_id": 5, "note": "done"})]
USER = {"role": "user", "content": "Do it. [T01]"}
SYSTEM = {"role": "system", "content": "A policy."}


@pytest.mark.slow
@pytest.mark.skipif(REAL is None, reason="EOPS_TRAJ_HARNESS names no checkout of EnterpriseOps-Gym")
def test_the_harness_and_our_protocol_agree(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    tasks = make_tasks(TASKS, seed=1)
    assert len({task.domain for task in tasks}) == 8 and {task.feasible for task in tasks} == {True, False}
    agreed = run(tasks, Path(str(REAL)), tmp_path, ["react", "planner_react", "decomposing"])
    assert agreed, capsys.readouterr().out


@pytest.mark.parametrize(
    ("name", "fact", "agrees"),
    [
        ("react", "verdicts", False),
        ("react", "errors", False),
        ("decomposing", "verdicts", True),
        ("decomposing", "model calls", False),
        ("planner_react", "tool calls", False),
    ],
)
def test_what_has_to_be_equal(name: str, fact: str, agrees: bool) -> None:
    same = {"01": FACTS, "02": FACTS}
    assert Comparison(name, same, same).agrees()
    other = Comparison(name, same, {**same, "02": {**FACTS, fact: 2}})
    assert other.differing(fact) == ["02"] and other.agrees() is agrees


def test_a_task_that_one_side_lacks_is_no_agreement() -> None:
    assert not Comparison("react", {"01": FACTS, "02": FACTS}, {"01": FACTS}).agrees()


def request(*messages: Any, tools: bool = False) -> ReceivedRequest:
    return ReceivedRequest("/v1", {}, {"messages": messages} | ({"tools": [{}]} if tools else {}))


def said(answer: Answer) -> dict[str, Any]:
    message: dict[str, Any] = answer.body["choices"][0]["message"]
    return message


def test_a_request_is_known_by_its_form() -> None:
    model = FallibleModel({"01": [Answer(completion(None, CALLS[0])), Answer(completion("Done."))]})
    assert "T01" in said(model(request(USER)))["content"]
    assert said(model(request(SYSTEM, USER, tools=True)))["tool_calls"]
    acted = {"role": "assistant", "content": None}
    assert said(model(request(SYSTEM, USER, acted, USER, tools=True)))["content"] == "Done."
    for question in (f"{QUESTION} [T01]?", "Was it declined? [T01]"):
        assert said(model(request(SYSTEM, {**USER, "content": question})))["content"] == judgement(1)
    assert [one.kind for one in model.asked["01"]][-2:] == ["judge", STRICT]
    assert "found" in said(model(request(SYSTEM, USER, acted, USER)))["content"]
    assert Counter(one.kind for one in model.asked["01"])["executor"] == 2


def test_a_planner_gives_plans_and_what_is_none() -> None:
    plan, parts = parse_plan(decomposition(2, 1))
    assert plan.startswith("In two parts.") and [part.id for part in parts] == [1, 2]
    assert decomposition(1, 1).startswith("Here") and len(parse_plan(decomposition(1, 1))[1]) == 2
    for task, time in ((9, 1), (9, 3), (3, 1)):
        with pytest.raises(FormatError):
            parse_plan(decomposition(task, time))
    assert parse_plan(decomposition(3, 2))


@pytest.mark.parametrize("kind", list(KINDS))
def test_each_kind_of_work_is_its_own(kind: str) -> None:
    bodies = {
        name: json.dumps([a.body for a in make(CALLS, "Done.", Random(1))]) for name, make in KINDS.items()
    }
    assert [name for name, body in bodies.items() if body == bodies[kind]] == [kind]
    assert (NO_SUCH_TOOL in bodies[kind]) is (kind == "unknown tool")
