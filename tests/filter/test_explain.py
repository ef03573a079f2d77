"""why says which rules an episode met, and with which values."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.errors import InputError, StoreError
from eops_traj.filter.config import parse_rules
from eops_traj.filter.explain import explain
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import episode
from tests.filters.labelled import selected

RULES = {"rules": ["no_error", {"max_turns": {"most": 3}}, "not_truncated", {"cap_per_task": {"most": 1}}]}


@pytest.fixture
def store(tmp_path: Path) -> Store:
    """A store with a selection ``s``, of one episode kept and three dropped."""
    opened = Store.open(tmp_path / "s", create=True)
    opened.append([episode("in"), episode("long", n_turns=4), episode("second", n_steps=5)])
    opened.append([episode("cut", stop_reason="max_tokens", error=None)])
    opened.flush()
    selected(opened, "s", parse_rules(RULES, "a test"), save=True)
    return opened


def test_a_kept_row_met_every_rule(store: Store) -> None:
    steps = explain(store, store.selection("s"), "in")
    assert [(s.rule, s.kept) for s in steps] == [
        ("no_error", True),
        ("max_turns", True),
        ("not_truncated", True),
        ("cap_per_task", True),
    ]
    assert steps[0].values == {"outcome": "success", "error": None}
    assert steps[2].values == {"stop_reason": "completed", "finish_reasons": []}


def test_a_dropped_row_ends_at_the_rule_that_dropped_it(store: Store) -> None:
    last = explain(store, store.selection("s"), "long")[-1]
    assert (last.rule, last.kept, last.parameters, last.values) == (
        "max_turns",
        False,
        {"most": 3},
        {"n_turns": 4},
    )


def test_a_set_step_says_which_episode_came_before(store: Store) -> None:
    last = explain(store, store.selection("s"), "second")[-1]
    assert (last.kept, last.values) == (False, {})
    assert last.detail == "task task_0 has 1 better, the last of them in"


def test_the_values_are_those_the_selection_read(store: Store) -> None:
    selection = store.selection("s")
    store.append([episode("later")])
    store.flush()
    assert explain(store, selection, "in")[1].values == {"n_turns": 2}
    with pytest.raises(InputError, match="'later' is not among those that selection"):
        explain(store, selection, "later")


def test_the_command_says_the_same(cli: Callable[..., Ran], store: Store) -> None:
    out = cli("why", "cut", "--selection", "s", "--store", store.url).out
    assert "dropped_by: not_truncated" in out
    assert 'stop_reason="max_tokens"' in out
    printed = json.loads(cli("why", "cut", "--selection", "s", "--store", store.url, "--json").out)
    assert (printed["kept"], printed["dropped_by"], len(printed["rules"])) == (False, "not_truncated", 3)
    assert cli("why", "in", "--selection", "t", "--store", store.url).code == 2


def test_an_episode_that_the_version_no_longer_finds_is_told(
    store: Store, monkeypatch: pytest.MonkeyPatch
) -> None:
    table = store.tables["episodes"]
    monkeypatch.setattr(table, "scan_keys", lambda *_: table.scan().head(0))
    with pytest.raises(StoreError, match="no longer finds episode 'in' in version"):
        explain(store, store.selection("s"), "in")
