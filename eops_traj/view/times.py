"""When something was, of the times that a store keeps as text."""

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    import polars as pl

_MISSING = ("", "Z", "T00:00:00Z")
"""What a time in ISO 8601 may lack until it is whole."""


def instant(column: str) -> "pl.Expr":
    """Return a column's times as instants; one without an offset is in UTC, and what is no time is null."""
    import polars as pl

    texts = (pl.col(column).cast(pl.String) + missing for missing in _MISSING)
    return pl.coalesce(
        text.str.to_datetime("%+", time_unit="ms", time_zone="UTC", strict=False) for text in texts
    )
