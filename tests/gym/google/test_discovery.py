"""What calendar, email and drive answer is what Google's own discovery documents say."""

import json
from collections.abc import Callable, Collection, Iterator
from pathlib import Path

import pytest

pytest.importorskip("googleapiclient", reason="google-api-python-client carries the discovery documents")

from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from eops_traj.store.store import Store
from tests.gym.google.conformance import Findings, deviations
from tests.gym.google.discovery import answer_schema
from tests.gym.google.methods import APIS, NONE
from tests.gym.plausible import attempts

ALL, FEW, GUESSES = 40, 2, 40


def answers(server: str, most: int, names: Collection[str] = ()) -> Iterator[tuple[str, str]]:
    """Yield tools, or those that are named, with the texts of their good answers, up to ``most`` of each."""
    played = registry.server(server)
    for tool in played.tools.values():
        if names and tool.name not in names:
            continue
        database = played.template().open()
        caller, good = default_caller(played, database), 0
        for number, arguments in enumerate(attempts(played, tool, database)):
            if good == most or (good and number > GUESSES * most):
                break
            reply = played.call(database, tool.name, arguments, caller)
            if not reply.is_error:
                good += 1
                yield tool.name, reply.text
        database.close()


@pytest.mark.parametrize("server", APIS)
def test_every_tool_has_a_method_of_google_s(server: str) -> None:
    document, methods = APIS[server]
    assert registry.server(server).tools.keys() == methods.keys() | (NONE if server == "calendar" else set())
    for path in methods.values():
        answer_schema(document, path)


@pytest.mark.parametrize("server", APIS)
def test_every_tool_answers_as_google_s_method_does(server: str) -> None:
    findings, seen = Findings(), set()
    for tool, text in answers(server, FEW):
        if tool not in NONE:
            findings.check(server, tool, text)
            seen.add(tool)
    assert findings.others == [] and seen == APIS[server][1].keys()


@pytest.mark.slow
@pytest.mark.parametrize("server", APIS)
def test_many_answers_of_every_tool(server: str) -> None:
    findings = Findings()
    for tool, text in answers(server, ALL):
        if tool not in NONE:
            findings.check(server, tool, text)
    print(f"{server}: {findings.answers} answers, {len(findings.listed)} deviations of the list, 0 others")
    assert findings.others == [] and findings.answers > 500


@pytest.mark.slow
def test_the_expert_s_episodes(tmp_path: Path, cli: Callable) -> None:
    tasks, store = tmp_path / "tasks", tmp_path / "store"
    assert cli("tasks", "make", "--suite", "quick", "--tasks", 48, "--seed", 5, "--out", tasks).code == 0
    every = (f"tasks.source={tasks}", "tasks.splits=[]", "attempts=1")
    assert cli("collect", "collect_expert", "--store", store, *every).code == 0
    findings = Findings()
    named = {registry.server(name).gym_name: name for name in APIS}
    with Store.open(store) as opened:
        for episode in opened.episodes():
            for call in episode.tool_calls():
                if call.server in named and not call.is_error and call.name not in NONE:
                    findings.check(named[call.server], call.name, call.result or "")
    assert findings.others == [] and findings.answers > 100


@pytest.mark.parametrize(
    ("server", "tool", "answer", "wrong"),
    [
        ("calendar", "get_settings", {"kind": "calendar#setting", "user_id": "u"}, False),
        ("calendar", "get_settings", {"kind": "calendar#setting", "user_id": "u", "other": 1}, True),
        ("calendar", "get_acl_rule", {"kind": "calendar#aclRule", "user_id": "u"}, True),
        ("email", "get_imap_settings", {"enabled": True, "maxFolderSize": "1000"}, False),
        ("email", "get_pop_settings", {"accessWindow": 7}, True),
        ("email", "get_pop_settings", {"accessWindow": "sometimes"}, True),
        ("drive", "get_files", {"id": "f", "downloadRestrictions": {"restricted": True}}, False),
        ("drive", "get_files", {"id": "f", "size": 12}, True),
        ("drive", "delete_files", {"id": "f"}, True),
    ],
)
def test_what_differs_and_is_not_listed_is_found(server: str, tool: str, answer: object, wrong: bool) -> None:
    findings = Findings()
    findings.check(server, tool, json.dumps(answer))
    assert bool(findings.others) == wrong


@pytest.mark.slow
def test_every_deviation_has_its_evidence_and_shows() -> None:
    shown = Findings()
    named = {tool for one in deviations() for tool in one["tools"]}
    for server in APIS:
        for tool, text in answers(server, ALL, named):
            shown.check(server, tool, text)
    assert all(one["evidence"] for one in deviations()) and shown.listed == set(range(len(deviations())))
