"""Errors count as the benchmark counts them where its protocol is the agents', and as before elsewhere."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.metrics.error_rule import RULES
from eops_traj.schema import Json, Verdict
from eops_traj.store.store import Store
from tests.episodes import episode

BENCHMARK = {"settings": Json('{"protocol":"benchmark"}'), "agent_hash": "b0"}
ERROR: dict[str, Any] = {
    "outcome": "error",
    "error": "x",
    "success_parity": None,
    "success_strict": None,
    "verifier_pass_parity": None,
    "verifier_pass_strict": None,
}
LOST = {"success_parity": False, "success_strict": False, "verifier_pass_parity": 0.5, "outcome": "failure"}


def runs(**fields: Any) -> list[Any]:
    """A success, a failure with half of its verifiers, an error for good, and one that was tried again."""
    return [
        episode("won", task_hash="t1", **fields),
        episode("lost", task_hash="t2", **LOST, **fields),
        episode("erred", task_hash="t3", **ERROR, **fields),
        episode("first", task_hash="t4", **ERROR, **fields),
        episode("second", task_hash="t4", attempt=2, supersedes="first", **fields),
    ]


@pytest.fixture
def stored(tmp_path: Path) -> Callable[..., Path]:
    def put(*made: Any) -> Path:
        with Store.open(tmp_path / "store", create=True) as store:
            store.append(list(made))
        return tmp_path / "store"

    return put


@pytest.mark.parametrize(
    ("fields", "options", "rule", "success", "verifiers", "counted"),
    [
        ({}, (), "out", 2 / 3, 2.5 / 3, 3),
        ({}, ("--errors", "zero"), "zero", 2 / 4, 2.5 / 4, 4),
        (BENCHMARK, (), "zero", 2 / 4, 2.5 / 4, 4),
        (BENCHMARK, ("--errors", "out"), "out", 2 / 3, 2.5 / 3, 3),
    ],
)
def test_the_rule_is_the_protocols_unless_told(
    fields: Any, options: Any, rule: str, success: float, verifiers: float, counted: int,
    stored: Callable[..., Path], cli: Callable[..., Any],
) -> None:  # fmt: skip
    store = stored(*runs(**fields))
    [row] = json.loads(cli("score", "--store", store, "--json", *options).out)
    assert (row["errors_count"], row["errors"], row["superseded"], row["episodes"]) == (rule, 1, 1, counted)
    assert row["success_parity"] == pytest.approx(success)
    assert row["verifier_pass_parity"] == pytest.approx(verifiers)
    assert row["pass@1"] == pytest.approx(success)
    heading = cli("score", "--store", store, *options).out.splitlines()[0]
    assert heading.startswith({"zero": "errors count as 0", "out": "errors are left out"}[rule])


def test_agents_of_both_protocols_are_scored_as_before(
    stored: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    store = stored(*runs(), episode("other", **BENCHMARK))
    ran = cli("score", "--store", store, "--json", "--mix-protocols")
    assert json.loads(ran.out)[0]["errors_count"] == "out"


def test_an_unknown_rule_lists_the_rules(stored: Callable[..., Path], cli: Callable[..., Any]) -> None:
    ran = cli("score", "--store", stored(*runs()), "--errors", "half")
    assert ran.code == 2 and "unknown rule for errors 'half'; choose from out, zero" in ran.err


def two_runs(**fields: Any) -> list[Any]:
    """A side that solves three tasks of five, and one that solves the other two and errs at the three."""
    base, new = ({**fields, "run_id": run, "model": run} for run in ("base", "new"))
    return [
        *(episode(f"b{t}", task_hash=f"t{t}", **base) for t in range(3)),
        *(episode(f"b{t}", task_hash=f"t{t}", **base, **LOST) for t in (3, 4)),
        *(episode(f"n{t}", task_hash=f"t{t}", **new, **ERROR) for t in range(3)),
        *(episode(f"n{t}", task_hash=f"t{t}", **new) for t in (3, 4)),
    ]


@pytest.mark.parametrize(
    ("fields", "options", "rule", "tasks", "shares", "said"),
    [
        ({}, (), "out", 2, (0.0, 1.0), "left out: 3 errors"),
        ({}, ("--errors", "zero"), "zero", 5, (0.6, 0.4), "3 of them errors that count as 0"),
        (BENCHMARK, (), "zero", 5, (0.6, 0.4), "3 of them errors that count as 0"),
        (BENCHMARK, ("--errors", "out"), "out", 2, (0.0, 1.0), "left out: 3 errors"),
    ],
)
def test_a_comparison_keeps_to_the_rule_of_a_score(
    fields: Any, options: Any, rule: str, tasks: int, shares: Any, said: str,
    stored: Callable[..., Path], cli: Callable[..., Any],
) -> None:  # fmt: skip
    store = stored(*two_runs(**fields))
    told = json.loads(cli("compare", "base", "new", "--store", store, "--json", *options).out)
    whole = told["pass_at_1"]
    assert (told["errors_count"], told["tasks"], told["new"]["errors"]) == (rule, tasks, 3)
    assert (whole["base"], whole["new"]) == pytest.approx(shares)
    assert told["mcnemar"]["lost"] == (3 if rule == "zero" else 0)
    lines = cli("compare", "base", "new", "--store", store, *options).out.splitlines()
    assert said in lines[4] and "errors" not in lines[3] and lines[5] == RULES[rule]


def test_a_comparison_without_errors_says_nothing_of_them(
    stored: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    store = stored(*(one for one in two_runs(**BENCHMARK) if one.outcome != "error"))
    assert "error" not in cli("compare", "base", "new", "--store", store).out


def test_a_comparison_of_both_protocols_leaves_errors_out(
    stored: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    made = [replace(one, settings=Json("{}"), source="eops-traj") if one.run_id == "base" else one
            for one in two_runs(**BENCHMARK)]  # fmt: skip
    ran = cli("compare", "base", "new", "--store", stored(*made), "--mix-protocols", "--json")
    assert json.loads(ran.out)["errors_count"] == "out"


def test_a_side_of_errors_alone_counts_where_errors_do(
    stored: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    store = stored(*(one for one in two_runs(**BENCHMARK) if one.outcome == "error" or one.run_id == "base"))
    told = json.loads(cli("compare", "base", "new", "--store", store, "--json").out)
    assert (told["tasks"], told["pass_at_1"]["base"], told["pass_at_1"]["new"]) == (3, 1.0, 0.0)
    ran = cli("compare", "base", "new", "--store", store, "--errors", "out")
    assert ran.code == 2 and "new has no attempt that counts" in ran.err


def test_an_error_that_counts_passed_no_category(
    stored: Callable[..., Path], cli: Callable[..., Any]
) -> None:
    verdicts = (Verdict(name="a", kind="database_state", passed_strict=True, category="integrity"),)
    made = [one if one.outcome == "error" else replace(one, verdicts=verdicts)
            for one in two_runs(**BENCHMARK)]  # fmt: skip
    [row] = json.loads(cli("compare", "base", "new", "--store", stored(*made), "--json").out)["categories"]
    assert (row["name"], row["tasks"], row["base"], row["new"]) == ("integrity", 5, 1.0, pytest.approx(0.4))


def test_rows_of_one_protocol_keep_to_its_rule(stored: Callable[..., Path], cli: Callable[..., Any]) -> None:
    robust = {"settings": Json('{"protocol":"robust"}'), "agent_hash": "r0"}
    made = [replace(one, episode_id=f"r{one.episode_id}", **robust) for one in runs()[:3]]
    store = stored(*runs(**BENCHMARK)[:3], *made)
    rows = json.loads(cli("score", "--store", store, "--by", "protocol", "--json").out)
    kept = [(row["protocol"], row["errors_count"], row["episodes"], row["errors"]) for row in rows]
    assert kept == [("benchmark", "zero", 3, 1), ("robust", "out", 2, 1)]
    assert [row["success_parity"] for row in rows] == pytest.approx([1 / 3, 1 / 2])
    shown = cli("score", "--store", store, "--by", "protocol").out
    assert shown.startswith("errors count as 0 under the protocol benchmark, and are left out under others")
    assert [line.split()[1] for line in shown.splitlines() if line.startswith(" all")] == ["4"]
    zero = json.loads(cli("score", "--store", store, "--by", "protocol", "--json", "--errors", "zero").out)
    assert [(row["errors_count"], row["episodes"]) for row in zero] == [("zero", 3)] * 2
