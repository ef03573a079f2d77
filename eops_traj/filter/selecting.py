"""Selections: what a filter makes of a store, saved under a name and listed."""

import contextlib
import datetime
import json
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from eops_traj.errors import InputError
from eops_traj.filter.labelling import Labelled, label_rows
from eops_traj.filter.rules import Rule, dump_rules, rule_labels
from eops_traj.schema import Json, Selection
from eops_traj.store.store import Store
from eops_traj.workers.engine import HERE, Engine


@dataclass(frozen=True)
class Filtered:
    """What a filter made of a store: a selection whose rows are read a part at a time."""

    store: Store
    head: Selection
    """The selection without its rows."""
    labelled: Labelled

    @property
    def kept(self) -> int:
        """The number of episodes that no rule dropped."""
        return self.labelled.counts.get(None, 0)

    @property
    def episodes(self) -> int:
        """The number of all episodes of the store's version."""
        return sum(self.labelled.counts.values())

    def rules(self) -> list[dict[str, Any]]:
        """Return for each rule in order its label, how many rows it dropped, and how many were left."""
        return _rule_counts(self.head.config, self.labelled.counts)

    def kept_values(self, *columns: str) -> set[tuple[Any, ...]]:
        """Return the values that the episodes kept have in these columns, each combination once."""
        import polars as pl

        table, values = self.store.scan(self.head.store_version), set[tuple[Any, ...]]()
        for part in self.labelled.parts():
            kept = part.filter(pl.col("dropped_by").is_null())["episode_id"]
            rows = table.filter(pl.col("episode_id").is_in(kept.implode())).select(*columns).unique()
            values.update(rows.collect(engine="streaming").iter_rows())
        return values

    def save(self) -> None:
        """Save it, replacing an older one. Raises InputError where nothing is kept; nothing is saved then."""
        if not self.kept:
            raise InputError(
                f"selection {self.head.name!r} is empty and was not saved:"
                f" the rules keep none of {self.episodes} episodes"
            )
        self.store.save_selection_parts(self.head, self.labelled.parts())


@contextlib.contextmanager
def filtered(
    store: Store,
    name: str,
    rules: Mapping[str, Rule],
    done: Callable[[int], None] = lambda steps: None,
    engine: Engine = HERE,
) -> Iterator[Filtered]:
    """Apply the rules, by label, to the store as it is now. Saves nothing. Raises InputError for no name."""
    if not name.strip() or {".", ".."} & {*name.split("/")}:  # which lead elsewhere, as a folder and in a URL
        raise InputError(f"a selection needs a name, not {name!r}")
    version = store.version()
    labels = tuple(store.labels()) if any(rule.reads_labels for rule in rules.values()) else ()
    now = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
    head = Selection(name=name, store_version=version, config=dump_rules(rules), created_at=now, rows=())
    with label_rows(store.scan(version), rules, done, labels, engine) as labelled:
        yield Filtered(store, head, labelled)


def rule_counts(selection: Selection) -> list[dict[str, Any]]:
    """Return for each rule in order its label, how many rows it dropped, and how many were left."""
    return _rule_counts(selection.config, Counter(row.dropped_by for row in selection.rows))


def _rule_counts(config: Json, dropped: Mapping[str | None, int]) -> list[dict[str, Any]]:
    left = sum(dropped.values())
    names = (next(iter(entry)) for entry in json.loads(config)["rules"])
    return [
        {"rule": rule, "dropped": (n := dropped.get(rule, 0)), "kept": (left := left - n)}
        for rule in rule_labels(names)
    ]


def list_selections(store: Store) -> list[dict[str, Any]]:
    """List the saved selections by name: version read, time, how many rows each keeps and drops."""
    import polars as pl

    head = ("name", "store_version", "created_at")
    drops = pl.col("rows").list.eval(pl.element().struct.field("dropped_by").is_not_null()).list.sum()
    counts = {"kept": pl.col("rows").list.len() - drops, "dropped": drops}
    names = [*head, "rows.dropped_by"]  # and no row's id and detail
    parts = store.tables["selections"].read_fields(names, by_group=True)
    counted = [part.select(*head, **counts) for part in parts]
    if not counted:
        return []
    return pl.concat(counted).group_by(head).sum().sort("name").select(*head, *counts).to_dicts()
