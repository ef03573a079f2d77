"""The verifier kind ``row_changes``: exactly the expected rows changed, and every column of them is right."""

import json
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

from eops_traj.schema import Change, ToolCall, Verdict, json_of
from eops_traj.tool_effects import tells_others
from eops_traj.verify.end_state import EndState
from eops_traj.verify.row_matching import (
    ExpectedRow,
    Matching,
    RowId,
    actual_rows,
    match_rows,
    row_id,
)


@dataclass(frozen=True)
class RowRules:
    """The configuration of a verifier: the expected rows, and what is nobody's doing but the server's."""

    rows: tuple[ExpectedRow, ...]
    bookkeeping: dict[str, list[str]]
    """By server, tables whose rows follow from the others."""
    own: dict[str, dict[str, list[str]]]
    """By server and table, columns whose changes, if nothing else in a row changed, are the server's."""
    touched: frozenset[RowId]
    """Rows that were to be changed and changed back."""

    def counts(self, change: Change) -> bool:
        """Check whether a change is somebody's doing."""
        if change.table in self.bookkeeping.get(change.server, ()):
            return False
        own = self.own.get(change.server, {}).get(change.table, ())
        names = json_object(change.after)
        return change.operation != "update" or not names or not set(names) <= set(own)


def json_object(text: str | None) -> dict[str, Any]:
    """Return the object that a text of the store holds; an empty one for none."""
    return dict(json.loads(text or "{}"))


def run_row_changes(verdict: Verdict, config: dict[str, Any], state: EndState) -> Verdict | None:
    """Check that exactly the expected rows changed, each column as it has to be.

    Configuration: ``rows`` (see `ExpectedRow`), ``bookkeeping``, ``own`` and ``touched`` (see `RowRules`). No
    verdict where the sandbox records nothing.
    """
    changed_rows = getattr(state.sandbox, "changed_rows", None)
    if changed_rows is None:
        return None
    changes, rules = changed_rows(), read_rules(config)
    matching = match_state(rules, changes, state.tool_calls)
    fault = matching.fault or undone_fault(rules, changes, state.tool_calls)
    return replace(
        verdict,
        expected=json_of(_summary(row.place for row in rules.rows)),
        actual=json_of(_summary((c.server, c.table, c.operation) for c in changes if rules.counts(c))),
        passed_strict=not fault,
        details=fault or "every row that changed is as it has to be",
    )


def read_rules(config: dict[str, Any]) -> RowRules:
    """Read a verifier's configuration."""
    return RowRules(
        tuple(ExpectedRow(**row) for row in config["rows"]),
        config.get("bookkeeping", {}),
        config.get("own", {}),
        frozenset((server, table, key) for server, table, key in config.get("touched", ())),
    )


def match_state(rules: RowRules, changes: Sequence[Change], calls: Sequence[ToolCall]) -> Matching:
    """Match the rows that differ from the seed with the expected ones."""
    return match_rows(rules.rows, actual_rows([c for c in changes if rules.counts(c)], calls))


def undone_fault(rules: RowRules, changes: Sequence[Change], calls: Sequence[ToolCall]) -> str:
    """Name a change that was made and undone, though nobody asked for it.

    Where nothing was to change at all, that is any change. Else a row that was made on the way and removed
    again (a draft that was sent, a mistake that was taken back) is no fault, but a row of the seed is, and
    what was sent: whoever got it has it.
    """
    kept = {row_id(change) for change in changes} | rules.touched if rules.rows else set()
    born: set[RowId] = set()
    for call, change in _changes_of(calls):
        if (rules.counts(change) or not rules.rows) and row_id(change) not in kept:
            if change.operation == "insert" and rules.rows and not tells_others(call.name):
                born.add(row_id(change))
            if row_id(change) not in born:
                return f"{change.table} {change.operation} {change.key}: nobody asked for it, undone or not"
    return ""


def _changes_of(calls: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, Change]]:
    return ((call, change) for call in calls for change in call.changes)


def _summary(places: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for server, table, operation in places:
        name = f"{server}.{table} {operation}"
        counts[name] = counts.get(name, 0) + 1
    return counts
