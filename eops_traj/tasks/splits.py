"""The splits of tasks as training sees them: one to learn from, and everything else held out.

``test`` and ``test_ood`` are there to measure, and ``dev`` is what models are chosen on: to train on it makes
the choice blind. A task without a split is held out too: a benchmark's own have none, and of a stranger's
nobody knows.
"""

from collections.abc import Collection, Iterable, Mapping

from eops_traj.errors import UnknownName

SPLITS = ("train", "dev", "test", "test_ood")

TRAIN = "train"
"""The split to learn from."""

NO_SPLIT = "none"
"""How the split of a task goes that has none, where a split is asked for or counted."""


def split_name(split: str | None) -> str:
    """Return the name of a task's split."""
    return split or NO_SPLIT


def check_split_names(names: Iterable[str]) -> None:
    """Raise UnknownName for the first name of no split, with the splits there are."""
    for name in names:
        if name not in (*SPLITS, NO_SPLIT):
            raise UnknownName("split", name, [*SPLITS, NO_SPLIT])


def held_out_counts(counts: Mapping[str, int], asked_for: Collection[str]) -> dict[str, int]:
    """Return the counts of those splits that were not asked for."""
    return {split: n for split, n in sorted(counts.items()) if n and split not in asked_for}


def spoken(counts: Mapping[str, int]) -> str:
    """Render counts: ``12 of test, 3 of dev``."""
    return ", ".join(f"{n} of {split}" for split, n in counts.items())
