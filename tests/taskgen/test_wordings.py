"""Every family has six wordings or more."""

import pytest

from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import Family, families


@pytest.mark.parametrize("family", families()[::27], ids=lambda family: f"{family.domain}-{family.name}")
def test_a_family_words_its_requests_in_many_ways(family: Family) -> None:
    """Of a family or two of each domain: that each has six wordings or more, the scene itself sees to."""
    wordings: set[str] = set()
    for n in range(40):
        try:
            wordings.add(play((family,), n % 2, f"worded:{n}").scene.parts[0])
        except NoMatch:
            continue
        if len(wordings) == 6:
            return
    pytest.fail(f"{len(wordings)} wordings in 40 draws")
