"""Filter a store: rules in order, every episode labelled with the first rule that drops it, none lost.

A config is a YAML file with one list, whose order is the order of application::

    rules:
      - no_error
      - verified: {label: strict}
      - max_turns: {most: 30}
      - near_duplicates: {threshold: 0.9}

There are two kinds of rules, one a file in ``filters/``. A :class:`RowRule` judges a row by itself, with a
polars expression. A :class:`SetStep` judges the rows that are left when its turn comes, together. The result
is a :class:`~eops_traj.schema.Selection`. A rule may stand in the list twice; its second label is then
``near_duplicates#2``.
"""

import datetime
import json
from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from eops_traj.errors import InputError
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Label, Selection, SelectionRow
from eops_traj.store.store import Store
from eops_traj.workers.engine import HERE, Engine

if TYPE_CHECKING:
    import polars as pl

SLICE = 4096
"""Rows of the table that a set step reads at a time: a few hundred MB where it reads turns."""

Names = Annotated[
    list[str],
    BeforeValidator(lambda v: [v] if isinstance(v, str) else v, json_schema_input_type=str | list[str]),
    Field(min_length=1),
]
"""A name, or a list of them."""


class Rule(BaseModel):
    """A rule with its parameters, which are the fields of its class."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)
    reads_labels: ClassVar[bool] = False
    """True where the rule asks what readers said."""

    def missing(self) -> list[str]:
        """Return what the rule needs from outside the store and cannot find, a sentence each."""
        return []


class RowRule(Rule, ABC):
    """A rule that looks at one row at a time."""

    @abstractmethod
    def keep(self) -> "pl.Expr":
        """Return an expression, true where the row is kept; null (a value not known) drops it."""

    def deciding_values(self) -> "dict[str, pl.Expr]":
        """Return the values that decide, by name: ``eops-traj why`` prints them."""
        import polars as pl

        return {name: pl.col(name) for name in self.keep().meta.root_names()}


class SetStep(Rule, ABC):
    """A rule that looks at all the rows that are left, together."""

    @abstractmethod
    def drop(self, rows: "Rows") -> dict[str, str]:
        """Return the ids of the rows to drop, each with the reason in words."""


@dataclass(frozen=True)
class Rows:
    """The rows that a set step sees."""

    ids: list[str]
    """Best first: strict successes, then fewer tool calls, then by id. A step that keeps some keeps these."""
    scan: "pl.LazyFrame"
    """The whole table they are in."""
    labels: tuple[Label, ...] = ()
    """What readers said, the oldest first, where the rule reads it."""
    engine: Engine = HERE
    """Where a step that takes long has its work done."""

    def stream(self, **columns: "pl.Expr") -> Iterator[dict[str, Any]]:
        """Yield these columns of the rows, and ``episode_id``, in the table's order; a slice in memory."""
        import polars as pl

        survives = pl.col("episode_id").is_in(pl.Series(self.ids, dtype=pl.String).implode())
        table = self.scan.select("episode_id", survives=survives).collect(engine="streaming")
        for start, part in zip(count(0, SLICE), table.iter_slices(SLICE), strict=False):
            left = part.filter("survives")["episode_id"]  # few, and so soon looked up
            if not left.is_empty():
                rows = self.scan.slice(start, SLICE).filter(pl.col("episode_id").is_in(left.implode()))
                wanted = rows.select("episode_id", **columns)
                yield from wanted.collect(engine="streaming").iter_rows(named=True)


def label_rows(
    scan: "pl.LazyFrame",
    rules: Mapping[str, Rule],
    done: Callable[[int], None] = lambda steps: None,
    labels: tuple[Label, ...] = (),
    engine: Engine = HERE,
) -> tuple[SelectionRow, ...]:
    """Label every row of the table, best first, with the first rule that drops it.

    ``labels`` are what readers said; ``done`` is called with 1 after each rule.
    """
    verdicts = _row_verdicts(scan, rules)
    ids = verdicts.get_column("episode_id").to_list()
    dropped: dict[str, SelectionRow] = {}
    for label, rule in rules.items():
        out: Mapping[str, str | None]
        if isinstance(rule, SetStep):
            rows = Rows([i for i in ids if i not in dropped], scan, labels, engine)
            out = rule.drop(rows) if rows.ids else {}
        else:
            kept = verdicts.get_column(label)
            out = {i: None for i, keeps in zip(ids, kept, strict=True) if not keeps and i not in dropped}
        for i, detail in out.items():
            dropped[i] = SelectionRow(episode_id=i, dropped_by=label, detail=detail)
        done(1)
    return tuple(dropped.get(i) or SelectionRow(episode_id=i) for i in ids)


def _row_verdicts(scan: "pl.LazyFrame", rules: Mapping[str, Rule]) -> "pl.DataFrame":
    """Read the table once: a row an episode, best first, and for each row rule whether it keeps it."""
    import polars as pl

    keeps = {
        label: rule.keep().fill_null(False) for label, rule in rules.items() if isinstance(rule, RowRule)
    }
    columns = scan.select("episode_id", "success_strict", "n_steps", **keeps)
    return columns.collect(engine="streaming").sort(
        pl.col("success_strict").fill_null(False), "n_steps", "episode_id", descending=[True, False, False]
    )


def make_selection(
    store: Store,
    name: str,
    rules: Mapping[str, Rule],
    done: Callable[[int], None] = lambda steps: None,
    engine: Engine = HERE,
) -> Selection:
    """Apply the rules, by label, to the store as it is now. Saves nothing. Raises InputError for no name."""
    if not name.strip():
        raise InputError(f"a selection needs a name, not {name!r}")
    version = store.version()
    labels = tuple(store.labels()) if any(rule.reads_labels for rule in rules.values()) else ()
    return Selection(
        name=name,
        store_version=version,
        config=dump_rules(rules),
        created_at=datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds"),
        rows=label_rows(store.scan(version), rules, done, labels, engine),
    )


def dump_rules(rules: Mapping[str, Rule]) -> Json:
    """Render the rules as a config that gives them again, every default filled in."""
    entries = [{label.partition("#")[0]: r.model_dump(mode="json")} for label, r in rules.items()]
    return Json(canonical_json({"rules": entries}))


def save_selection(store: Store, selection: Selection) -> None:
    """Save a selection. Raises InputError where it keeps nothing; nothing is saved then."""
    if not selection.kept():
        raise InputError(
            f"selection {selection.name!r} is empty and was not saved:"
            f" the rules keep none of {len(selection.rows)} episodes"
        )
    store.save_selection(selection)


def rule_labels(names: Iterable[str]) -> list[str]:
    """Return the label of each rule of a config: its name, numbered from its second time."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return labels


def rule_counts(selection: Selection) -> list[dict[str, Any]]:
    """Return for each rule in order its label, how many rows it dropped, and how many were left."""
    dropped = Counter(row.dropped_by for row in selection.rows)
    left = len(selection.rows)
    names = (next(iter(entry)) for entry in json.loads(selection.config)["rules"])
    return [
        {"rule": rule, "dropped": (n := dropped[rule]), "kept": (left := left - n)}
        for rule in rule_labels(names)
    ]


def list_selections(store: Store) -> list[dict[str, Any]]:
    """List the saved selections by name: version read, time, how many rows each keeps and drops."""
    import polars as pl

    head = ("name", "store_version", "created_at")
    drops = pl.col("rows").list.eval(pl.element().struct.field("dropped_by").is_not_null()).list.sum()
    kept = pl.col("rows").list.len() - drops
    parts = store.tables["selections"].read_fields([*head, "rows.dropped_by"])  # and no row's id and detail
    counted = [part.select(*head, kept=kept, dropped=drops).to_dicts() for part in parts]
    return sorted((row for rows in counted for row in rows), key=lambda row: row["name"])
