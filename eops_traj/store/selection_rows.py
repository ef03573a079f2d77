"""Selections to Arrow and back by columns: a record a row, of a million, would take gigabytes on the way.

A long selection is saved in several rows of the same name, in the order of its episodes.
"""

from collections.abc import Collection, Iterable, Iterator
from typing import TYPE_CHECKING, Any

from eops_traj.schema import Selection, SelectionRow

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def frame(rows: Collection[SelectionRow]) -> "pl.DataFrame":
    """Return rows as a frame of their fields."""
    import polars as pl

    names = ("episode_id", "dropped_by", "detail")
    return pl.DataFrame({n: pl.Series(n, [getattr(row, n) for row in rows], pl.String) for n in names})


def to_arrow(head: Selection, parts: "Iterable[pl.DataFrame]", schema: "pa.Schema") -> "Iterator[pa.Table]":
    """Convert a selection to tables of one row, one for each part of its rows."""
    import pyarrow as pa

    record = schema.field("rows").type.value_type
    others = {name: [getattr(head, name)] for name in schema.names if name != "rows"}
    for part in parts:
        columns = [part[field.name].to_arrow().cast(field.type) for field in record]
        whole = pa.StructArray.from_arrays(columns, fields=list(record))
        rows = pa.ListArray.from_arrays(pa.array([0, len(whole)], pa.int32()), whole)
        yield pa.table({**others, "rows": rows.cast(schema.field("rows").type)}, schema=schema)


def read(saved: "Iterable[pl.DataFrame]", only: Collection[str] | None) -> Selection | None:
    """Read a saved selection, with all of its rows or those of some episodes; None where nothing is saved."""
    import polars as pl

    head: dict[str, Any] = {}
    rows: list[SelectionRow] = []
    for part in saved:
        head = head or part.drop("rows").row(0, named=True)
        if only is not None and not only:
            break
        of = part.select(pl.col("rows").explode()).unnest("rows").drop_nulls("episode_id")
        chosen = of if only is None else of.filter(pl.col("episode_id").is_in(list(only)))
        rows += (SelectionRow(**row) for row in chosen.iter_rows(named=True))
    return Selection(**head, rows=tuple(rows)) if head else None
