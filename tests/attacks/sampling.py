"""A part of an attack's cases, for CI. By hand all of them run: ``python -m tests.attacks``."""

from collections.abc import Iterable, Iterator
from itertools import islice
from typing import TypeVar

Case = TypeVar("Case")


def one_in(every: int, cases: Iterable[Case]) -> Iterator[Case]:
    """Yield the first case, and one in so many after it.

    Where the number has no factor in common with how many values each field is given, the fields take turns:
    each gets a part of the values, and together they get all of them.
    """
    return islice(cases, None, None, every)
