"""Columns: as ``datasets`` declares them on a card, as Arrow types, and the conversion of values.

A declaration is ``{"name": ..., "dtype": ...}``, or ``list`` in the place of ``dtype``: a type, the columns
of a struct, or ``json``. Parquet holds declared JSON as JSON text, which any reader understands
and ``datasets`` decodes.
"""

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    import pyarrow as pa

Column = dict[str, Any]


def to_arrow_schema(columns: Sequence[Column]) -> "pa.Schema":
    """Return the Arrow schema of declared columns."""
    import pyarrow as pa

    return pa.schema([pa.field(column["name"], _type(column)) for column in columns])


def _type(column: Column) -> "pa.DataType":
    import pyarrow as pa

    if "list" not in column:
        return pa.type_for_alias(column["dtype"])
    inner = column["list"]
    if isinstance(inner, str):
        return pa.list_(pa.string() if inner == "json" else pa.type_for_alias(inner))
    return pa.list_(pa.struct([pa.field(part["name"], _type(part)) for part in inner]))


def to_columns(arrow: "pa.Schema") -> tuple[Column, ...]:
    """Return the declarations of an Arrow schema of texts, numbers, and lists of those or of structs."""
    return tuple(_column(field.name, field.type) for field in arrow)


def _column(name: str, arrow: "pa.DataType") -> Column:
    import pyarrow as pa

    if not pa.types.is_list(arrow):
        return {"name": name, "dtype": _dtype(arrow)}
    inner = arrow.value_type
    if not pa.types.is_struct(inner):
        return {"name": name, "list": _dtype(inner)}
    return {"name": name, "list": [_column(field.name, field.type) for field in inner]}


def _dtype(arrow: "pa.DataType") -> str:
    return {"double": "float64"}.get(str(arrow), str(arrow))


def pack_row(record: dict[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    """Encode a row for Parquet."""
    return {c["name"]: _pack_value(record.get(c["name"]), c) for c in columns}


def _pack_value(value: Any, column: Column) -> Any:
    if column.get("list") != "json" or value is None:
        return value
    return [json.dumps(part, ensure_ascii=False, allow_nan=False) for part in value]


def unpack_row(row: dict[str, Any], columns: Sequence[Column]) -> dict[str, Any]:
    """Decode a row of :func:`pack_row`, without the columns that are null."""
    record = {
        c["name"]: [json.loads(part) for part in row[c["name"]]]
        if c.get("list") == "json" and row[c["name"]] is not None
        else row[c["name"]]
        for c in columns
    }
    return {name: value for name, value in record.items() if value is not None}
