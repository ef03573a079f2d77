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

from abc import ABC, abstractmethod
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import count
from typing import TYPE_CHECKING, Annotated, Any, ClassVar

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, Label
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
    """Best first: what passed, of that strict successes, then fewer tool calls, then by id.

    A step that keeps some keeps these.
    """
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


def dump_rules(rules: Mapping[str, Rule]) -> Json:
    """Render the rules as a config that gives them again, every default filled in."""
    entries = [{label.partition("#")[0]: r.model_dump(mode="json")} for label, r in rules.items()]
    return Json(canonical_json({"rules": entries}))


def rule_labels(names: Iterable[str]) -> list[str]:
    """Return the label of each rule of a config: its name, numbered from its second time."""
    seen: Counter[str] = Counter()
    labels = []
    for name in names:
        seen[name] += 1
        labels.append(name if seen[name] == 1 else f"{name}#{seen[name]}")
    return labels
