"""Hostile files of every format of exchange are refused with one line, or stored and read back."""

from pathlib import Path

import pytest

from tests.attacks import exchange_files


@pytest.mark.slow
def test_no_file_of_any_format_makes_a_store_unreadable(tmp_path: Path) -> None:
    tally = exchange_files.attack(tmp_path, every=5)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 1_600
