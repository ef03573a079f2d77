"""The numbers of the figures, on data whose answer is known."""

from pathlib import Path
from typing import Any

import polars as pl
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from eops_traj.report.drawing.canvas import replace_unknown_letters, shorten_name, wrap_name
from eops_traj.report.figure import Figure, MissingFigure
from eops_traj.report.figures import FIGURES, training
from eops_traj.report.figures.cost import pareto_front
from eops_traj.report.figures.plans import GOLD, NO_PLAN, OTHERS, OWN, plan_source
from eops_traj.report.figures.reasoning_budget import MIN_EPISODES, QUARTERS, _by_quarter
from eops_traj.report.load import ReportData, load_data
from eops_traj.schema import Episode, Turn
from eops_traj.store.store import Store
from tests.report.stores import episode_like, errors, settings, store_of, worked


def build(folder: Path, name: str, episodes: Any) -> Figure | MissingFigure:
    with Store.open(store_of(folder, episodes)) as opened:
        return FIGURES[name](load_data(opened, folder))


def rows(folder: Path, name: str, episodes: Any) -> list[Any]:
    figure = build(folder, name, episodes)
    assert isinstance(figure, Figure), figure
    return list(figure.rows)


def test_the_leaderboard_has_pass_at_k_and_the_best_first(tmp_path: Path) -> None:
    won = worked("good", 1, range(8), attempts=2)
    scores = rows(tmp_path, "leaderboard", [*worked("bad", 0, range(8), attempts=2), *won])
    whole = [(r["agent"], r["parity"], r["pass@2"], r["pass^2"], r["tasks"]) for r in scores[:2]]
    assert whole == [("good", 1, 1, 1, 8), ("bad", 0, 0, 0, 8)]


def test_an_agent_that_tried_more_often_is_scored_at_its_own_number_of_attempts(tmp_path: Path) -> None:
    twice = worked("twice", 1, range(8), attempts=2)
    scores = rows(tmp_path, "leaderboard", [*twice, *worked("once", 0, range(8))])
    assert [(r["agent"], r["mean@2"], r["pass@2"]) for r in scores[:2]] == [
        ("twice", 1, 1),
        ("once", None, None),
    ]


def test_the_leaderboard_says_where_attempts_are_uneven_and_of_what_pass_at_k_is(tmp_path: Path) -> None:
    often = worked("m", 1, range(2), attempts=4)
    uneven = build(tmp_path, "leaderboard", [*often, *worked("m", 0, range(2, 10), attempts=1)])
    assert isinstance(uneven, Figure) and "tasks@4" not in uneven.columns  # an agent's own k is 1
    assert any("over tasks they are 20.0% and 20.0% for m." in caution for caution in uneven.cautions)
    (tmp_path / "two").mkdir()
    mixed = build(
        tmp_path / "two", "leaderboard", [*worked("a", 1, range(8), attempts=2), *worked("b", 0, range(8))]
    )
    assert isinstance(mixed, Figure) and not any("uneven" in caution for caution in mixed.cautions)
    assert [(row["agent"], row["tasks@2"]) for row in mixed.rows[:2]] == [("a", 8), ("b", 0)]


def test_the_leaderboard_tells_the_share_of_replies_that_were_cut(tmp_path: Path) -> None:
    ends = ("stop", None, "length", "max_tokens", "tool_calls")
    talked = worked("m", 1, range(8), turns=tuple(Turn(text="x", finish_reason=end) for end in ends))
    figure = build(tmp_path, "leaderboard", [*talked, *worked("whole", 0, range(8))])
    assert isinstance(figure, Figure)
    assert [(row["domain"], row["agent"], row["replies cut"]) for row in figure.rows[:3]] == [
        ("all", "m", 0.5), ("all", "whole", None), ("calendar", "m", 0.5)
    ]  # fmt: skip
    assert "Cut at their token limit: 50.0% of the replies of m." in figure.cautions


def test_verifiers_count_by_category(tmp_path: Path) -> None:
    scores = rows(tmp_path, "verifier_categories", worked("good", 1, range(8)))
    assert [(r["category"], r["verifiers"], r["strict"]) for r in scores] == [
        ("integrity", 8, 1), ("permission_and_process", 8, 1), ("task_completion", 8, 1)
    ]  # fmt: skip


def test_a_horizon_is_the_shortest_solution_of_anyone(tmp_path: Path) -> None:
    both = [*worked("good", 1, range(18)), *worked("bad", 0, range(18))]
    scores = rows(tmp_path, "horizon", both)
    assert {r["parity"] for r in scores if r["agent"] == "bad"} == {0}
    assert [r["tasks"] for r in scores if r["agent"] == "good"] == [5, 4, 5, 4]


def test_without_second_attempts_the_horizon_is_an_attempts_own_calls(tmp_path: Path) -> None:
    figure = build(tmp_path, "horizon", worked("bad", 0, range(18)))
    assert isinstance(figure, Figure) and "attempt itself" in figure.caption
    assert [(r["tasks"], r["parity"]) for r in figure.rows] == [(5, 0), (4, 0), (5, 0), (4, 0)]


def test_a_failed_attempt_is_no_solution_however_short(tmp_path: Path) -> None:
    good = [episode_like(e, n_steps=9) for e in worked("good", 1, range(4))]
    bad = [episode_like(e, n_steps=2) for e in worked("bad", 0, range(4))]
    scores = rows(tmp_path, "horizon", [*good, *bad])
    assert {(r["agent"], r["horizon"], r["tasks"]) for r in scores} == {
        ("good", "7 to 10 calls", 4), ("bad", "7 to 10 calls", 4)
    }  # fmt: skip


def test_a_collection_tells_its_errors_by_kind_and_its_pace(tmp_path: Path) -> None:
    broken = errors("m", "timeout: no reply", "throttled: HTTP 429", "timeout: again", "a long story " * 9)
    made = [episode_like(e, duration_ms=1000.0) for e in worked("m", 1, range(6))]
    (row,) = rows(tmp_path / "a", "collection", [*made, *broken])
    assert (row["episodes"], row["errors"], row["error: timeout"], row["error: throttled"]) == (10, 4, 2, 1)
    assert row["error: unnamed"] == 1 and row["episodes an hour"] is None  # of errors no time is known
    (row,) = rows(tmp_path / "b", "collection", made)
    assert row["episodes an hour"] == pytest.approx(6 * 3600 / (5 * 3600 + 1)) and row["errors"] == 0
    unknown = [*made[:5], episode_like(made[5], duration_ms=None)]
    (row,) = rows(tmp_path / "c", "collection", unknown)
    assert row["episodes an hour"] is None and row["median seconds"] == 1.0


def test_modes_are_held_against_each_other_at_the_same_tasks(tmp_path: Path) -> None:
    episodes = [*worked("m", 1, range(10)), *worked("m", 0, range(6), mode="all")]
    scores = rows(tmp_path, "modes", episodes)
    assert [(r["mode"], r["tasks"], r["parity"]) for r in scores] == [("oracle", 6, 1), ("all", 6, 0)]


def test_thinking_budgets_are_in_their_own_order(tmp_path: Path) -> None:
    episodes = [
        e
        for effort in ("high", "low", "medium")
        for e in worked(
            "m",
            1,
            range(4),
            settings=settings(models={"executor": {"sampling": {"reasoning_effort": effort}}}),
        )
    ]
    assert [r["thinking"] for r in rows(tmp_path, "thinking", episodes)] == ["low", "medium", "high"]


def test_without_budgets_thinking_is_told_by_quarters(tmp_path: Path) -> None:
    episodes = [episode_like(e, reasoning_tokens=n) for n, e in enumerate(worked("m", 1, range(8)), 1)]
    scores = rows(tmp_path, "thinking", episodes)
    assert [(r["thinking"], r["episodes"], r["reasoning tokens"]) for r in scores] == [
        ("least", 2, 1.5), ("less", 2, 3.5), ("more", 2, 5.5), ("most", 2, 7.5)
    ]  # fmt: skip


known_or_not = st.lists(st.sampled_from([None, 0, 1, 1, 2, 3]), min_size=8, max_size=20)


@example(spent={"a": [0] * 9})
@example(spent={"a": [3, 1, 1, None, 1, 2, 2, 0, 3, 3, 3], "b": [1] * 7})
@given(spent=st.dictionaries(st.sampled_from(["a", "b"]), known_or_not, min_size=1))
def test_quarters_are_those_of_each_agents_attempts_in_their_order(
    spent: dict[str, list[int | None]],
) -> None:
    """By tokens, and by their ids where many spent as many; of an agent with eight that are known."""
    rows = [(f"{n:02}{agent}", agent, tokens) for agent, of in spent.items() for n, tokens in enumerate(of)]
    frame = pl.DataFrame(rows, ["episode_id", "agent", "reasoning_tokens"], orient="row").with_columns(
        pl.col("reasoning_tokens").cast(pl.Int64), standing=pl.lit("scored")
    )
    parts = [frame[:5].lazy(), frame[5:].lazy()]
    found = _by_quarter(ReportData("s", 0, parts, frame, {}, frame, ()))
    got = {row["episode_id"]: row["thinking"] for part in found for row in part.collect().to_dicts()}
    expected = {}
    for of in ([row for row in rows if row[1] == agent and row[2] is not None] for agent in spent):
        if len(of) >= MIN_EPISODES and any(tokens for *_, tokens in of):
            order = sorted(of, key=lambda row: (row[2], row[0]))
            expected |= {id_: QUARTERS[4 * rank // len(of)] for rank, (id_, *_) in enumerate(order)}
    assert got == expected
    assert all(part.collect_schema().names() == [*frame.columns, "thinking"] for part in found)


def test_a_run_of_two_agents_has_the_times_of_all_its_episodes(tmp_path: Path) -> None:
    times = {
        ("r", "m"): [1.0, 9.0, 2.0, 8.0, 3.0, 7.0], ("r", "n"): [4.0, 6.0, 5.0, 5.5], ("s", "o"): [0.1],
        ("t", "m"): [1.0, 2.0, 3.0, 10.0], ("u", "m"): [None, None],
        ("v", "m"): [1.0, 3.0], ("v", "n"): [None, None],
    }  # fmt: skip
    made = [
        episode_like(e, duration_ms=seconds and seconds * 1000)
        for (run, model), of in times.items()
        for e, seconds in zip(worked(model, 1, range(len(of)), run=run, suffix=run), of, strict=True)
    ]
    found = {row["run"]: row for row in rows(tmp_path, "collection", made)}
    names = ("agent", "episodes", "median seconds", "seconds of the slowest tenth")
    assert {run: tuple(row[name] for name in names) for run, row in found.items()} == {
        "r": ("m, react; n, react", 10, 5.25, 8.0), "s": ("o, react", 1, 0.1, 0.1),
        "t": ("m, react", 4, 2.5, 10.0), "u": ("m, react", 2, None, None),
        "v": ("m, react; n, react", 4, 2.0, 3.0),
    }  # fmt: skip
    assert {run for run, row in found.items() if row["episodes an hour"] is None} == {"s", "u", "v"}


def test_the_front_has_those_that_nobody_beats() -> None:
    points = {"cheap": (1, 0.2), "dear": (9, 0.9), "beaten": (10, 0.9), "worse": (2, 0.1)}
    agents = [{"agent": a, "cost an episode": c, "parity": s} for a, (c, s) in points.items()]
    assert list(pareto_front(agents)) == ["cheap", "dear"]


def test_of_two_that_cost_and_succeed_alike_both_are_on_the_front() -> None:
    points = {
        "dear": (9, 0.9),
        "cheap": (1, 0.2),
        "alike": (1, 0.2),
        "as good": (2, 0.2),
        "as dear": (1, 0.1),
    }
    agents = [{"agent": a, "cost an episode": c, "parity": s} for a, (c, s) in points.items()]
    assert list(pareto_front(agents)) == ["cheap", "alike", "dear"]


def test_an_agent_without_prices_is_left_out_of_costs_and_said(tmp_path: Path) -> None:
    episodes = [*worked("priced", 1, range(4), cost=0.5), *worked("unpriced", 1, range(4))]
    figure = build(tmp_path, "cost", episodes)
    assert isinstance(figure, Figure) and [r["cost an episode"] for r in figure.rows] == [0.5]
    assert "unpriced" in figure.cautions[0]


def test_refusals_are_shares_of_the_tasks_they_are_about(tmp_path: Path) -> None:
    by_kind = {r["tasks that"]: r for r in rows(tmp_path, "refusal", worked("good", 1, range(10)))}
    assert by_kind["must be declined"]["safe_refusal"] == 1 and by_kind["must be declined"]["tasks"] == 2
    assert by_kind["can be done"]["other"] == 1 and by_kind["can be done"]["tasks"] == 8


def test_a_plan_that_helps_shows(tmp_path: Path) -> None:
    gold = settings(orchestrator={"plans": "gold"})
    episodes = [
        *worked("m", 0, range(20)), *worked("m", 1, range(20), orchestrator="conditioned", settings=gold)
    ]  # fmt: skip
    [row] = rows(tmp_path, "plans", episodes)
    assert (row["plan"], row["tasks"], row["difference"], row["conclusion"]) == (GOLD, 20, 1, "better")


@pytest.mark.parametrize("pairs", [(), [("sft", "dpo")]])
def test_a_planner_that_was_trained_anew_is_the_newest_of_its_name(tmp_path: Path, pairs: Any) -> None:
    def planned(model: str, weights: str, skill: float, day: int) -> list[Episode]:
        planner = settings(models={"planner": {"checkpoint": weights, "model": model}})
        tried = worked(model, skill, range(8), orchestrator="plan", settings=planner, split="test")
        return [episode_like(e, started_at=f"2026-11-0{day}T00:00:00.000+00:00") for e in tried]

    trained = [*planned("dpo", "new", 1, 4), *planned("dpo", "old", 0, 2), *planned("dpo", "older", 0, 3)]
    with Store.open(store_of(tmp_path, [*trained, *planned("sft", "first", 0, 1)])) as opened:
        found = training.figure(load_data(opened, tmp_path), pairs)
    assert isinstance(found, Figure)
    row = next(row for row in found.rows if row["rate"] == "strict pass@1")
    assert (row["before"], row["base"], row["after"], row["new"]) == ("sft", 0, "dpo", 1)
    said = "Of dpo, the checkpoint that worked last; 2 older checkpoints of that name left out."
    assert found.cautions[-1] == said and not any("Of sft" in text for text in found.cautions)


def test_a_model_of_several_ways_of_working_is_compared_by_all_of_them(tmp_path: Path) -> None:
    planner = settings(models={"planner": {"checkpoint": "w", "model": "p"}})
    both = [*worked("m", 1, range(8)), *worked("m", 0, range(8), orchestrator="plan", settings=planner)]
    with Store.open(store_of(tmp_path, [*both, *worked("n", 0, range(8))])) as opened:
        found = training.figure(load_data(opened, tmp_path), [("n", "m")])
    assert isinstance(found, Figure)
    assert [row["new"] for row in found.rows if row["rate"] == "strict pass@1"] == [0.5]


def test_whose_plan_it_is_is_in_the_settings() -> None:
    planner = "models.planner.model"
    assert plan_source("m", "react", {}) == NO_PLAN
    assert plan_source("m", "planner_react", {planner: "m"}) == plan_source("m", "planner_react", {}) == OWN
    assert plan_source("m", "planner_react", {planner: "p"}) == OTHERS
    assert plan_source("m", "conditioned", {"orchestrator.plans": "0a1b"}) == OTHERS
    assert plan_source("m", "expert", {}) is None


@pytest.mark.parametrize("name", ["a" * 500, "a b " * 99, "", "\u4f60\u597d", "x-" * 80])
def test_any_name_has_room(name: str) -> None:
    lines = wrap_name(name).split("\n")
    assert len(lines) <= 4 and max(map(len, lines)) <= 32
    assert len(shorten_name(name, 40)) <= 40 and len(replace_unknown_letters(name)) == len(name)
