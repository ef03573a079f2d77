"""The splits of a published dataset: those of the tasks, under the names that the Hub knows."""

from collections.abc import Mapping
from dataclasses import replace

from eops_traj.schema import Selection

NAMES = {"train": "train", "dev": "validation", "test": "test", "test_ood": "test_ood"}
"""The published name of each split of tasks."""
HELD_OUT = ("test", "test_ood")
"""Published splits that nobody should train on."""


def published(split: str | None) -> str:
    """Where an episode goes. One whose split nobody knows counts as held out, until somebody says."""
    return NAMES.get(split or "", "test")


def by_split(selection: Selection, splits: Mapping[str, str | None]) -> dict[str, Selection]:
    """What a selection keeps, parted by published split; ``splits`` are those of the tasks, by episode."""
    return {
        name: part
        for name in NAMES.values()
        if (part := _only(selection, {i for i, split in splits.items() if published(split) == name})).rows
    }


def _only(selection: Selection, ids: set[str]) -> Selection:
    kept = (row for row in selection.rows if row.dropped_by is None)
    return replace(selection, rows=tuple(row for row in kept if row.episode_id in ids))
