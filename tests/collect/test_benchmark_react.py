"""ReAct under the protocol ``benchmark`` sends what the benchmark's harness sent, and ends as it did."""

import json
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any

import pytest

from eops_traj.collect.config import CollectConfig, build_setup
from eops_traj.collect.job import Job
from eops_traj.collect.run import collect
from eops_traj.gym import registry
from eops_traj.llm.harness_schemas import flatten
from eops_traj.schema import Episode, Task
from eops_traj.store.store import Store
from tests.collect.faulty_tools import faulty_tools, recorded_tools
from tests.collect.native import CSM, FAULTS, Scenario, is_judge, scenarios, task_of
from tests.conftest import SHARED
from tests.endpoint import Endpoint, endpoint
from tests.store.copies import empty_store

NATIVE = SHARED / "conformance" / "native"
TOLD_OTHERWISE = {"gold_itsm_train_1_0001": "itsm"}
"""Scenarios whose server answered with more fields when they were recorded, and the server."""
NAMES = sorted(scenarios(NATIVE)) if NATIVE.is_dir() else []
pytestmark = pytest.mark.skipif(not NAMES, reason="../shared/conformance/native is not on this machine")


def work(task: Task, model: Endpoint, store: Path, sandbox: dict[str, Any]) -> list[Episode]:
    """Collect one task under ``benchmark``, and return every attempt in order."""
    settings = {
        "tasks": {"source": "."},
        "orchestrator": {"name": "react"},
        "protocol": "benchmark",
        "models": {"executor": {"kind": "openai_api", "model": "stub", "base_url": model.url}},
        "requests": {"pause": 0.001},
        "check": "none",
        "sandbox": sandbox,
    }
    setup = build_setup(CollectConfig.model_validate(settings), "test")
    collect(Job(setup, (task,), None, str(empty_store(store))))
    with Store.open(str(store)) as opened:
        return sorted(opened.episodes(), key=lambda episode: episode.attempt)


@pytest.mark.parametrize("name", NAMES)
def test_requests_and_outcome_are_the_harnesss(name: str, tmp_path: Path) -> None:
    scenario = scenarios(NATIVE)[name]
    task = task_of(scenario)
    with endpoint(*scenario.answers()) as model, tools_of(scenario) as urls:
        sandbox = {"kind": "remote", "urls": urls} if urls else {"kind": "embedded"}
        episodes = work(task, model, tmp_path / "store", sandbox)
    executor = [request.body for request in model.requests if not is_judge(request)]
    judge = [request.body for request in model.requests if is_judge(request)]
    check_requests(scenario, task, executor)
    check_judge(scenario, judge)
    check_outcome(scenario, episodes)


def tools_of(scenario: Scenario) -> AbstractContextManager[dict[str, str]]:
    """Return the addresses of servers that fail as they failed, or answer as they did; none for the gym."""
    if scenario.name in TOLD_OTHERWISE:
        return recorded_tools(TOLD_OTHERWISE[scenario.name], scenario.results())
    return faulty_tools(scenario.name, FAULTS.get(scenario.name))


def check_requests(scenario: Scenario, task: Task, sent: list[dict[str, Any]]) -> None:
    """Check messages, roles, order, settings and tools of every request to the executor."""
    assert [body["messages"] for body in sent] == scenario.conversations()
    for body, recorded in zip(sent, scenario.asked, strict=True):
        settings = {k: v for k, v in body.items() if k not in ("messages", "tools")}
        assert settings == recorded["settings"]
        assert len(body["tools"]) == recorded["tools"]
    listed = [tool for server in task.servers for tool in registry.server(server.name).tools.values()]
    shown = [tool["function"]["name"] for tool in sent[0]["tools"]]
    assert shown == [tool.name for tool in listed if tool.name in set(shown)]


def check_judge(scenario: Scenario, sent: list[dict[str, Any]]) -> None:
    """Check that the executor's model was asked to judge, as often and in the same roles."""
    recorded = [request for request in scenario.requests if request["kind"] == "judge"]
    assert len(sent) == len(recorded)
    for body, request in zip(sent, recorded, strict=True):
        assert [m["role"] for m in body["messages"]] == [m["role"] for m in request["new_messages"]]
        assert {k: v for k, v in body.items() if k != "messages"} == request["settings"]


def check_outcome(scenario: Scenario, episodes: list[Episode]) -> None:
    """Check answer, error, tools that ran and verdicts; a run that erred was made five times."""
    outcome, last = scenario.outcome, episodes[-1]
    assert len(episodes) == (5 if outcome["error"] else 1)
    assert (last.error is not None) == bool(outcome["error"])
    if outcome["error"]:
        assert last.verdicts == () and [e.supersedes for e in episodes[1:]] == [
            e.episode_id for e in episodes[:-1]
        ]
        return
    assert last.response == outcome["model_response"]
    used = list(dict.fromkeys(call.name for call in last.tool_calls()))
    assert outcome["tools_used"] in (used, None)
    verdicts = {v.name: v.passed_parity for v in last.verdicts if v.passed_parity is not None}
    assert verdicts == {name: passed for name, passed in outcome["verifiers"].items() if name in verdicts}
    assert json.loads(last.settings)["protocol"] == "benchmark"


REWORDED = {"Part of this: e-mail address.": "The whole address."}
"""Descriptions of ours that have changed since the recording."""


def test_every_schema_is_shown_as_the_harness_shows_it() -> None:
    recorded = (NATIVE / "schemas_that_differ.json").read_text()
    for then, now in REWORDED.items():
        assert then in recorded
        recorded = recorded.replace(then, now)
    differing = json.loads(recorded)
    for server in registry.SERVERS:
        for tool in registry.server(server).tools.values():
            declared = tool.listing()["inputSchema"]
            shown = differing.get(f"{server}/{tool.name}", {"contract": declared, "native": declared})
            assert declared == shown["contract"]
            assert flatten(declared) == shown["native"]


def test_properties_stand_in_the_servers_order(tmp_path: Path) -> None:
    scenario = scenarios(NATIVE)["all"]
    with endpoint(*scenario.answers()) as model:
        work(task_of(scenario), model, tmp_path / "store", {"kind": "embedded"})
    shown = {t["function"]["name"]: t["function"]["parameters"] for t in model.requests[0].body["tools"]}
    assert len(shown) == len(CSM.tools) - 1
    for name, schema in shown.items():
        declared = flatten(CSM.tools[name].listing()["inputSchema"])
        assert json.dumps(schema) == json.dumps(declared)
