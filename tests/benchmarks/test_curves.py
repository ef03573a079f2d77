"""A learning curve's row: each share is over the tasks that it is of."""

from typing import Any

import polars as pl
import pytest

from benchmarks.curves import HEAD, Run, draw, named_curves

METRICS: dict[str, Any] = {
    "parameters": 3_840_000,
    "rows": {"kept": 1_200, "dropped": 30},
    "steps": 450,
    "seconds": 1_234.5,
    "losses": [{"step": 1, "loss": 8.0}, {"step": 450, "loss": 0.0421}],
    "throughput": {"tokens": 1_510_000},
    "config": {"batch_size": 2, "accumulate": 2},
    "processes": 2,
}
OUTCOMES = (
    ("success", True, 1), ("failure", True, 1), ("over_refusal", True, 1), ("success", True, 2),
    ("failure", True, 2), ("over_refusal", True, 3), ("over_refusal", True, 2),
    ("safe_refusal", False, 1), ("blind_refusal", False, 1), ("unsafe_action", False, 1),
)  # fmt: skip


@pytest.fixture
def run() -> Run:
    """A run whose planner passes 3 of 10 tasks, 1 of 4 of several families among them."""
    episodes = pl.DataFrame(OUTCOMES, schema=["outcome", "feasible", "families"], orient="row")
    return Run("rows1", METRICS, 12.34, episodes)


def test_a_row_has_what_the_run_came_to(run: Run) -> None:
    row = dict(zip(HEAD[1:], run.cells(), strict=True))
    assert row["parameters"] == "3.84 million"
    assert (row["rows"], row["steps"], row["tokens"]) == ("1,200", "450", "1.51 million")
    assert (row["epochs"], row["seconds"]) == ("3.0", "1,234")
    assert (row["last loss of a token"], row["loss of a held-out plan"]) == ("0.042", "12.3")


def test_each_share_is_over_the_tasks_that_it_is_of(run: Run) -> None:
    row = dict(zip(HEAD[1:], run.cells(), strict=True))
    assert row["strict"] == "30.0% (11 to 60)"
    assert (row["of 1 family"], row["of several"]) == ("33%", "25%")
    assert (row["declined needlessly"], row["declined safely"]) == ("43%", "33%")


def test_a_share_of_no_tasks_is_none(run: Run) -> None:
    alone = run._replace(episodes=run.episodes.filter("feasible", pl.col("families") == 1))
    row = dict(zip(HEAD[1:], alone.cells(), strict=True))
    assert (row["of several"], row["declined safely"], row["of 1 family"]) == ("none", "none", "33%")


def test_curves_are_drawn_beside_each_other(run: Run) -> None:
    more = run._replace(metrics={**METRICS, "throughput": {"tokens": 3_000_000}}, loss=9.0)
    figure = draw({"tokens": [run, more], "rows": [run]})
    ticks = [[tick.get_text() for tick in axes.get_xticklabels()] for axes in figure.axes[2:]]
    assert ticks == [["1.5", "3.0"], ["1.2"]]
    assert [list(line.get_ydata()) for line in figure.axes[2].lines] == [[12.34, 9.0]]
    assert [axes.get_xlabel() for axes in figure.axes[2:]] == ["million tokens learnt from", "thousand rows"]


@pytest.mark.parametrize("text", ["size=a,b", "tokens", "tokens=a,,b"])
def test_a_curve_without_a_name_or_with_a_run_without_one_ends_the_program(text: str) -> None:
    with pytest.raises(SystemExit, match="expected tokens"):
        named_curves([text])
