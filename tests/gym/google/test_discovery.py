"""What calendar, email and drive answer is what Google's own discovery documents say."""

import json
from pathlib import Path

import pytest

pytest.importorskip("googleapiclient", reason="google-api-python-client carries the discovery documents")

from eops_traj.gym import registry
from eops_traj.store.store import Store
from tests.gym.google.discovery import Schema, answer_schema
from tests.gym.google.methods import APIS, NONE
from tests.gym.published import Findings, answers, read_deviations
from tests.made import expert_store
from tests.tasks.small_suite import larger_suite

MANY, FEW = 40, 1
DEVIATIONS = read_deviations(Path(__file__).parent / "deviations.yaml")


def answer_of(server: str, tool: str) -> Schema | None:
    document, methods = APIS[server]
    return answer_schema(document, methods[tool])


def findings() -> Findings:
    return Findings(DEVIATIONS, answer_of)


@pytest.mark.parametrize("server", APIS)
def test_every_tool_has_a_method_of_google_s(server: str) -> None:
    document, methods = APIS[server]
    assert registry.server(server).tools.keys() == methods.keys() | (NONE if server == "calendar" else set())
    for path in methods.values():
        answer_schema(document, path)


@pytest.mark.parametrize("server", APIS)
def test_every_tool_answers_as_google_s_method_does(server: str) -> None:
    found, seen = findings(), set()
    for tool, text in answers(server, FEW):
        if tool not in NONE:
            found.check(server, tool, text)
            seen.add(tool)
    assert found.others == [] and seen == APIS[server][1].keys()


@pytest.mark.slow
def test_many_answers_of_every_tool_differ_as_is_listed_and_every_deviation_shows() -> None:
    found = findings()
    for server in APIS:
        before = found.answers
        for tool, text in answers(server, MANY):
            if tool not in NONE:
                found.check(server, tool, text)
        assert found.answers > before + 500
    assert found.others == [] and all(one["evidence"] for one in DEVIATIONS)
    assert found.listed == set(range(len(DEVIATIONS)))


@pytest.mark.slow
def test_the_expert_s_episodes() -> None:
    found, store = findings(), expert_store(larger_suite())
    named = {registry.server(name).gym_name: name for name in APIS}
    with Store.open(store) as opened:
        for episode in opened.episodes():
            for call in episode.tool_calls():
                if call.server in named and not call.is_error and call.name not in NONE:
                    found.check(named[call.server], call.name, call.result or "")
    assert found.others == [] and found.answers > 100


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
    found = findings()
    found.check(server, tool, json.dumps(answer))
    assert bool(found.others) == wrong
