"""What the loop and rounds of improvement come to: planners on each held-out split, with intervals."""

from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.compare import Comparison, compare
from eops_traj.metrics.percent import percent
from eops_traj.metrics.rates import RateRow
from eops_traj.store.store import Store

if TYPE_CHECKING:
    import polars as pl

SPLITS = ("test", "test_ood")
RATES = ("strict pass@1", "safe refusal", "over-refusal")


def results(store: Path, planners: Sequence[str], splits: Sequence[str] = SPLITS) -> list[dict[str, Any]]:
    """Compare planners, each with the one before and with the first; several at least.

    A row for each split and rate has differences in points and 95% intervals. Below those of all domains
    stand the passes of each domain, where there are several.
    """
    import polars as pl

    with Store.open(str(store)) as opened:
        latest = {name: _latest_run(opened, name, splits) for name in planners}
        rows = []
        for split in splits:
            episodes = opened.scan().filter(pl.col("split") == split)
            rows += _rows(split, "all", RATES, episodes, latest)
            domains = episodes.filter(pl.col("run_id") == latest[planners[0]]).select("domain").collect()
            several = sorted(set(domains.get_column("domain"))) if domains.n_unique() > 1 else []
            for domain in several:
                of_domain = episodes.filter(pl.col("domain") == domain)
                rows += _rows(split, domain, RATES[:1], of_domain, latest)
    return rows


def _rows(
    split: str, domain: str, rates: Sequence[str], episodes: "pl.LazyFrame", latest: Mapping[str, str]
) -> list[dict[str, Any]]:
    """Compare the planners on some tasks, by each of these rates."""
    names = list(latest)
    steps = dict.fromkeys([*pairwise(names), (names[0], names[-1])])
    comparisons = {(a, b): compare(episodes, latest[a], latest[b]) for a, b in steps}
    return [{"split": split, "domain": domain, **_row(rate, comparisons)} for rate in rates]


def _latest_run(store: Store, model: str, splits: Sequence[str]) -> str:
    """Find the newest run in which a planner planned held-out tasks."""
    import polars as pl

    runs = store.scan().filter(pl.col("model") == model, pl.col("split").is_in(splits))
    return str(runs.sort("started_at").select("run_id").collect().get_column("run_id")[-1])


def _row(rate: str, comparisons: dict[tuple[str, str], Comparison]) -> dict[str, Any]:
    """Build a line of the table; ``tasks`` is the number that the rate is over."""
    rows = {step: _rate_row(comparison, rate) for step, comparison in comparisons.items()}
    shares = {base: row.base for (base, _), row in rows.items()}
    shares |= {new: row.new for (_, new), row in rows.items()}
    return {
        "rate": rate,
        "tasks": next(iter(rows.values())).tasks,
        **{name: _percent(share) for name, share in shares.items()},
        **{f"{new} - {base}": _difference(row) for (base, new), row in rows.items()},
    }


def _rate_row(comparison: Comparison, name: str) -> RateRow:
    return next(row for row in (comparison.pass_at_1, *comparison.rates) if row.name == name)


def _percent(share: float | None) -> str:
    return "" if share is None else percent(share)


def _difference(row: RateRow) -> str:
    """Render ``+46.9 (+36.9 to +54.6) better``, the last word from :mod:`eops_traj.metrics.compare`."""
    if row.difference is None or row.low is None or row.high is None:
        return ""
    low, high = 100 * row.low, 100 * row.high
    return f"{100 * row.difference:+.1f} ({low:+.1f} to {high:+.1f}) {row.conclusion}"
