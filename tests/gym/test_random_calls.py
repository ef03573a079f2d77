import pytest
from hypothesis import HealthCheck, Phase, given, seed, settings
from hypothesis import strategies as st

from eops_traj.gym.registry import SERVERS, server
from tests.gym.random_calls import calls, play

CALM = settings(deadline=None, suppress_health_check=[HealthCheck.too_slow, HealthCheck.data_too_large])


@pytest.mark.parametrize("name", SERVERS)
def test_no_call_breaks_anything_and_many_are_good(name):
    """How many are good is a count, no property: the seed is fixed, and the bound far below the usual.

    Even so the draws are not the same everywhere, since hypothesis takes constants from the modules loaded.
    """
    played = server(name)
    seen = {True: 0, False: 0}

    @seed(0)
    @settings(CALM, max_examples=15, database=None, phases=[Phase.generate])
    @given(st.lists(calls(played), min_size=12, max_size=12))
    def go(steps):
        for refused, count in play(played, steps).items():
            seen[refused] += count

    go()
    assert seen[False] > seen[True] / 8, seen


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVERS)
def test_no_call_in_many_breaks_anything(name):
    """Eight hundred calls; ten times as many, and other ones each time, with the thorough profile."""
    played = server(name)

    @settings(CALM)
    @given(st.lists(calls(played), min_size=20, max_size=20))
    def go(steps):
        play(played, steps)

    go()
