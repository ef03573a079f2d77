import re
from pathlib import Path

import pytest

from tests.attacks import patterns

pytestmark = pytest.mark.slow


def test_no_pattern_takes_the_square_of_a_text(tmp_path: Path) -> None:
    tally = patterns.attack(tmp_path, every=4)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 2_500


def test_a_careless_pattern_falls(tmp_path: Path) -> None:
    assert patterns.growth(patterns.Pattern("here", re.compile(r"\w+@"), frozenset()).run, "a") == "square"
    assert patterns.growth(re.compile(r"(?:a|a)*b").search, "a") == "square"
    assert patterns.growth(re.compile(r"\b\w+@").search, "a") == "held"
