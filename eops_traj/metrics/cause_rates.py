"""How often each cause of failure is found, by domain, and how often it is the first error."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

Row = dict[str, Any]


def cause_rates(episodes: "pl.LazyFrame") -> list[Row]:
    """Count the failed episodes per domain and cause, as found when the episodes were stored.

    Failed is every scored one that is no strict success and no safe refusal. A row's ``cause`` is None for
    those with none; ``share`` is of the domain's failed episodes, ``first`` counts those whose first error
    it is.
    An episode of an older program, whose causes are not known, counts as one without.
    """
    import polars as pl

    from eops_traj.metrics.standing import with_standing_of
    from eops_traj.schema import PASSED

    columns = ("episode_id", "supersedes", "parent", "outcome", "domain", "causes")
    scored = with_standing_of(episodes.select(columns)).filter(pl.col("standing") == "scored")
    failed = scored.filter(~pl.col("outcome").is_in(sorted(PASSED)))
    lists = failed.group_by("domain", "causes").agg(episodes=pl.len()).collect(engine="streaming")
    causes, none = pl.col("causes").fill_null([]), pl.lit([None], dtype=pl.List(pl.String))
    return (
        lists.with_columns(
            cause=pl.when(causes.list.len() > 0).then(causes).otherwise(none), head=causes.list.first()
        )
        .with_columns(domain_size=pl.col("episodes").sum().over("domain"))
        .explode("cause")
        .group_by("domain", "cause")
        .agg(
            pl.col("episodes").sum(),
            (pl.col("episodes").sum() / pl.col("domain_size").first()).alias("share"),
            pl.col("episodes").filter(pl.col("cause") == pl.col("head")).sum().alias("first"),
        )
        .sort("domain", "episodes", "cause", descending=[False, True, False], nulls_last=True)
        .to_dicts()
    )


def cause_table(rows: Sequence[Row]) -> "Table":
    """Render the rows of :func:`cause_rates` as a table for people."""
    from rich import box
    from rich.table import Table

    table = Table("domain", "cause", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("failed", "share", "first error"):
        table.add_column(name, justify="right")
    for row in rows:
        counts = (str(row["episodes"]), percent(row["share"], 0), str(row["first"]))
        table.add_row(visible(row["domain"]), visible(row["cause"] or "none found"), *counts)
    return table
