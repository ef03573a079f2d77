"""Every family says what it wants in six ways or more."""

import pytest

from eops_traj.gym.suite.draft import play
from eops_traj.gym.suite.family import Family, NoFit, families


@pytest.mark.parametrize("ways", [3, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", families(), ids=lambda family: f"{family.domain}-{family.name}")
def test_a_family_words_its_requests_in_many_ways(family: Family, ways: int) -> None:
    said: set[str] = set()
    for n in range(40):
        try:
            said.add(play((family,), n % 2, f"worded:{n}").scene.parts[0])
        except NoFit:
            continue
        if len(said) == ways:
            return
    pytest.fail(f"{len(said)} wordings in 40 draws")
