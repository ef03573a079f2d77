"""Commits as their entries tell of them, whoever wrote those."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.store.store import Store
from tests.attacks.damage_kinds import trust_log
from tests.episodes import episode

FOREIGN: dict[str, tuple[Any, str]] = {
    "an operation": (7, "operation"),
    "a time in words": ("today", "timestamp"),
    "a time beyond every calendar": (10**30, "timestamp"),
    "rows in words": ("many", "rows_added"),
    "rows without end": ("9" * 5000, "rows_added"),
}
TOLD = {"operation": "operation", "timestamp": "time", "rows_added": "rows_added"}


@pytest.fixture
def told(tmp_path: Path) -> Callable[[Any], list[dict[str, Any]]]:
    """Return a function that has a log's last entry say this of itself, and reads the store's history."""
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([episode("a")])
    last = max((tmp_path / "store" / "episodes" / "_delta_log").glob("*.json"))

    def rewrite(change: Any) -> list[dict[str, Any]]:
        actions = [json.loads(line) for line in last.read_text().splitlines()]
        info = next(action for action in actions if "commitInfo" in action)
        info["commitInfo"] = {**info["commitInfo"], **change} if isinstance(change, dict) else change
        last.write_text("".join(json.dumps(action) + "\n" for action in actions))
        trust_log(tmp_path / "store")
        with Store.open(tmp_path / "store") as store:
            return store.history()

    return rewrite


@pytest.mark.parametrize("name", FOREIGN)
def test_what_is_told_in_another_form_is_unknown_and_the_rest_is_kept(name: str, told: Any) -> None:
    value, field = FOREIGN[name]
    newest, first = told({field: value})
    assert newest.pop(TOLD[field]) is None
    assert all(value is not None for value in (*newest.values(), *first.values()))


def test_an_entry_that_says_nothing_of_itself_is_a_line_of_what_is_unknown(told: Any) -> None:
    newest, first = told("x")
    assert newest == {"version": 1, "time": None, "operation": None, "rows_added": None}
    assert (first["version"], first["rows_added"]) == (0, 0)
