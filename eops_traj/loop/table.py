"""What the loop came to: the planners on each held-out split, one against the other, with intervals."""

from pathlib import Path
from typing import Any

from eops_traj.compare import Comparison, compare
from eops_traj.compare_rows import Row
from eops_traj.loop.stages import BASE, DPO, SFT
from eops_traj.store import Store

SPLITS = ("test", "test_ood")
PAIRS = ((BASE, SFT), (SFT, DPO), (BASE, DPO))


def results(work: Path) -> list[dict[str, Any]]:
    """A row for each split and pair of planners: both rates, their difference and its 95% interval."""
    import polars as pl

    with Store.open(str(work / "store")) as store:
        latest = {name: _latest(store, name) for name in (BASE, SFT, DPO)}
        rows = []
        for split in SPLITS:
            episodes = store.scan().filter(pl.col("split") == split)
            for base, new in PAIRS:
                found = compare(episodes, latest[base], latest[new])
                rows += [_row(split, base, new, found, row) for row in _shown(found)]
    return rows


def _latest(store: Store, model: str) -> str:
    """The newest run in which a planner planned held-out tasks."""
    import polars as pl

    runs = store.scan().filter(pl.col("model") == model, pl.col("split").is_in(SPLITS))
    return str(runs.sort("started_at").select("run_id").collect().get_column("run_id")[-1])


def _shown(found: Comparison) -> list[Row]:
    return [found.pass_at_1, *(row for row in found.rates if row.name in ("safe refusal", "over-refusal"))]


def _row(split: str, base: str, new: str, found: Comparison, row: Row) -> dict[str, Any]:
    """One line of the table, in percent and points."""
    return {
        "split": split,
        "rate": row.name,
        "tasks": row.tasks,
        "base": f"{base} {_percent(row.base)}",
        "new": f"{new} {_percent(row.new)}",
        "points": _points(row.difference),
        "95%": f"{_points(row.low)} to {_points(row.high)}" if row.low is not None else "",
        "so": row.conclusion or "",
    }


def _percent(share: float | None) -> str:
    return "" if share is None else f"{100 * share:.1f}%"


def _points(share: float | None) -> str:
    return "" if share is None else f"{100 * share:+.1f}"
