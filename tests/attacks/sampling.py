"""A part of an attack's cases, for CI. By hand all of them run: ``python -m tests.attacks``."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Case = TypeVar("Case")


def one_in(every: int, cases: Iterable[Case], turn: int = 0) -> Iterator[Case]:
    """Yield one in so many cases: the first and every so-manieth after it, or in another turn the next ones.

    Where the number has no factor in common with how many values each field is given, the fields take turns:
    each gets a part of the values, and together they get all of them.
    """
    return islice(cases, turn % every, None, every)
