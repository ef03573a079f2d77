"""Rows of a comparison: what is known, what differs, and in whose favour."""

from collections.abc import Sequence

import polars as pl
import pytest

from eops_traj.metrics.rates import RateRow, cost_row, differences, family_rows, paired_rates


def pairs(base: Sequence[float], new: Sequence[float]) -> pl.DataFrame:
    return pl.DataFrame({"base": base, "new": new}, schema={"base": pl.Float64, "new": pl.Float64})


def won(count: int, of: int = 20) -> pl.DataFrame:
    """Pairs of a base that never succeeds and one that succeeds at so many tasks."""
    return pairs([0.0] * of, [1.0] * count + [0.0] * (of - count))


def turned(both: pl.DataFrame) -> pl.DataFrame:
    return both.select(base="new", new="base")


def test_a_difference_has_nine_digits() -> None:
    assert differences(pairs([0.3, 0.0, 0.0], [0.1 + 0.2, 1.4e-9, 0.25])).tolist() == [0.0, 1e-9, 0.25]


@pytest.mark.parametrize(
    ("both", "name", "conclusion"),
    [
        (won(6), "success", "better"),
        (won(4), "success", "no difference shown"),  # the interval ends at 0 exactly
        (turned(won(4)), "success", "no difference shown"),
        (turned(won(6)), "success", "worse"),
        (won(6), "over-refusal", "worse"),
        (turned(won(6)), "over-refusal", "better"),
    ],
)
def test_an_interval_beyond_zero_concludes(both: pl.DataFrame, name: str, conclusion: str) -> None:
    [row] = family_rows({name: both})
    assert row.conclusion == conclusion and row.tasks == 20


def test_the_interval_of_four_wins_ends_at_zero() -> None:
    [row], [other] = family_rows({"success": won(4)}), family_rows({"success": turned(won(4))})
    assert row.low == 0 and other.high == 0


def test_a_rate_that_no_task_has_is_unknown_and_widens_no_other_interval() -> None:
    alone, (row, unknown) = family_rows({"a": won(6)}), family_rows({"a": won(6), "b": won(0, 0)})
    assert unknown == RateRow("b", 0)
    assert [row] == list(alone)


def test_a_cost_is_known_where_every_task_has_it_on_both_sides() -> None:
    tasks = pl.DataFrame({"cost": [1.0, 3.0], "cost:new": [2.0, 3.0]})
    assert cost_row("cost", tasks, "cost") == RateRow("cost", 2, 2.0, 2.5, 0.5)
    lacking = tasks.with_columns(pl.Series("cost:new", [2.0, None]))
    assert cost_row("cost", lacking, "cost") == RateRow("cost", 0)
    assert paired_rates(lacking, "cost").rows() == [(1.0, 2.0)]
    assert cost_row("cost", tasks.clear(), "cost") == RateRow("cost", 0)
