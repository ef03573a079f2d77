"""Hostile replies of an endpoint are refused with one line, or stored and read back."""

from pathlib import Path

import pytest

from tests.attacks import replies


@pytest.mark.slow
def test_no_reply_makes_a_store_unreadable(tmp_path: Path) -> None:
    tally = replies.attack(tmp_path, every=3)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 600
