"""Selections to Arrow and back by columns: a record a row, of a million, would take gigabytes on the way."""

from collections.abc import Collection
from typing import TYPE_CHECKING

from eops_traj.schema import Selection, SelectionRow

if TYPE_CHECKING:
    import polars as pl
    import pyarrow as pa


def to_arrow(selection: Selection, schema: "pa.Schema") -> "pa.Table":
    """Convert a selection to a table of one row."""
    import pyarrow as pa

    record = schema.field("rows").type.value_type
    columns = [
        pa.array((getattr(row, field.name) for row in selection.rows), field.type, size=len(selection.rows))
        for field in record
    ]
    whole = pa.StructArray.from_arrays(columns, fields=list(record))
    rows = pa.ListArray.from_arrays(pa.array([0, len(whole)], pa.int32()), whole)
    head = {name: [getattr(selection, name)] for name in schema.names if name != "rows"}
    return pa.table({**head, "rows": rows.cast(schema.field("rows").type)}, schema=schema)


def read(saved: "pl.LazyFrame", only: Collection[str] | None) -> tuple[SelectionRow, ...]:
    """Read the rows of a saved selection, all or those of some episodes."""
    import polars as pl

    rows = saved.select(pl.col("rows").explode()).unnest("rows").drop_nulls("episode_id")
    if only is not None:
        rows = rows.filter(pl.col("episode_id").is_in(list(only)))
    columns = rows.select("episode_id", "dropped_by", "detail").collect()
    return tuple(
        SelectionRow(episode_id=id_, dropped_by=rule, detail=why) for id_, rule, why in columns.iter_rows()
    )
