"""A staged dataset that was tampered with is built again or refused; nothing else reaches the Hub."""

from pathlib import Path

import pytest

from tests.attacks import staged_datasets


@pytest.mark.slow
def test_only_what_the_gate_let_pass_is_uploaded(tmp_path: Path) -> None:
    tally = staged_datasets.attack(tmp_path, every=5)  # of six ways for each file
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) >= 9
