"""The reasons why an episode is in a selection or out of it: the rules it met, and the deciding values."""

import json
from dataclasses import dataclass
from typing import Any

from eops_traj.errors import InputError, StoreError
from eops_traj.filter.config import parse_rules
from eops_traj.filter.rules import RowRule, Rule
from eops_traj.schema import Selection, SelectionRow
from eops_traj.store.store import Store


@dataclass(frozen=True)
class RuleResult:
    """The result of one rule on the episode."""

    rule: str
    """The rule's label."""
    kept: bool
    parameters: dict[str, Any]
    values: dict[str, Any]
    """The values that the rule looked at; empty for a set step, which looks at other rows too."""
    detail: str | None
    """The reason that a set step gives."""


def explain(store: Store, selection: Selection, episode_id: str) -> list[RuleResult]:
    """Return the results of the rules that an episode met, in order; the last one dropped it if it is out.

    Values are read from the version of the store that the selection read. Raises InputError where the
    selection never saw the episode, StoreError where that version does not find it.
    """
    row = _row(selection, episode_id)
    met: dict[str, Rule] = {}
    for label, rule in parse_rules(json.loads(selection.config), f"selection {selection.name}").items():
        met[label] = rule
        if label == row.dropped_by:
            break
    values = _values(store, selection, episode_id, met)
    return [
        RuleResult(
            rule=label,
            kept=label != row.dropped_by,
            parameters=rule.model_dump(mode="json"),
            values=values.get(label, {}),
            detail=row.detail if label == row.dropped_by else None,
        )
        for label, rule in met.items()
    ]


def _row(selection: Selection, episode_id: str) -> SelectionRow:
    for row in selection.rows:
        if row.episode_id == episode_id:
            return row
    raise InputError(
        f"episode {episode_id!r} is not among those that selection {selection.name!r} saw"
        f" (store version {selection.store_version})"
    )


def _values(
    store: Store, selection: Selection, episode_id: str, rules: dict[str, Rule]
) -> dict[str, dict[str, Any]]:
    """Return for each row rule the values of this episode that it looks at."""
    import polars as pl

    columns = {
        label: pl.struct([expr.alias(name) for name, expr in rule.deciding_values().items()])
        for label, rule in rules.items()
        if isinstance(rule, RowRule)
    }
    table = store.tables["episodes"]
    rows = table.scan_keys([episode_id], selection.store_version).select(**columns).collect()
    if columns and rows.is_empty():
        what = f"version {selection.store_version}, which selection {selection.name!r} read"
        raise StoreError(f"{store.url} no longer finds episode {episode_id!r} in {what}")
    return rows.row(0, named=True) if columns else {}
