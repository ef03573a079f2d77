"""Killed collections on full disks: nothing reported is lost."""

import os
import shutil
from pathlib import Path

import pytest

from tests.attacks import kill


@pytest.mark.slow
@pytest.mark.skipif(os.geteuid() or not shutil.which("mount"), reason="mounts a disk")
def test_what_was_reported_outlives_kills_and_full_disks(tmp_path: Path) -> None:
    tally = kill.attack(tmp_path, rounds=2)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) == 2
