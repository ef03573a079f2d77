import json

import pytest

from eops_traj.schema import Turn
from eops_traj.store.store import Store
from tests.episodes import PROMPT, episode


@pytest.fixture
def store(tmp_path):
    lost = {"outcome": "failure", "success_parity": False, "success_strict": False}
    episodes = [
        episode("a", failure_modes=("loop", "repeated_errors"), **lost),
        episode("b", failure_modes=("loop",)),
        episode("c", turns=(*episode("c").turns[:1], Turn(text="Case 7 is with Ana now."))),
        episode("d", domain="itsm", turns=(Turn(text=""),), **lost),
        episode("e", failure_modes=("loop",), outcome="error", success_parity=None, success_strict=None),
    ]
    with Store.open(tmp_path / "store", create=True) as opened:
        opened.append(episodes, prompts=[PROMPT])
    return tmp_path / "store"


def test_modes_are_counted_by_domain_with_the_success_they_leave(cli, store):
    rows = json.loads(cli("diagnose", "--store", store, "--json").out)["failure_modes"]
    counts = [(r["domain"], r["mode"], r["episodes"], r["success_parity"]) for r in rows]
    assert counts == [
        ("csm", "loop", 2, 0.5),
        ("csm", "repeated_errors", 1, 0.0),
        ("csm", None, 1, 1.0),
        ("itsm", None, 1, 0.0),
    ]
    assert rows[0]["share"] == pytest.approx(2 / 3)


def test_the_table_is_for_people(cli, store):
    lines = [line.split() for line in cli("diagnose", "--store", store).out.splitlines()]
    assert ["csm", "loop", "2", "67%", "50%", "50%"] in lines
    assert ["itsm", "none", "1", "100%", "0%", "0%"] in lines


def test_one_episode_turn_by_turn(cli, store):
    assert cli("diagnose", "--store", store, "--episode", "d").out.splitlines() == [
        "cause, turn 1  stopped_early  it ended without an answer",
        "turn 1  premature_end  ended without an answer",
        "turn 1  no_tool_used  answered without a tool call",
    ]
    assert cli("diagnose", "--store", store, "--episode", "c").out == "no failure mode shows\n"
    found = json.loads(cli("diagnose", "--store", store, "--episode", "d", "--json").out)
    first = found["failure_modes"][0]
    assert found["causes"][0]["evidence"]["turn"] == 0
    assert (first["mode"], first["turn"]) == ("premature_end", 0)


def test_an_unknown_episode_is_bad_input(cli, store):
    ran = cli("diagnose", "--store", store, "--episode", "zz")
    assert (ran.code, ran.out) == (2, "") and "'zz'" in ran.err


def test_errors_are_said_to_be_left_out_where_there_are_some(cli, store, tmp_path):
    assert cli("diagnose", "--store", store).out.startswith("left out: 1 errors, whatever they count")
    assert json.loads(cli("diagnose", "--store", store, "--json").out)["errors_left_out"] == 1
    with Store.open(tmp_path / "whole", create=True) as opened:
        opened.append([episode("a"), episode("b", supersedes="c"), episode("c", outcome="error")])
    assert "left out" not in cli("diagnose", "--store", tmp_path / "whole").out
