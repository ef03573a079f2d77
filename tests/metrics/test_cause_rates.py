"""Causes are counted by domain over the failed episodes alone."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.store.store import Store
from tests.episodes import PROMPT, episode

LOST: dict[str, Any] = {"outcome": "failure", "success_parity": False, "success_strict": False}


@pytest.fixture
def store(tmp_path: Path) -> Path:
    episodes = [
        episode("a", causes=("wrong_value", "missing_write"), **LOST),
        episode("b", causes=("missing_write",), **LOST),
        episode("c", causes=(), **LOST),
        episode("d", causes=None, domain="itsm", **LOST),
        episode("e", causes=()),
        episode("f", causes=("broken_off",), **{**LOST, "outcome": "error", "success_parity": None}),
    ]
    with Store.open(tmp_path / "store", create=True) as opened:
        opened.append(episodes, prompts=[PROMPT])
    return tmp_path / "store"


def test_causes_are_counted_among_the_failed_and_the_first_error_apart(cli: Any, store: Path) -> None:
    rows = json.loads(cli("diagnose", "--store", store, "--json").out)["causes"]
    assert [(r["domain"], r["cause"], r["episodes"], r["first"]) for r in rows] == [
        ("csm", "missing_write", 2, 1),
        ("csm", "wrong_value", 1, 1),
        ("csm", None, 1, 0),
        ("itsm", None, 1, 0),
    ]
    assert rows[0]["share"] == pytest.approx(2 / 3)


def test_the_table_is_for_people(cli: Any, store: Path) -> None:
    lines = [line.split() for line in cli("diagnose", "--store", store).out.splitlines()]
    assert ["csm", "missing_write", "2", "67%", "1"] in lines
    assert ["itsm", "none", "found", "1", "100%", "0"] in lines
