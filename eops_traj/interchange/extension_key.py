"""The fields that a format has no room for, under a key of our own.

A foreign document is read as any reader would, and what that reading lacks of the episode is written
beside it: only the fields that differ, in the store's own form (:func:`eops_traj.store.arrow.to_json`). To
read is to do the same again and to put those fields in their places. So nothing is repeated, a reader who
knows nothing of us misses exactly these fields, and :mod:`eops_traj.interchange.loss_report` can count them.
"""

import functools
import json
from collections.abc import Iterator
from dataclasses import replace
from typing import Any, TypeVar

from pydantic import TypeAdapter, ValidationError

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.schema import OUTCOMES, SCHEMA_VERSION, Json
from eops_traj.store.arrow import field_types, row_from_json, to_json

KEY = "eops_traj"
PARTS = ("episode", "prompt", "toolset", "run")
"""The parts restored, field by field: an episode and its records."""
NESTED = ("turns", "tool_calls")
"""The lists of records whose members are compared one by one, where there are equally many."""

Row = dict[str, Any]
Record = TypeVar("Record")


def extension(whole: EpisodeBundle, bare: EpisodeBundle) -> Row:
    """Return what ``bare``, read from a document without our key, lacks of ``whole``."""
    parts = {name: _difference(_row(getattr(whole, name)), _row(getattr(bare, name))) for name in PARTS}
    return {"schema": SCHEMA_VERSION, **{name: part for name, part in parts.items() if part}}


def apply_extension(bare: EpisodeBundle, extension: Any) -> EpisodeBundle:
    """Return ``bare`` with the fields of an extension put in their places.

    Raises FormatError for an extension of a newer schema, or one that does not fit the document.
    """
    if not isinstance(extension, dict) or not isinstance(extension.get("schema"), int):
        raise FormatError(f"its {KEY!r} is none of ours")
    if extension["schema"] > SCHEMA_VERSION:
        raise FormatError(
            f"schema version {extension['schema']}; this eops-traj reads up to {SCHEMA_VERSION}"
        )
    parts = {name: _rebuilt(getattr(bare, name), extension.get(name, {})) for name in PARTS}
    if parts["episode"].outcome not in OUTCOMES:
        raise FormatError(f"no outcome is called {parts['episode'].outcome!r}")
    return replace(bare, **parts)


def _row(record: Any) -> Row:
    row: Row = json.loads(to_json(record))
    return row


def _difference(whole: Row, bare: Row) -> Row:
    """Return the fields of a row that differ in another."""
    fields: Row = {}
    for name, value in whole.items():
        if value == bare[name]:
            continue
        if name in NESTED and len(value) == len(bare[name]):
            value = [_difference(first, second) for first, second in zip(value, bare[name], strict=True)]
        fields[name] = value
    return fields


def _merged(bare: Row, fields: Row) -> Row:
    """Return a row with the fields of a difference put in."""
    row = bare | fields
    for name in NESTED:
        if name in fields and len(fields[name]) == len(bare[name]):
            row[name] = [
                _merged(first, second) for first, second in zip(bare[name], fields[name], strict=True)
            ]
    return row


def _rebuilt(bare: Record, fields: Any) -> Record:
    if not fields:
        return bare
    cls: Any = type(bare)
    try:
        row = row_from_json(cls, json.dumps(_merged(_row(bare), fields)))
        rebuilt: Record = _adapter(cls).validate_python(row)
        for text in json_texts(rebuilt):
            json.loads(text)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3]]
        raise FormatError(f"its {KEY!r} does not fit it: {'; '.join(wrong)}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"its {KEY!r} does not fit it: {error}") from error
    return rebuilt


@functools.cache
def _adapter(cls: Any) -> "TypeAdapter[Any]":
    return TypeAdapter(cls)


def json_texts(record: Any) -> Iterator[str]:
    """Yield every JSON text in a record and the records in it."""
    cls: Any = type(record)
    for name, kind in field_types(cls).items():
        value = getattr(record, name)
        if kind is Json and value is not None:
            yield value
        elif isinstance(value, tuple) and value and hasattr(value[0], "__dataclass_fields__"):
            for inner in value:
                yield from json_texts(inner)
