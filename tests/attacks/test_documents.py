"""Hostile documents are refused with one line within seconds, or read."""

from pathlib import Path

import pytest

from tests.attacks import documents


@pytest.mark.slow
def test_no_document_ends_in_a_traceback_or_never(tmp_path: Path) -> None:
    tally = documents.attack(tmp_path, every=3)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 1_600
