import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from eops_traj.gym.registry import SERVERS, server
from tests.gym.random_calls import calls, play

CALM = [HealthCheck.too_slow, HealthCheck.data_too_large]


def rehearse(name: str, examples: int, length: int) -> None:
    """So many plays of so many calls; at least a third of them have to be good ones."""
    played = server(name)
    seen = {True: 0, False: 0}

    @settings(max_examples=examples, deadline=None, suppress_health_check=CALM)
    @given(st.lists(calls(played), min_size=length, max_size=length))
    def go(steps):
        for refused, count in play(played, steps).items():
            seen[refused] += count

    go()
    assert seen[False] > seen[True] / 2, seen


@pytest.mark.parametrize("name", SERVERS)
def test_no_call_breaks_anything(name):
    rehearse(name, examples=25, length=12)


@pytest.mark.slow
@pytest.mark.parametrize("name", SERVERS)
def test_no_call_in_twenty_thousand_breaks_anything(name):
    rehearse(name, examples=1000, length=20)
