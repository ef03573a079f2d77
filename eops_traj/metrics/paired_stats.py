"""Statistics of pairs: what two agents' results at the same tasks say of the difference between them.

The task is the unit throughout. Attempts at one task resemble each other: more of them tell more of that
task, not of others. A task's difference is the new share of its attempts less the base's, from -1 to 1.
"""

import math
from bisect import bisect_left
from collections.abc import Callable, Sequence
from statistics import NormalDist
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    import numpy as np
    import numpy.typing as npt

    Values = Sequence[float] | npt.NDArray[np.float64]

LEVEL, POWER = 0.95, 0.8
RESAMPLES, SEED = 10_000, 0
GRID = 24
"""Differences less than a 24th of the largest apart share a kind, of their mean value. With up to 24 attempts
a task no two do, and the interval is exact."""
MOST = 10**9
"""The largest number of tasks or attempts that is still an answer."""


def interval(differences: "Values", level: float = LEVEL) -> tuple[float, float] | None:
    """The percentile interval of the mean difference, tasks resampled with replacement; None without tasks.

    Resampling cannot draw what it has not seen: three wins out of three would be certainty, and a hundred
    ties as well. So one win and one loss of the size of the others join the tasks before it, as Bonett and
    Price (2012) add one to both counts of discordant pairs.

    The same differences give the same interval. Tasks of one difference are exchangeable, so that a resample
    is a multinomial draw over the kinds of task.
    """
    import numpy as np

    if not len(differences):
        return None
    unseen = _size(differences)
    seen = np.concatenate([differences, [-unseen, unseen]])
    steps = np.round(seen * (GRID / np.abs(seen).max()))
    _, kinds, counts = np.unique(steps, return_inverse=True, return_counts=True)
    sums = np.bincount(kinds, seen) / counts
    draws = np.random.default_rng(SEED).multinomial(len(seen), counts / len(seen), size=RESAMPLES)
    low, high = np.quantile(draws @ sums / len(seen), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _size(differences: "Values") -> float:
    """The root mean square of the differences that are not 0; 1, the largest there can be, without any."""
    import numpy as np

    told = np.asarray(differences, float)
    told = told[told != 0]
    return float(np.sqrt(np.mean(told**2))) if len(told) else 1.0


def mcnemar(won: int, lost: int) -> float:
    """The two-sided p of the exact McNemar test (1947) over the tasks that only one of two agents did.

    Were they alike, each such task would have fallen to either by the toss of a coin.
    """
    count = won + lost
    whole = math.lgamma(count + 1) - count * math.log(2)
    tail = (
        math.exp(whole - math.lgamma(i + 1) - math.lgamma(count - i + 1)) for i in range(min(won, lost) + 1)
    )
    return min(1.0, 2 * math.fsum(tail))


class Spread(NamedTuple):
    """What the number of tasks needed hangs on: mean and variance of the differences, size of the unseen."""

    mean: float
    variance: float
    unseen: float

    def resolved_by(self, tasks: int) -> bool:
        """Whether the interval over so many tasks of this kind excludes 0 in 80% of cases (normal
        approximation; the unseen pair widens it)."""
        normal, total = NormalDist(), tasks * abs(self.mean)
        squares = tasks * (self.variance + self.mean**2) + 2 * self.unseen**2
        half_width = normal.inv_cdf((1 + LEVEL) / 2) * math.sqrt(squares - total**2 / (tasks + 2))
        return total - half_width >= normal.inv_cdf(POWER) * math.sqrt(tasks * self.variance)


def spread(differences: "Values") -> Spread | None:
    """The spread of the differences; None for fewer than two, and where their mean is 0."""
    import numpy as np

    told = np.asarray(differences, float)
    if len(told) < 2 or not (mean := float(np.mean(told))):
        return None
    return Spread(mean, float(np.var(told, ddof=1)), _size(told))


def tasks_needed(differences: "Values") -> int | None:
    """How many tasks like these, at as many attempts each, resolve a difference as large as the one seen.

    None where there is none, or nothing to tell its spread by.
    """
    seen = spread(differences)
    return _least(seen.resolved_by) if seen else None


def attempts_needed(differences: "Values", *sides: tuple["Values", "Values"]) -> int | None:
    """How many attempts by each agent at each of these tasks resolve a difference as large as the one seen.

    ``sides`` are each agent's shares of successes and numbers of attempts, task by task. More attempts take
    away the part of the variance that is due to there being few, and no more. None where that part is not
    known (see :func:`noise`), and where no number would do, since the tasks themselves differ too much.
    """
    seen, tasks = spread(differences), len(differences)
    noises = [found for shares, attempts in sides if (found := noise(shares, attempts))]
    if seen is None or len(noises) < len(sides):
        return None
    single, present = (math.fsum(part) for part in zip(*noises, strict=True))
    passing = min(present, seen.variance)  # an estimate: it may come out above the whole
    single *= passing / present if present else 0
    lasting = seen.variance - passing
    return _least(lambda k: seen._replace(variance=lasting + single / k).resolved_by(tasks))


def _least(enough: Callable[[int], bool]) -> int | None:
    """The least number from 1 for which ``enough`` holds, as it then does for every larger one."""
    least = bisect_left(range(1, MOST), True, key=enough) + 1
    return least if least < MOST else None


def noise(shares: "Values", attempts: "Values") -> tuple[float, float] | None:
    """The variance of a task's share of successes about its true one: with one attempt, and with those made.

    Means over tasks. n p (1 - p) / (n - 1) estimates the first without bias from a share p of n. One attempt
    alone shows nothing of it: None where no task has more.
    """
    import numpy as np

    p, n = np.asarray(shares, float), np.asarray(attempts, float)
    told = n > 1
    if not told.any():
        return None
    single = float(np.mean((n * p * (1 - p))[told] / (n[told] - 1)))
    return single, single * float(np.mean(1 / n))
