"""Paired statistics: the difference between two agents, from their results at the same tasks.

The task is the unit throughout. Attempts at one task resemble each other: more of them say more about
that task, not about others. A task's difference is the new share of successes less the base's, from -1 to 1.
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
GRID_STEPS = 24
"""Differences less than a 24th of the largest apart share a kind, of their mean value. With up to 24 attempts
a task no two do, and the interval is exact."""
MAX_ANSWER = 10**9
"""The largest number of tasks or attempts that is still an answer."""


def difference_interval(differences: "Values", level: float = LEVEL) -> tuple[float, float] | None:
    """Compute the percentile interval of the mean difference, resampling tasks; None without tasks.

    Resampling cannot draw what it has not seen: three wins out of three would be certainty, and a hundred
    ties as well. So one win and one loss of the size of the others join the tasks before it, as Bonett and
    Price (2012) add one to both counts of discordant pairs.

    The same differences give the same interval. Tasks of one difference are exchangeable, so that a resample
    is a multinomial draw over the kinds of task.
    """
    import numpy as np

    if not len(differences):
        return None
    unseen = _typical_size(differences)
    seen = np.concatenate([differences, [-unseen, unseen]])
    steps = np.round(seen * (GRID_STEPS / np.abs(seen).max()))
    _, kinds, counts = np.unique(steps, return_inverse=True, return_counts=True)
    sums = np.bincount(kinds, seen) / counts
    draws = np.random.default_rng(SEED).multinomial(len(seen), counts / len(seen), size=RESAMPLES)
    low, high = np.quantile(draws @ sums / len(seen), [(1 - level) / 2, (1 + level) / 2])
    return float(low), float(high)


def _typical_size(differences: "Values") -> float:
    """Return the root mean square of the differences that are not 0; 1, the largest possible, without any."""
    import numpy as np

    values = np.asarray(differences, float)
    nonzero = values[values != 0]
    return float(np.sqrt(np.mean(nonzero**2))) if len(nonzero) else 1.0


def mcnemar(won: int, lost: int) -> float:
    """Compute the two-sided p of the exact McNemar test (1947) over the tasks that only one agent did.

    Were they alike, each such task would have fallen to either by the toss of a coin.
    """
    count = won + lost
    whole = math.lgamma(count + 1) - count * math.log(2)
    tail = (
        math.exp(whole - math.lgamma(i + 1) - math.lgamma(count - i + 1)) for i in range(min(won, lost) + 1)
    )
    return min(1.0, 2 * math.fsum(tail))


class Spread(NamedTuple):
    """The inputs of the number of tasks needed: mean and variance of the differences, size of the unseen."""

    mean: float
    variance: float
    unseen: float

    def is_resolved_by(self, tasks: int) -> bool:
        """Check whether the interval over so many such tasks excludes 0 in 80% of cases.

        By the normal approximation; the unseen pair widens the interval.
        """
        normal, total = NormalDist(), tasks * abs(self.mean)
        squares = tasks * (self.variance + self.mean**2) + 2 * self.unseen**2
        half_width = normal.inv_cdf((1 + LEVEL) / 2) * math.sqrt(squares - total**2 / (tasks + 2))
        return total - half_width >= normal.inv_cdf(POWER) * math.sqrt(tasks * self.variance)


def spread(differences: "Values") -> Spread | None:
    """Compute the spread of the differences; None for fewer than two, and where their mean is 0."""
    import numpy as np

    values = np.asarray(differences, float)
    if len(values) < 2 or not (mean := float(np.mean(values))):
        return None
    return Spread(mean, float(np.var(values, ddof=1)), _typical_size(values))


def tasks_needed(differences: "Values") -> int | None:
    """Compute how many such tasks, at as many attempts each, resolve a difference as large as the one seen.

    None where there is no difference, or where its spread cannot be determined.
    """
    seen = spread(differences)
    return _least_number(seen.is_resolved_by) if seen else None


def attempts_needed(differences: "Values", *sides: tuple["Values", "Values"]) -> int | None:
    """Compute how many attempts by each agent at each task resolve a difference as large as the one seen.

    ``sides`` are each agent's shares of successes and numbers of attempts, task by task. More attempts take
    away the part of the variance that is due to there being few, and no more. None where that part is not
    known (:func:`attempt_variance`), and where no number would do, since the tasks differ too much.
    """
    seen, tasks = spread(differences), len(differences)
    variances = [known for shares, attempts in sides if (known := attempt_variance(shares, attempts))]
    if seen is None or len(variances) < len(sides):
        return None
    single, present = (math.fsum(part) for part in zip(*variances, strict=True))
    passing = min(present, seen.variance)  # an estimate: it may come out above the whole
    single *= passing / present if present else 0
    lasting = seen.variance - passing
    return _least_number(lambda k: seen._replace(variance=lasting + single / k).is_resolved_by(tasks))


def _least_number(enough: Callable[[int], bool]) -> int | None:
    """Find the least number from 1 for which ``enough`` holds, as it then does for every larger one."""
    least = bisect_left(range(1, MAX_ANSWER), True, key=enough) + 1
    return least if least < MAX_ANSWER else None


def attempt_variance(shares: "Values", attempts: "Values") -> tuple[float, float] | None:
    """Estimate the variance of a task's share of successes: with one attempt, and with as many as were made.

    About the true share; means over tasks. n p (1 - p) / (n - 1) estimates the first without bias from a
    share p of n. One attempt alone shows nothing of it: None where no task has more.
    """
    import numpy as np

    p, n = np.asarray(shares, float), np.asarray(attempts, float)
    repeated = n > 1
    if not repeated.any():
        return None
    single = float(np.mean((n * p * (1 - p))[repeated] / (n[repeated] - 1)))
    return single, single * float(np.mean(1 / n))
