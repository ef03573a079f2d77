"""Hostile result files are refused with one line, or stored and read back."""

from pathlib import Path

import pytest

from tests.attacks import result_files


@pytest.mark.slow
def test_no_result_file_makes_a_store_unreadable(tmp_path: Path) -> None:
    tally = result_files.attack(tmp_path, every=5)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 2_000
