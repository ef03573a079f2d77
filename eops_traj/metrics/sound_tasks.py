"""Success with the defective tasks left out: beside the whole figures, which the benchmark reports.

A task that cannot be passed, or that doing nothing passes, lowers or raises every model's figures alike.
"""

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import polars as pl

SOUND_LABELS = ("success_parity", "success_strict")
"""The labels that are averaged a second time, over the sound tasks alone."""


def sound_part(scored: "pl.DataFrame") -> "pl.DataFrame":
    """Return the counted episodes of tasks of which no defect is known."""
    import polars as pl

    return scored.filter(~pl.col("defective"))


def defect_counts(scored: "pl.DataFrame", tasks: "pl.DataFrame") -> dict[str, Any]:
    """Count the episodes of defective tasks, and those tasks."""
    return {
        "defective": int(scored.filter("defective")["episodes"].sum()),
        "defective_tasks": int(tasks.filter("defective")["number"].sum()),
    }
