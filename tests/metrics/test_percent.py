"""Rounding never says all or none where something else was seen."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.metrics.percent import percent


@pytest.mark.parametrize(
    ("share", "fine", "coarse"),
    [
        (1, "100.0%", "100%"),
        (2499 / 2500, ">99.9%", ">99%"),
        (0.9994, "99.9%", ">99%"),
        (0.994, "99.4%", "99%"),
        (0.006, "0.6%", "1%"),
        (1 / 2500, "<0.1%", "<1%"),
        (0, "0.0%", "0%"),
        (1 - 1e-15, "100.0%", "100%"),
    ],
)
def test_all_and_none_are_said_of_these_alone(share: float, fine: str, coarse: str) -> None:
    assert (percent(share), percent(share, 0)) == (fine, coarse)


@given(st.integers(1, 10**6), st.integers(0, 10**6), st.integers(0, 2))
def test_other_shares_are_rounded_as_ever(total: int, won: int, digits: int) -> None:
    shown = percent(min(won, total) / total, digits)
    assert (float(shown.rstrip("%")) in (0, 100) if shown[0] not in "<>" else False) == (
        min(won, total) in (0, total)
    )
