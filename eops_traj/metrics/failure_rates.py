"""How often each failure mode shows, by domain, and how episodes fare that show it."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    import polars as pl
    from rich.table import Table

Row = dict[str, Any]

_RATES = ("success_parity", "success_strict")


def failure_mode_rates(episodes: "pl.LazyFrame") -> list[Row]:
    """Count episodes per domain and failure mode, as diagnosed when the episodes were stored.

    Over the scored episodes: errors, superseded attempts and branches stand apart. A row's ``mode`` is
    None for the episodes that show none; ``share`` is of the domain's episodes; ``success_parity`` and
    ``success_strict`` are the rates among the episodes that show the mode.
    """
    import polars as pl

    from eops_traj.metrics.standing import with_standing_of

    columns = ("episode_id", "supersedes", "parent", "outcome", "domain", "failure_modes", *_RATES)
    return mode_rates(with_standing_of(episodes.select(columns)).filter(pl.col("standing") == "scored"))


def errors_left_out(episodes: "pl.LazyFrame") -> int:
    """Count the errors, which no figure of a diagnosis is over: what failed there was not the agent."""
    import polars as pl

    from eops_traj.metrics.standing import with_standing_of

    columns = ("episode_id", "supersedes", "parent", "outcome")
    errors = with_standing_of(episodes.select(columns)).filter(pl.col("standing") == "error")
    return int(errors.select(pl.len()).collect(engine="streaming").item())


def mode_rates(scored: "pl.LazyFrame") -> list[Row]:
    """Count scored episodes, as :func:`failure_mode_rates` does."""
    import polars as pl

    alike = scored.group_by("domain", "failure_modes", *_RATES).agg(episodes=pl.len())
    modes, none = pl.col("failure_modes"), pl.lit([None], dtype=pl.List(pl.String))
    by_mode = alike.collect(engine="streaming").with_columns(
        pl.when(modes.list.len() > 0).then(modes).otherwise(none).alias("mode")
    )
    return (
        by_mode.with_columns(domain_size=pl.col("episodes").sum().over("domain"))
        .explode("mode")
        .group_by("domain", "mode")
        .agg(
            pl.col("episodes").sum(),
            (pl.col("episodes").sum() / pl.col("domain_size").first()).alias("share"),
            *(_rate(name).alias(name) for name in _RATES),
        )
        .sort("domain", "mode", nulls_last=True)
        .to_dicts()
    )


def _rate(label: str) -> "pl.Expr":
    """Return the mean of a label where it is known, over counted episodes."""
    import polars as pl

    known = pl.col("episodes").filter(pl.col(label).is_not_null()).sum()
    return pl.when(known > 0).then(pl.col("episodes").filter(pl.col(label)).sum() / known)


def failure_mode_table(rows: Sequence[Row]) -> "Table":
    """Render the rows of :func:`failure_mode_rates` as a table for people."""
    from rich import box
    from rich.table import Table

    table = Table("domain", "mode", box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    for name in ("episodes", "share", "success", "strict"):
        table.add_column(name, justify="right")
    for row in rows:
        rates = (percent(row[key], 0) for key in ("share", *_RATES))
        table.add_row(visible(row["domain"]), visible(row["mode"] or "none"), str(row["episodes"]), *rates)
    return table
