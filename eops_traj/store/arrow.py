"""Records to Arrow and back: the dataclasses of :mod:`eops_traj.schema` are the only schema there is."""

import base64
import dataclasses
import functools
import json
import types
import typing
from typing import TYPE_CHECKING, Annotated, Any

from eops_traj.hashing import clean
from eops_traj.schema import Json

if TYPE_CHECKING:
    import pyarrow as pa

Record = typing.TypeVar("Record")


def _value_type(annotation: Any) -> Any:
    """Return a field's type without documentation and optionality."""
    if typing.get_origin(annotation) is Annotated:
        return _value_type(typing.get_args(annotation)[0])
    if typing.get_origin(annotation) in (typing.Union, types.UnionType):
        return _value_type(next(a for a in typing.get_args(annotation) if a is not type(None)))
    return annotation


@functools.cache
def field_types(cls: type) -> dict[str, Any]:
    """Return the plain type of each field of a record, in order."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {f.name: _value_type(hints[f.name]) for f in dataclasses.fields(cls)}


@functools.cache
def documentation(cls: type) -> dict[str, str]:
    """Return the documentation of each field of a record, in order."""
    hints = typing.get_type_hints(cls, include_extras=True)
    return {f.name: typing.get_args(hints[f.name])[1] for f in dataclasses.fields(cls)}


def nullable(hint: Any) -> bool:
    """Check whether a field of this annotation may be None."""
    if typing.get_origin(hint) is Annotated:
        return nullable(typing.get_args(hint)[0])
    return typing.get_origin(hint) in (typing.Union, types.UnionType) and type(None) in typing.get_args(hint)


@functools.cache
def required(cls: type) -> tuple[str, ...]:
    """Return the fields of a record that are never None and have no default."""
    hints, missing = typing.get_type_hints(cls, include_extras=True), dataclasses.MISSING
    return tuple(
        f.name
        for f in dataclasses.fields(cls)
        if f.default is missing and f.default_factory is missing and not nullable(hints[f.name])
    )


def _arrow_type(value_type: Any) -> "pa.DataType":
    import pyarrow as pa

    if typing.get_origin(value_type) is tuple:
        return pa.list_(_arrow_type(typing.get_args(value_type)[0]))
    if dataclasses.is_dataclass(value_type):
        return pa.struct(
            [pa.field(n, _arrow_type(t)) for n, t in field_types(typing.cast(type, value_type)).items()]
        )
    plain = {
        str: pa.string(),
        Json: pa.string(),
        int: pa.int64(),
        float: pa.float64(),
        bool: pa.bool_(),
        bytes: pa.binary(),
    }
    return plain[value_type]


@functools.cache
def arrow_schema(cls: type) -> "pa.Schema":
    """Return the Arrow schema of a record: tuples are lists, records are structs, JSON is text."""
    import pyarrow as pa

    return pa.schema([pa.field(name, _arrow_type(t)) for name, t in field_types(cls).items()])


def _load(value_type: Any, value: Any) -> Any:
    if value is None:
        return None
    if typing.get_origin(value_type) is tuple:
        inner = typing.get_args(value_type)[0]
        return tuple(_load(inner, v) for v in value)
    return from_row(typing.cast(type, value_type), value) if dataclasses.is_dataclass(value_type) else value


def from_row(cls: type[Record], row: dict[str, Any]) -> Record:
    """Build the record that a row of plain values holds (as Arrow, polars or JSON give it back)."""
    fields = field_types(typing.cast(type, cls))
    return cls(**{n: _load(t, row[n]) for n, t in fields.items() if n in row})


def to_row(value: Any) -> dict[str, Any]:
    """Convert a record to plain values: dicts, lists and scalars."""
    return dataclasses.asdict(value)


def to_json(value: Any) -> str:
    """Render a record as JSON text; bytes become base64."""
    return clean(json.dumps(value, default=_to_plain, ensure_ascii=False))


def _to_plain(value: Any) -> str | dict[str, Any]:
    """Return what the JSON encoder writes for bytes, or for a record; it asks again for what is inside."""
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    cls: type = type(value)
    return {name: getattr(value, name) for name in field_types(cls)}


def row_from_json(cls: type, text: str) -> dict[str, Any]:
    """Parse the row that :func:`to_json` wrote. Raises ValueError for other text."""
    row: dict[str, Any] = json.loads(text)
    if not isinstance(row, dict):
        raise ValueError(f"a record is an object, not a {type(row).__name__}")
    for name, value_type in field_types(cls).items():
        if value_type is bytes and row.get(name) is not None:
            row[name] = base64.b64decode(row[name])
    return row
