"""Readers of long texts: what grows with the text is told from what grows with its square."""

import time
from collections.abc import Iterator
from contextlib import contextmanager

MOST_SECONDS = 15
"""Of processor: ten times what these texts take on a slow and busy machine; their square takes minutes."""


@contextmanager
def linear_time() -> Iterator[None]:
    """Fail where the block takes what only the square of a text of 100,000 characters or more can take."""
    began = time.process_time()
    yield
    assert time.process_time() - began < MOST_SECONDS
