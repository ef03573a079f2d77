"""Our rows stand beside the published ones, and say where they may not."""

import json
from collections.abc import Callable
from pathlib import Path

import polars as pl
import pytest

from eops_traj.errors import InputError
from eops_traj.metrics.error_rule import OUT, OWN, ZERO
from eops_traj.metrics.leaderboard import (
    LeaderboardRow,
    check_keys,
    domains,
    leaderboard,
    published_figures,
)
from eops_traj.metrics.leaderboard_table import leaderboard_notes, leaderboard_table
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import episode as stored

HARNESS, OWN_SOURCE = "enterpriseops-gym", "eops-traj"


def episode(domain: str, task: int, won: bool, **changes: object) -> dict[str, object]:
    """Return a row of the store as scores read it, of the benchmark's own harness if nothing else is said."""
    columns: dict[str, object] = {
        "episode_id": f"{domain}{task}{changes}", "supersedes": None, "parent": None, "mode": "oracle",
        "task_hash": f"{domain}{task}", "agent_hash": "a", "outcome": "success" if won else "failure",
        "feasible": True, "n_steps": 3, "task_defect": None, "success_parity": won, "success_strict": won,
        "verifier_pass_parity": float(won), "verifier_pass_strict": float(won), "input_tokens": None,
        "cached_tokens": None, "output_tokens": None, "reasoning_tokens": None, "cost": None,
        "settings": "{}", "source": HARNESS, "suite": HARNESS, "orchestrator": "react", "model": "mine",
        "domain": domain,
    }  # fmt: skip
    return columns | changes


def errors(domain: str, tasks: int, **changes: object) -> list[dict[str, object]]:
    """Return attempts that erred."""
    labels = ("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict")
    none = dict.fromkeys(labels)
    return [episode(domain, 100 + task, False, outcome="error", **none, **changes) for task in range(tasks)]


def rows(episodes: list[dict[str, object]], rule: str = OUT) -> list[LeaderboardRow]:
    return [row for row in leaderboard(pl.LazyFrame(episodes), rule) if not row.published]


def test_the_average_is_the_plain_mean_of_all_eight_domains() -> None:
    many = [episode("csm", task, won=True) for task in range(6)]  # six tasks of a domain weigh as one
    others = [episode(name, task, won=False) for name in domains() if name != "csm" for task in range(2)]
    (row,) = rows([*many, *others])
    assert row.average == pytest.approx(1 / 8) and row.tasks["csm"] == 6 and not row.differs
    assert row.low is not None and row.high is not None and row.low < row.average < row.high
    (partial,) = rows(many)
    assert partial.average is None and partial.success == {"csm": 1.0}


def test_the_interval_is_as_wide_as_the_domains_make_it() -> None:
    mixed = [episode(name, task, won=task % 2 == 0) for name in domains() for task in range(20)]
    (row,) = rows(mixed)
    assert row.average == 0.5 and row.low is not None and row.high is not None
    assert 0.40 < row.low < 0.45 and 0.55 < row.high < 0.60  # 1.96 * sqrt(0.25 / 160) is 0.077


def test_domains_in_which_all_tasks_agree_are_not_certain() -> None:
    """All 16 tasks solved, two a domain, say less than 160 do; one such domain widens the average."""
    few, many = (
        rows([episode(name, task, won=True) for name in domains() for task in range(n)])[0] for n in (2, 20)
    )
    assert few.low is not None and few.average == few.high == 1.0 and 0.7 < few.low < 0.75
    assert many.low is not None and few.low < many.low < 1.0
    others = [episode(name, task, won=task % 2 == 0) for name in domains()[1:] for task in range(20)]
    (mixed,) = rows([*others, *(episode(domains()[0], task, won=True) for task in range(2))])
    assert mixed.low is not None and mixed.high is not None and mixed.average is not None
    assert mixed.average - mixed.low > mixed.high - mixed.average + 0.02  # only below is there room


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"source": OWN_SOURCE}, "protocol"),
        ({"suite": "default"}, "suite default"),
        ({"mode": "plus_5_tools"}, "mode plus_5_tools"),
        ({"orchestrator": "planner_react"}, "orchestrator planner_react"),
    ],
)
def test_a_row_of_other_conditions_says_so(changes: dict[str, object], reason: str) -> None:
    (row,) = rows([episode("hr", 1, True, **changes)])
    assert len(row.differs) == 1 and reason in row.differs[0]
    assert any(reason in note for note in leaderboard_notes([row]))


def test_each_row_keeps_to_its_protocols_rule_for_errors() -> None:
    ours = {"source": OWN_SOURCE, "model": "ours"}
    made = [*[episode("hr", 1, won=True), *errors("hr", 3)], *errors("hr", 1, **ours)]
    made.append(episode("hr", 2, won=True, **ours))
    there, here = rows(made, OWN)
    assert (there.model, there.success, there.errors_count, there.differs) == ("mine", {"hr": 0.25}, ZERO, ())
    assert (here.model, here.success, here.errors_count) == ("ours", {"hr": 1.0}, OUT)
    assert here.differs == ("protocol robust", "errors left out")


def test_a_row_whose_errors_were_left_out_says_so_and_which_domains_have_nothing_else() -> None:
    made = [episode("hr", 1, won=True), *errors("hr", 1), *errors("csm", 2)]
    (row,) = rows(made)
    assert (row.success, row.errors, row.differs) == ({"hr": 1.0}, {"hr": 1, "csm": 2}, ("errors left out",))
    assert any("errors left out" in note for note in leaderboard_notes([row]))
    shown = {str(column.header): list(column.cells) for column in leaderboard_table([row]).columns}
    assert (shown["csm"], shown["hr"], shown["itsm"]) == (["errors"], ["100.0%"], [""])
    (counted,) = rows(made, ZERO)
    assert (counted.success, counted.differs) == ({"hr": 0.5, "csm": 0.0}, ())


def test_one_episode_of_another_protocol_changes_no_row(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    there = {"source": HARNESS, "suite": HARNESS, "model": "there"}
    lost = dict.fromkeys(("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict"))
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([stored("won", task_hash="w", **there)])
        store.append([stored("erred", task_hash="e", outcome="error", **lost, **there)])
        store.append([stored("other", source=OWN_SOURCE, model="here")])
    told = json.loads(cli("score", "--leaderboard", "--store", tmp_path / "store", "--json").out)
    kept = {
        row["model"]: (row["success"], row["errors_count"]) for row in told["rows"] if not row["published"]
    }
    assert kept == {"there": ({"csm": 0.5}, "zero"), "here": ({"csm": 1.0}, "out")}


def test_each_agent_and_mode_has_a_row_of_its_own() -> None:
    agents = [{"model": "a"}, {"model": "b"}, {"model": "a", "mode": "plus_5_tools"}]
    found = rows([episode("hr", 1, True, **agent) for agent in agents])
    assert [(row.mode, row.model) for row in found] == [
        ("oracle", "a"),
        ("oracle", "b"),
        ("plus_5_tools", "a"),
    ]


def test_agents_of_other_settings_have_a_row_each_told_apart_by_what_differs() -> None:
    def stated(temperature: int, seed: int = 1, **more: str) -> str:
        sampling = {"temperature": temperature, "seed": seed}
        return json.dumps({"models": {"executor": {"sampling": sampling}}, "limits": {"turns": 50}, **more})

    cold = [episode("csm", task, won=False, settings=stated(0), agent_hash="c") for task in range(10)]
    warm = [episode("csm", task, won=True, settings=stated(1), agent_hash="w") for task in range(10)]
    found = rows([*cold, *warm, episode("csm", 1, won=True, model="other", settings=stated(1))])
    assert [(row.model, row.settings, row.success["csm"]) for row in found] == [
        ("mine", "temperature 0", 0.0),
        ("mine", "temperature 1", 1.0),
        ("other", "", 1.0),
    ]
    shown = list(leaderboard_table(found).columns[1].cells)
    assert shown == ["mine (react, temperature 0)", "mine (react, temperature 1)", "other (react)"]
    seeds = [episode("csm", task, won=task > 4, settings=stated(0, seed=task)) for task in range(10)]
    (sampled,) = rows(seeds)
    assert (sampled.settings, sampled.success, sampled.tasks) == ("", {"csm": 0.5}, {"csm": 10})


def test_agents_whose_names_hold_no_difference_are_told_apart_by_a_digest() -> None:
    stated = [
        json.dumps({"limits": {"turns": 1, "calls": 1, "words": n}, "z": [n]}) for n in ("a" * 30, "a" * 31)
    ]
    found = rows([episode("hr", 1, won=True, settings=settings) for settings in stated])
    assert len({row.settings for row in found}) == 2 and all("#" in row.settings for row in found)


def test_published_averages_are_the_means_of_their_domains() -> None:
    figures = published_figures()
    assert len(figures["models"]) == 15 and figures["source"]["commit"]
    for one in figures["models"]:
        assert set(one["success"]) == set(domains()), one["model"]
        assert sum(one["success"].values()) / 8 == pytest.approx(one["average"], abs=0.11), one["model"]


def test_a_leaderboard_is_by_mode_and_domain() -> None:
    check_keys(["mode", "domain"])
    with pytest.raises(InputError, match="by mode and domain, not by suite"):
        check_keys(["mode", "suite"])


def test_real_runs_stand_beside_the_published_row(
    shared: Path, tmp_path: Path, cli: Callable[..., Ran]
) -> None:
    store = tmp_path / "store"
    assert cli("import", "enterpriseops", shared / "eog" / "results", "--store", store).code == 0
    shown = cli("score", "--store", store, "--by", "mode,domain", "--leaderboard")
    assert shown.code == 0 and "35.5%" in shown.out and "GPT-5" in shown.out
