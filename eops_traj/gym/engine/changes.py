"""What changed in a database, row by row, read from SQLite changesets."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import apsw

from eops_traj.gym.engine.schema import Schema


@dataclass(frozen=True)
class Change:
    """One row that was inserted, updated or deleted; an update names only the columns that changed."""

    table: str
    key: tuple[Any, ...]
    operation: str
    before: Mapping[str, Any] | None
    after: Mapping[str, Any] | None


def read(changeset: bytes, schema: Schema) -> tuple[Change, ...]:
    """The rows that a changeset touches."""
    return tuple(_change(row, schema) for row in apsw.Changeset.iter(changeset)) if changeset else ()


def join(changesets: Iterable[bytes]) -> bytes:
    """One changeset with the effect of several, applied in order."""
    builder = apsw.ChangesetBuilder()  # type: ignore[no-untyped-call]
    for changeset in changesets:
        builder.add(changeset)
    return builder.output()


def _change(row: apsw.TableChange, schema: Schema) -> Change:
    names = tuple(schema.tables[row.name].columns)
    whole = row.old or row.new or ()
    key = tuple(whole[index] for index in sorted(row.pk_columns))
    before, after = _named(names, row.old), _named(names, row.new)
    if before and after:  # an update's old row carries its key, changed or not
        before = {name: before[name] for name in after}
    return Change(row.name, key, row.op.lower(), before, after)


def _named(names: tuple[str, ...], values: tuple[Any, ...] | None) -> dict[str, Any] | None:
    if values is None:
        return None
    return {n: v for n, v in zip(names, values, strict=True) if v is not apsw.no_change}
