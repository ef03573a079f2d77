"""Nothing held out and nothing that failed goes into training unasked; what was asked for by name does."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import InputError
from eops_traj.export.checks import CheckedRow, ExpectedRow, Row
from eops_traj.export.fitness import EVERYTHING, Fitness, fitting_export
from eops_traj.export.run import Export
from eops_traj.exporters import FORMATS
from eops_traj.instances import load
from eops_traj.schema import Json, Selection
from tests.selected import calling, certificate, exported, lines, store_of

TRAIN, TEST = replace(calling("e0"), split="train"), replace(calling("e1"), split="test")
STRANGER = calling("e2")
UNRULED, VERIFIED = '{"rules":[{"no_error":{}}]}', '{"rules":[{"verified":{"label":"strict"}}]}'
SCORED = {"adp", "atif", "enterpriseops", "inspect_ai"}
"""The formats that no one trains on."""
ASSEMBLED = {"corrections", "planner_sft", "planner_dpo", "step_dpo", "kto", "prompts", "nemo_gym"}
"""The formats whose rows are no episodes to imitate as they stand."""


def export(cli: Callable, store: Path, *options: str, format: str = "sft"):
    out = store.parent / "out"
    return cli("export", format, "--store", store, "--selection", "chosen", "--out", out, *options)


@pytest.mark.parametrize("format", FORMATS)
def test_every_format_says_what_it_is_for(format: str) -> None:
    cls = load("format", format)
    assert cls.teaches == (format not in SCORED)
    assert cls.imitates == (format not in SCORED | ASSEMBLED)
    names = set(cls().every_check())
    assert ("split_asked_for" in names, "outcome_to_imitate" in names) == (cls.teaches, cls.imitates)


def test_held_out_episodes_are_refused_with_their_splits_and_counts(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, [TRAIN, TEST, STRANGER], split=None)
    ran = export(cli, store)
    assert ran.code == 2 and "held-out episodes: 1 of none, 1 of test" in ran.err
    assert "--split train --split none --split test" in ran.err
    assert [path.name for path in tmp_path.iterdir()] == ["store"]
    assert export(cli, store, format="enterpriseops").code == 0


def test_dev_is_held_out_since_models_are_chosen_on_it(tmp_path: Path, cli: Callable) -> None:
    ran = export(cli, store_of(tmp_path, [replace(TRAIN, split="dev")]))
    assert ran.code == 2 and "1 of dev" in ran.err


def test_what_is_asked_for_by_name_is_taken_and_counted(tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, [TRAIN, TEST, STRANGER], split=None)
    assert export(cli, store, "--split", "train", "--split", "test", "--split", "none").code == 0
    assert certificate(tmp_path / "out")["rows_by"]["split"] == {"none": 1, "test": 1, "train": 1}
    assert "| split | train | 1 |" in (tmp_path / "out" / "README.md").read_text("utf-8")


def test_an_unknown_split_is_named_with_the_choices(tmp_path: Path, cli: Callable) -> None:
    ran = export(cli, store_of(tmp_path, [TRAIN]), "--split", "trian")
    assert ran.code == 2 and "unknown split 'trian'; choose from dev, none, test, test_ood, train" in ran.err


def test_imitation_without_a_rule_on_outcomes_stops_with_the_rule_to_add(
    tmp_path: Path, cli: Callable
) -> None:
    """Even where every episode happens to have ended well."""
    store = store_of(tmp_path, [TRAIN], rules=UNRULED)
    ran = export(cli, store)
    assert ran.code == 2 and '- verified: {label: strict}" or "- outcome: {one_of: [success' in ran.err
    assert export(cli, store, format="nemo_gym").code == 0


def test_a_failure_that_no_rule_names_is_not_imitated(tmp_path: Path) -> None:
    unsafe = replace(calling("e1"), outcome="unsafe_action")
    with pytest.raises(InputError, match="is imitated, and has 1 of unsafe_action"):
        exported(tmp_path, [TRAIN, unsafe])
    store = store_of(tmp_path / "b", [TRAIN, unsafe], rules=VERIFIED)
    with pytest.raises(InputError, match="is imitated, and has 1 of unsafe_action"):
        Export("sft", str(store), "chosen", tmp_path / "out").run()
    named = [TRAIN, replace(calling("e1"), outcome="failure")]
    assert len(lines(exported(tmp_path / "d", named))) == 2


@pytest.mark.parametrize(
    ("fitness", "facts", "failing"),
    [
        (Fitness(), {"split": "train", "outcome": "success"}, []),
        (Fitness(), {"split": "test", "outcome": "success"}, ["split_asked_for"]),
        (Fitness(), {"split": "train", "outcome": "false_success"}, ["outcome_to_imitate"]),
        (Fitness(), {}, ["split_asked_for", "outcome_to_imitate"]),
        (EVERYTHING, {}, []),
    ],
)
def test_every_row_is_held_to_it(fitness: Fitness, facts: dict[str, str], failing: list[str]) -> None:
    row = CheckedRow(Row("", {}, [], []), None, ExpectedRow("e", "", 0, facts), None, [])
    checks = fitness.checks(teaches=True, imitates=True)
    assert [name for name, check in checks.items() if check(row)] == failing


@pytest.mark.parametrize(
    ("rules", "kept", "format"),
    [
        ([{"verified": {}}], [("train", "success")], "sft"),
        (
            [{"verified": {}}],
            [("train", "success"), ("train", "failure")],
            "nemo_gym",
        ),  # passed by parity alone
        ([{"outcome": {"one_of": ["failure"]}}], [("train", "failure")], "sft"),
        ([{"no_error": {}}], [("train", "success")], "nemo_gym"),
    ],
)
def test_a_format_is_named_that_takes_what_is_kept(
    rules: list[dict[str, Any]], kept: list[tuple[str | None, str]], format: str
) -> None:
    config = Json(json.dumps({"rules": rules}))
    selection = Selection(name="s", store_version=0, config=config, created_at="2026-11-21", rows=())
    assert fitting_export(selection, kept) == (format, ())
