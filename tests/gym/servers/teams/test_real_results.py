"""The 184 real calls, repeated: what was accepted is accepted, what was refused is refused in the same
words, answers have the real keys down to the last one, and the real verifiers come to the real outcomes.
"""

import json
from dataclasses import replace

import pytest

from tests.gym.servers.teams.real import calls, template
from tests.real import real_files


@pytest.fixture(scope="module")
def runs(shared):
    files = [f for f in real_files(shared).values() if "gym-teams-mcp" in json.dumps(f["benchmark_config"])]
    return [(list(calls(run)), run["verification_results"]) for file in files for run in file["runs"]]


@pytest.fixture
def again(teams, runs):
    """Every real call with its answer of then and its reply of now; ids of now stand for those of then."""
    seeded = template(teams, [recorded for recorded, _ in runs])
    odd = replace(teams, quirks=frozenset({"empty_team"}))

    def play():
        for recorded, verdicts in runs:
            database, ids = seeded.open(), {}
            yield database, verdicts, [_call(odd, database, one, ids) for one in recorded], ids

    return play


def _call(server, database, recorded, ids):
    reply = server.call(database, recorded.tool, json.loads(_swapped(json.dumps(recorded.arguments), ids)))
    if not reply.is_error and isinstance(recorded.answer, dict) and "id" in recorded.answer:
        ids[str(recorded.answer["id"])] = str(json.loads(reply.text)["id"])
    return recorded, reply


def _swapped(text, ids):
    for then, now in ids.items():
        text = text.replace(then, now)
    return text


def _paths(value, place=""):
    """The keys of an answer, each with its place."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        yield f"{place}/{key}"
        yield from _paths(inner, f"{place}/{key}")
    for inner in value if isinstance(value, list) else ():
        yield from _paths(inner, f"{place}[]")


def test_every_call_is_accepted_or_refused_as_it_was(again):
    for _, _, repeated, _ in again():
        for recorded, reply in repeated:
            assert reply.is_error == recorded.is_error, (recorded.tool, reply.text)
            if isinstance(recorded.answer, str):
                assert reply.text == recorded.answer


def test_answers_have_the_real_keys(again):
    total = deep = 0
    for _, _, repeated, _ in again():
        for recorded, reply in repeated:
            if isinstance(recorded.answer, dict):
                now = json.loads(reply.text)
                assert now.keys() == recorded.answer.keys(), recorded.tool
                total, deep = total + 1, deep + (set(_paths(now)) == set(_paths(recorded.answer)))
    assert total == 155
    assert deep / total > 0.95  # lists differ now and then in how much they hold


def test_verifiers_come_to_the_real_outcomes(again):
    seen = 0
    for database, verdicts, _, ids in again():
        for verdict in verdicts.values():
            rows = database.run_sql(_swapped(verdict["query"], ids)).rows
            assert rows[0][0] == verdict["actual"], verdict["query"]
            seen += 1
    assert seen == 154
