"""How far readers agree, over what at least two of them labelled.

``alpha`` is Krippendorff's for nominal data, which allows any number of readers and any gaps: 1 is perfect
agreement, 0 what chance would give (K. Krippendorff, Content Analysis, chapter on reliability).
"""

from collections import Counter, defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from eops_traj.review.labels import latest
from eops_traj.schema import Label


@dataclass(frozen=True)
class Agreement:
    """Agreement on right, wrong and unsure; a figure is None where there is nothing to tell it from."""

    readers: int
    units: int
    """The episodes and turns that at least two readers labelled."""
    share: float | None
    """The share of pairs of labels of one unit that say the same."""
    alpha: float | None


def agreement(labels: Iterable[Label]) -> Agreement:
    """Return how far readers agree, by the latest label of each."""
    given = defaultdict(list)
    for label in latest(labels):
        given[label.episode_id, label.turn].append(label)
    units = [[label.value for label in unit] for unit in given.values() if len(unit) > 1]
    readers = {label.reader for unit in given.values() if len(unit) > 1 for label in unit}
    pairs = [len(unit) * (len(unit) - 1) for unit in units]
    equal = [sum(n * (n - 1) for n in Counter(unit).values()) for unit in units]
    share = sum(equal) / sum(pairs) if units else None
    return Agreement(len(readers), len(units), share, _alpha(units))


def _alpha(units: list[list[str]]) -> float | None:
    """Return 1 - observed / expected disagreement; None where chance alone would leave none."""
    totals = Counter(value for unit in units for value in unit)
    n = totals.total()
    expected = n * n - sum(count * count for count in totals.values())
    if not expected:
        return None
    observed = sum(
        (len(unit) ** 2 - sum(count * count for count in Counter(unit).values())) / (len(unit) - 1)
        for unit in units
    )
    return 1 - (n - 1) * observed / expected
