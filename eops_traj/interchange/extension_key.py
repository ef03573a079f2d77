"""What a format has no word for, under a key of our own.

A foreign document is read as anybody's would be, and what that reading lacks of the episode is written
beside it: only the fields that differ, in the store's own form (:func:`eops_traj.store.arrow.to_json`). To read
is to do the same again and to put those fields in their places. So nothing is said twice, a reader who
knows nothing of us misses exactly what stands here, and :mod:`eops_traj.interchange.loss_report` can count it.
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
"""What is restored, field by field: an episode and what it refers to."""
NESTED = ("turns", "tool_calls")
"""The lists of records whose members are compared one by one, where there are equally many."""

Row = dict[str, Any]
Record = TypeVar("Record")


def extension(whole: EpisodeBundle, bare: EpisodeBundle) -> Row:
    """What ``bare``, read from a document without our key, lacks of ``whole``."""
    parts = {name: _difference(_row(getattr(whole, name)), _row(getattr(bare, name))) for name in PARTS}
    return {"schema": SCHEMA_VERSION, **{name: part for name, part in parts.items() if part}}


def restored(bare: EpisodeBundle, found: Any) -> EpisodeBundle:
    """``bare`` with what an extension says put in its place.

    Raises FormatError for an extension of a newer schema, or one that does not fit the document.
    """
    if not isinstance(found, dict) or not isinstance(found.get("schema"), int):
        raise FormatError(f"its {KEY!r} is none of ours")
    if found["schema"] > SCHEMA_VERSION:
        raise FormatError(f"schema version {found['schema']}; this eops-traj reads up to {SCHEMA_VERSION}")
    made = {name: _rebuilt(getattr(bare, name), found.get(name, {})) for name in PARTS}
    if made["episode"].outcome not in OUTCOMES:
        raise FormatError(f"no outcome is called {made['episode'].outcome!r}")
    return replace(bare, **made)


def _row(record: Any) -> Row:
    row: Row = json.loads(to_json(record))
    return row


def _difference(whole: Row, bare: Row) -> Row:
    """The fields of a row that another has otherwise."""
    found: Row = {}
    for name, value in whole.items():
        if value == bare[name]:
            continue
        if name in NESTED and len(value) == len(bare[name]):
            value = [_difference(ours, theirs) for ours, theirs in zip(value, bare[name], strict=True)]
        found[name] = value
    return found


def _merged(bare: Row, found: Row) -> Row:
    """A row with the fields of a difference put in."""
    row = bare | found
    for name in NESTED:
        if name in found and len(found[name]) == len(bare[name]):
            row[name] = [_merged(ours, theirs) for ours, theirs in zip(bare[name], found[name], strict=True)]
    return row


def _rebuilt(bare: Record, found: Any) -> Record:
    if not found:
        return bare
    cls: Any = type(bare)
    try:
        row = row_from_json(cls, json.dumps(_merged(_row(bare), found)))
        made: Record = _adapter(cls).validate_python(row)
        for text in json_texts(made):
            json.loads(text)
    except ValidationError as error:
        wrong = [f"{'.'.join(map(str, e['loc']))}: {e['msg']}" for e in error.errors()[:3]]
        raise FormatError(f"its {KEY!r} does not fit it: {'; '.join(wrong)}") from error
    except (TypeError, ValueError, AttributeError) as error:
        raise FormatError(f"its {KEY!r} does not fit it: {error}") from error
    return made


@functools.cache
def _adapter(cls: Any) -> "TypeAdapter[Any]":
    return TypeAdapter(cls)


def json_texts(record: Any) -> Iterator[str]:
    """Every JSON text in a record and the records in it."""
    cls: Any = type(record)
    for name, kind in field_types(cls).items():
        value = getattr(record, name)
        if kind is Json and value is not None:
            yield value
        elif isinstance(value, tuple) and value and hasattr(value[0], "__dataclass_fields__"):
            for inner in value:
                yield from json_texts(inner)
