"""Exports that were tampered with are refused, or their certified rows are read."""

from pathlib import Path

import pytest

from tests.attacks import exports


@pytest.mark.slow
def test_no_reader_reads_rows_that_are_not_certified(tmp_path: Path) -> None:
    tally = exports.attack(tmp_path, every=5)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 250
