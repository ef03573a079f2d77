import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.metrics.paired_stats import (
    Spread,
    attempt_variance,
    attempts_needed,
    difference_interval,
    mcnemar,
    spread,
    tasks_needed,
)


def drawn(rng, tasks, attempts, gain=0.0):
    """Draw both sides' successes at tasks of all difficulties: shares of one agent, and of a better one."""
    chance = rng.beta(0.5, 0.5, tasks) * (1 - gain)
    return rng.binomial(attempts, chance) / attempts, rng.binomial(attempts, chance + gain) / attempts


def test_the_interval_agrees_with_plain_resampling():
    base, new = drawn(np.random.default_rng(0), 200, 4, gain=0.1)
    differences = new - base
    picks = np.random.default_rng(1).integers(0, len(differences), (4000, len(differences)))
    plain = np.quantile(differences[picks].mean(1), [0.025, 0.975])
    assert difference_interval(differences) == pytest.approx(tuple(plain), abs=0.005)
    assert difference_interval(differences) == difference_interval(differences[::-1])


@pytest.mark.parametrize("scale", [1.0, 0.01])
def test_small_differences_are_resampled_as_large_ones_are(scale):
    differences = np.random.default_rng(0).uniform(-1, 1, 300)
    low, high = difference_interval(differences * scale)
    assert (high - low) / scale == pytest.approx(2 * 1.96 * differences.std() / math.sqrt(300), rel=0.05)


@pytest.mark.parametrize("differences", [[1.0], [1.0] * 3, [0.25] * 4, [1.0] * 4 + [0.0] * 6, [0.0] * 100])
def test_too_few_tasks_that_differ_show_nothing(differences):
    low, high = difference_interval(differences)
    assert low <= 0 <= high and low < high


def test_an_interval_is_at_95_percent_unless_it_is_told_another_level():
    differences = np.random.default_rng(0).uniform(-1, 1, 300)
    narrow, usual, wide = (difference_interval(differences, level) for level in (0.9, 0.95, 0.99))
    assert difference_interval(differences) == usual
    assert wide[0] < usual[0] < narrow[0] and narrow[1] < usual[1] < wide[1]


def test_of_symmetric_differences_the_interval_is_symmetric():
    low, high = difference_interval([d / 100 for d in range(-100, 101)])
    assert low == pytest.approx(-high, rel=0.04)


def test_a_hundred_ties_leave_room_for_one_win_and_one_loss():
    """Of 102 tasks, three fewer are lost than won in one case of forty: a win or loss has the size 1."""
    low, high = difference_interval([0.0] * 100)
    assert (low, high) == pytest.approx((-3 / 102, 3 / 102), abs=1e-9)


def test_no_tasks_no_interval():
    assert difference_interval([]) is None
    assert tasks_needed([]) is tasks_needed([1.0]) is tasks_needed([1.0, -1.0]) is None


@given(st.integers(0, 5), st.integers(0, 5))
def test_mcnemar_counts_the_tosses_that_are_as_uneven(won, lost):
    tosses = itertools.product((1, -1), repeat=won + lost)
    uneven = [abs(sum(toss)) >= abs(won - lost) for toss in tosses]
    assert mcnemar(won, lost) == pytest.approx(sum(uneven) / len(uneven))


def test_mcnemar_of_many_tasks():
    assert mcnemar(10_000, 10_000) == 1
    assert mcnemar(5300, 5000) == pytest.approx(math.erfc(299 / math.sqrt(10_300) / math.sqrt(2)), rel=1e-3)


def test_two_runs_of_one_agent_rarely_seem_to_differ():
    rng = np.random.default_rng(0)
    alarms = 0
    for _ in range(100):
        base, new = drawn(rng, 60, 2)
        low, high = difference_interval(new - base)
        alarms += low > 0 or high < 0
    assert alarms <= 9  # of 5 expected; 10 or more come in 3 of 100 series


@pytest.mark.parametrize("won, lost, ties", [(100, 50, 850), (10, 0, 90)])
def test_the_tasks_asked_for_find_the_difference_four_times_in_five(won, lost, ties):
    differences = np.repeat([1.0, -1.0, 0.0], [won, lost, ties])
    needed, rng = tasks_needed(differences), np.random.default_rng(0)
    detected = sum(difference_interval(rng.choice(differences, needed))[0] > 0 for _ in range(150))
    assert 0.7 <= detected / 150 <= 0.9


@pytest.mark.parametrize("seen", [Spread(0.5, 0.25, 1.0), Spread(-0.2, 0.1, 0.5), Spread(0.04, 0.02, 0.25)])
def test_a_number_of_tasks_resolves_where_two_errors_fit_below_the_mean(seen):
    """The error of the interval is over the tasks and the unseen pair, that of the mean over the tasks."""
    for tasks in range(1, 400):
        values = tasks + 2
        mean = tasks * abs(seen.mean) / values
        squares = (tasks * (seen.variance + seen.mean**2) + 2 * seen.unseen**2) / values
        interval = 1.959964 * math.sqrt(values * (squares - mean**2))
        power = 0.841621 * math.sqrt(tasks * seen.variance)
        assert seen.is_resolved_by(tasks) is (tasks * abs(seen.mean) >= interval + power), tasks


def test_a_sum_as_large_as_the_width_is_enough():
    assert Spread(0.0, 0.0, 0.0).is_resolved_by(50)
    assert not Spread(0.0, 0.0, 1.0).is_resolved_by(50)


def test_the_least_number_of_tasks_is_the_first_that_resolves():
    differences = np.repeat([1.0, -1.0, 0.0], [100, 50, 850])
    needed, seen = tasks_needed(differences), spread(differences)
    assert seen.is_resolved_by(needed) and not seen.is_resolved_by(needed - 1)


def test_the_spread_of_two_tasks_is_known_and_of_one_is_not():
    assert spread([1.0, 0.0]) == (0.5, 0.5, 1.0)
    assert spread([0.5, 0.0, 0.0, 0.0]) == (0.125, 0.0625, 0.5)
    assert spread([1.0]) is spread([]) is spread([1.0, -1.0]) is None


def test_more_attempts_help_as_far_as_attempts_are_noise():
    base, new = drawn(np.random.default_rng(3), 400, 2, gain=0.05)
    differences, sides = new - base, [(base, np.full(400, 2)), (new, np.full(400, 2))]
    needed = attempts_needed(differences, *sides)
    assert needed is not None and (needed <= 2) is (tasks_needed(differences) <= 400)
    assert attempts_needed(differences[:40], *((a[:40], n[:40]) for a, n in sides)) > needed


def test_attempts_cannot_help_where_the_tasks_differ_or_nothing_tells_the_noise():
    for_ever = np.array([1.0, -1.0, 1.0, 0.0] * 3)
    new, base = np.maximum(for_ever, 0), np.maximum(-for_ever, 0)
    for attempts in (1, 8):
        n = np.full(12, attempts)
        assert attempts_needed(for_ever, (base, n), (new, n)) is None


def test_noise_is_estimated_without_bias():
    rng, chance = np.random.default_rng(0), 0.3
    estimates = [attempt_variance(rng.binomial(4, chance, 50) / 4, [4] * 50) for _ in range(200)]
    single, present = np.mean(estimates, axis=0)
    assert (single, present) == pytest.approx((chance * (1 - chance), chance * (1 - chance) / 4), rel=0.03)
    assert attempt_variance([1.0, 0.0], [1, 1]) is None
