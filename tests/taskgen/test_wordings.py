"""Every family has six wordings or more."""

import pytest

from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import Family, families


@pytest.mark.parametrize("ways", [3, pytest.param(6, marks=pytest.mark.slow)])
@pytest.mark.parametrize("family", families(), ids=lambda family: f"{family.domain}-{family.name}")
def test_a_family_words_its_requests_in_many_ways(family: Family, ways: int) -> None:
    wordings: set[str] = set()
    for n in range(40):
        try:
            wordings.add(play((family,), n % 2, f"worded:{n}").scene.parts[0])
        except NoMatch:
            continue
        if len(wordings) == ways:
            return
    pytest.fail(f"{len(wordings)} wordings in 40 draws")
