"""Alternatives in a wording, and numbers as people say them."""

from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.taskgen.errors import ScenarioError
from eops_traj.taskgen.genres import GENRES
from eops_traj.taskgen.indirection import digits, ordinal, spell
from eops_traj.taskgen.wording import plainest, vary


@given(st.integers())
def test_one_of_each_groups_alternatives_is_chosen(seed: int) -> None:
    text = vary(Random(seed), "[Move|Shift [it|them]][ today|] by {day}")
    assert text in {f"{a}{b} by {{day}}" for a in ("Move", "Shift it", "Shift them") for b in (" today", "")}


def test_every_alternative_comes_up() -> None:
    assert {vary(Random(n), "[a|b|]c[d|e]") for n in range(200)} == {"acd", "ace", "bcd", "bce", "cd", "ce"}


def test_the_plainest_wording_has_the_first_alternatives() -> None:
    assert plainest("[Move|Shift [it|them]][ today|] [a [b|c]|] by {day}") == "Move today a b by {day}"


@pytest.mark.parametrize("wording", ["[a|b", "a|b", "a]b", "[a|[b]"])
def test_a_group_left_open_is_named(wording: str) -> None:
    with pytest.raises(ScenarioError):
        vary(Random(0), wording)


@pytest.mark.parametrize(
    ("number", "words", "place"),
    [(0, "zero", "zeroth"), (3, "three", "third"), (12, "twelve", "twelfth"), (20, "twenty", "twentieth"),
     (21, "twenty-one", "twenty-first"), (42, "forty-two", "forty-second"),
     (100, "one hundred", "one hundredth"),
     (119, "one hundred and nineteen", "one hundred and nineteenth"),
     (2045, "two thousand forty-five", "two thousand forty-fifth")],
)  # fmt: skip
def test_numbers_are_spelled(number: int, words: str, place: str) -> None:
    assert (spell(number), ordinal(number)) == (words, place)


def test_digits_are_read_out() -> None:
    assert digits("96-59") == "nine-six---five-nine" and digits("9659") == "nine-six-five-nine"


@pytest.mark.parametrize("genre", GENRES, ids=lambda genre: genre.__name__)
def test_every_genre_says_the_parts_in_order(genre) -> None:
    for seed in range(40):
        text = genre(Random(seed), ["Open the case.", "Close the other."], "Ana")
        assert text.index("Open the case.") < text.index("Close the other.")
        assert "[" not in text and "|" not in text and "  " not in text
