"""Damaged stores: every command answers in full or tells of it."""

from pathlib import Path

import pytest

from tests.attacks import damage


def test_every_command_that_takes_a_store_is_in_the_table() -> None:
    assert set(damage.store_commands()) == set(damage.ARGUMENTS)


@pytest.mark.slow
def test_no_command_is_silent_on_a_damaged_store(tmp_path: Path) -> None:
    """A sixth of the kinds for each command, each for some; ``python -m tests.attacks damage`` has all."""
    tally = damage.attack(tmp_path, every=6)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > 220


@pytest.mark.slow
def test_every_flipped_bit_is_told(tmp_path: Path) -> None:
    tally = damage.attack_bits(tmp_path, flips=40)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) == 40
