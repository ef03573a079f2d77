"""A collection that is killed nine times comes to the same store as one that runs through."""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.collect.test_run import identities, journal_size, run, started, stored

ROUNDS = 9


@pytest.mark.slow
def test_nine_rounds_of_kill_9(config: Callable[..., Path], tmp_path: Path):
    path, store, rng = config(), tmp_path / "s", random.Random(0)
    overrides = ("attempts=25", "pace.episodes=2")
    killed = sum(kill_in_the_middle(path, store, rng, n, overrides) for n in range(ROUNDS))
    assert killed == ROUNDS, "the collection was over before it was killed often enough"
    some = len(stored(store))
    stats = run(path, store, *overrides, resume=True)
    assert 3 * ROUNDS < some < 150 and stats.settled == 150 - some
    run(path, tmp_path / "whole", *overrides)
    assert identities(store) == identities(tmp_path / "whole")


def kill_in_the_middle(
    path: Path, store: Path, rng: random.Random, number: int, overrides: tuple[str, ...]
) -> bool:
    """Start a collection and kill it once it has stored something more; every third, at any moment before."""
    latest = time.monotonic() + (rng.uniform(0.1, 3) if number % 3 == 0 else 60)
    with started(path, store, "--resume", *overrides) as process:
        least = 10_000  # what waits in the journal: the start empties it
        while process.poll() is None and time.monotonic() < latest and journal_size(store) - least < 5:
            least = min(least, journal_size(store))
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        process.communicate()
    return process.returncode == -9
