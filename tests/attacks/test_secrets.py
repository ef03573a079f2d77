"""No plain secret passes in any column, and of disguised ones at most one in twenty."""

from pathlib import Path

import pytest

from tests.attacks.secrets import DISGUISES, attack
from tests.privacy.secret_samples import samples


@pytest.mark.slow
def test_no_plain_secret_passes_and_few_disguised_ones(tmp_path: Path) -> None:
    tally = attack(tmp_path, every=5)
    disguised = len(samples()) * len(DISGUISES)
    assert tally.fell() == [] and tally.tolerated == {"disguised": 0.05 * disguised}
    assert len(samples()) >= 70 and sum(map(len, tally.cases.values())) >= 15 * len(samples()) + disguised
