"""A batch of the journal as rows of the tables; what does not fit is told apart, with the reason."""

import binascii
import itertools
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

from eops_traj.schema import Episode, Label, Prompt, Run, ToolSet
from eops_traj.store.arrow import required, row_from_json
from eops_traj.store.journal import Entry

if TYPE_CHECKING:
    from eops_traj.store.table import Table

KINDS: dict[str, tuple[type, str]] = {
    "prompts": (Prompt, "prompt_hash"),
    "toolsets": (ToolSet, "toolset_hash"),
    "runs": (Run, "run_id"),
    "episodes": (Episode, "episode_id"),
    "labels": (Label, "label_id"),
}
"""What the journal carries, in the order of writing: what an episode refers to is there before it."""

Unfit = (ValueError, TypeError, OverflowError, KeyError, RecursionError, NotImplementedError)
"""What JSON and Arrow raise for what they cannot take; Arrow's own errors are among them."""


class Row(NamedTuple):
    """A row on its way to its table, and the entry that it came from."""

    entry: Entry
    values: dict[str, Any]


class Rejected(NamedTuple):
    """An entry that no table can take, and why."""

    entry: Entry
    reason: str


def parse(entries: Iterable[Entry]) -> Iterator[Row | Rejected]:
    """Yield the row of each entry, or why there is none."""
    for entry in entries:
        if entry.kind not in KINDS:
            yield Rejected(entry, f"unknown kind {entry.kind!r}")
            continue
        try:
            yield Row(entry, _values(entry))
        except (*Unfit, binascii.Error) as error:
            yield Rejected(entry, _reason(error))


def _values(entry: Entry) -> dict[str, Any]:
    """Return the values of an entry's row. Raises one of `Unfit` where they are no such row."""
    record, key = KINDS[entry.kind]
    values = row_from_json(record, entry.payload)
    if values.get(key) != entry.key:
        raise ValueError(f"its {key} is {values.get(key)!r}, not {entry.key!r}")
    if missing := [name for name in required(record) if values.get(name) is None]:
        raise ValueError(f"{', '.join(missing)} missing")
    return values


def append(tables: Mapping[str, "Table"], rows: Iterable[Row]) -> tuple[dict[str, int], list[Rejected]]:
    """Append rows to their tables, each table's in one commit; return how many were new, and the rejected.

    Only where a table refuses them together is each tried alone.
    """
    counts, rejected, rows = {}, [], list(rows)
    for name in KINDS:
        mine = [row for row in rows if row.entry.kind == name]
        try:
            counts[name] = tables[name].append([row.values for row in mine])
        except Unfit:
            fitting, refused = _split(tables[name], mine)
            counts[name] = tables[name].append([row.values for row in fitting])
            rejected += refused
    return counts, rejected


def refused(tables: Mapping[str, "Table"], entries: Iterable[Entry]) -> list[Rejected]:
    """Return the entries that no table would take; nothing is written."""
    parsed = list(parse(entries))
    rows = [row for row in parsed if isinstance(row, Row)]
    unfit = [_split(tables[name], (row for row in rows if row.entry.kind == name))[1] for name in KINDS]
    return [*(row for row in parsed if isinstance(row, Rejected)), *itertools.chain(*unfit)]


def _split(table: "Table", rows: Iterable[Row]) -> tuple[list[Row], list[Rejected]]:
    """Part the rows that Arrow takes from those that it refuses."""
    fitting, refused = [], []
    for row in rows:
        try:
            table.arrow([row.values])
            fitting.append(row)
        except Unfit as error:
            refused.append(Rejected(row.entry, _reason(error)))
    return fitting, refused


def _reason(error: Exception) -> str:
    return " ".join(f"{type(error).__name__}: {error}".split())[:300]
