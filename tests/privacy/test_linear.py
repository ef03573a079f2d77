"""Expressions of RE2: each part is asked, and Python's only where RE2 finds something."""

import re

import pytest
from hypothesis import Phase, given, settings
from hypothesis.strategies import DataObject, data, from_regex

from eops_traj.privacy import pii
from eops_traj.privacy.linear import TOGETHER, Anywhere, matches, utf8
from eops_traj.privacy.national_numbers import PATTERNS

MANY = Anywhere([f"{number:04d}" for number in range(2 * TOGETHER + 1)])


@pytest.mark.parametrize("number", [0, TOGETHER - 1, TOGETHER, 2 * TOGETHER])
def test_the_first_and_the_last_of_each_part_are_found(number: int) -> None:
    assert MANY.stands_in(f"it is\n{number:04d} here".encode())


def test_what_none_has_is_not_found() -> None:
    assert not MANY.stands_in(f"{2 * TOGETHER + 1:04d}".encode()) and not Anywhere([]).stands_in(b"0001")


def test_look_arounds_are_left_to_python() -> None:
    word = re.compile(r"(?<![\w.])cat(?!s)")
    assert Anywhere.of(word).stands_in(b"concats")
    assert [match.start() for match in matches(word, "cats, concat, cat")] == [14]


def test_half_a_character_is_text_too() -> None:
    assert utf8("\ud800").decode("utf-8", "surrogatepass") == "\ud800"
    assert [match[0] for match in matches(re.compile("b+"), "\ud800bb")] == ["bb"]


@pytest.mark.parametrize("shape", [*pii.SHAPES, *PATTERNS.values()], ids=lambda shape: shape.pattern[:30])
@settings(max_examples=15, phases=[Phase.generate])  # to make an example smaller takes minutes
@given(data())
def test_re2_finds_whatever_python_finds(shape: re.Pattern[str], drawn: DataObject) -> None:
    text = drawn.draw(from_regex(shape))
    assert Anywhere.of(shape).stands_in(utf8(text)), text
