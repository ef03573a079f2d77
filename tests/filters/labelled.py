"""Filters applied to episodes made to order."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

import polars as pl
import pyarrow as pa

from eops_traj.filter.config import parse_rules
from eops_traj.filter.labelling import Labelled, label_rows
from eops_traj.filter.rules import Rule
from eops_traj.filter.selecting import filtered
from eops_traj.schema import Episode, Selection, SelectionRow
from eops_traj.store.arrow import arrow_schema, to_row
from eops_traj.store.store import Store


def frame(*episodes: Episode) -> pl.LazyFrame:
    """The episodes as the store's table has them."""
    table = pa.Table.from_pylist([to_row(e) for e in episodes], schema=arrow_schema(Episode))
    return pl.DataFrame(table).lazy()


def labelled(episodes: list[Episode], *rules: Any) -> dict[str, SelectionRow]:
    """What the rules of a config make of the episodes, by id."""
    with label_rows(frame(*episodes), parse_rules({"rules": list(rules)}, "a test")) as found:
        return {row.episode_id: row for row in rows_of(found)}


def rows_of(found: Labelled) -> tuple[SelectionRow, ...]:
    """All rows that were labelled, in their order."""
    return tuple(SelectionRow(**row) for part in found.parts() for row in part.iter_rows(named=True))


def selected(store: Store, name: str, rules: Mapping[str, Rule], save: bool = False) -> Selection:
    """The selection that the rules make of a store, saved where that is asked for."""
    with filtered(store, name, rules) as found:
        if save:
            found.save()
        return replace(found.head, rows=rows_of(found.labelled))


def kept(episodes: list[Episode], *rules: Any) -> list[str]:
    """The ids of the episodes that the rules keep, sorted."""
    return sorted(i for i, row in labelled(episodes, *rules).items() if row.dropped_by is None)
