"""A collection that is killed nine times comes to the same store as one that runs through."""

import random
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from tests.collect.test_run import halting_model, identities, journal_size, run, started, stored

ROUNDS = 9


@pytest.mark.slow
def test_nine_rounds_of_kill_9(config: Callable[..., Path], tmp_path: Path):
    store, rng, killed = tmp_path / "s", random.Random(0), 0
    overrides = ("attempts=25", "pace.episodes=2")
    for number in range(ROUNDS):
        with halting_model(episodes=15) as (model, _):
            path = config(models={"executor": model})
            killed += kill_in_the_middle(path, store, rng, number, overrides)
    path = config()
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
    latest = time.monotonic() + (rng.uniform(0.1, 3) if number % 3 == 0 else 300)
    with started(path, store, "--resume", *overrides) as process:
        least = 10_000  # what waits in the journal: the start empties it
        while process.poll() is None and time.monotonic() < latest and journal_size(store) - least < 5:
            least = min(least, journal_size(store))
            time.sleep(0.01)
        time.sleep(rng.uniform(0, 0.05))
        process.kill()
        process.communicate()
    return process.returncode == -9
