"""The verifier kind ``row_changes``: exactly the expected rows changed, and every column of them is right."""

import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.schema import Change, ToolCall, Verdict, json_of
from eops_traj.verify.constraints import is_empty
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
    outward: Mapping[str, Mapping[str, Sequence[str]]] = field(default_factory=dict)
    """By server, tools whose new rows reach others at once (mail, a share), and the columns that say whom."""

    def counts(self, change: Change) -> bool:
        """Check whether a change is somebody's doing."""
        if change.table in self.bookkeeping.get(change.server, ()):
            return False
        own = self.own.get(change.server, {}).get(change.table, ())
        names = json_object(change.after)
        return change.operation != "update" or not names or not set(names) <= set(own)

    def reaches(self, call: ToolCall, change: Change) -> Sequence[str] | None:
        """Return the columns that say whom a row reaches that a call made; None where it reaches nobody."""
        made = change.operation == "insert" and self.counts(change)
        return self.outward.get(change.server, {}).get(call.name) if made else None


def json_object(text: str | None) -> dict[str, Any]:
    """Return the object that a text of the store holds; an empty one for none."""
    return dict(json.loads(text or "{}"))


def run_row_changes(verdict: Verdict, config: dict[str, Any], state: EndState) -> Verdict | None:
    """Check that exactly the expected rows changed, each column as it has to be.

    Configuration: ``rows`` (see `ExpectedRow`), ``bookkeeping``, ``own``, ``touched`` and ``outward`` (see
    `RowRules`). No verdict where the sandbox records nothing.
    """
    changed_rows = getattr(state.sandbox, "changed_rows", None)
    if changed_rows is None:
        return None
    changes, rules = changed_rows(), read_rules(config)
    matching = match_state(rules, changes, state.tool_calls)
    fault = matching.fault or undone_fault(rules, changes, state.tool_calls)
    fault = fault or unsent_fault(rules, state.tool_calls)
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
        config.get("outward", {}),
    )


def match_state(rules: RowRules, changes: Sequence[Change], calls: Sequence[ToolCall]) -> Matching:
    """Match the rows that differ from the seed with the expected ones."""
    return match_rows(rules.rows, actual_rows([c for c in changes if rules.counts(c)], calls))


def undone_fault(rules: RowRules, changes: Sequence[Change], calls: Sequence[ToolCall]) -> str:
    """Name a change that was made and undone, though nobody asked for it.

    Where nothing was to change at all, that is any change. Else a row that was made on the way and removed
    again (a draft that was sent, a mistake that was taken back) is no fault, but a row of the seed is.
    """
    kept = {row_id(change) for change in changes} | rules.touched if rules.rows else set()
    born: set[RowId] = set()
    for _, change in _changes_of(calls):
        if (rules.counts(change) or not rules.rows) and row_id(change) not in kept:
            if change.operation == "insert" and rules.rows:
                born.add(row_id(change))
            if row_id(change) not in born:
                return f"{change.table} {change.operation} {change.key}: nobody asked for it, undone or not"
    return ""


def unsent_fault(rules: RowRules, calls: Sequence[ToolCall]) -> str:
    """Name a row that reached others and was removed, or sent elsewhere in the record: mail is not unsent.

    What has its key in the end, a number that is given again, does not make up for it.
    """
    sent: dict[RowId, Sequence[str]] = {}
    for call, change in _changes_of(calls):
        row = row_id(change)
        if row in sent and row not in rules.touched and (what := _taken_back(change, sent[row])):
            return f"{change.table} insert {change.key}: nobody asked for it, {what} or not"
        if (columns := rules.reaches(call, change)) is not None:
            sent[row] = columns
    return ""


def _taken_back(change: Change, columns: Sequence[str]) -> str:
    """Say how a change takes a row back: removes it, or puts another value in the place of one."""
    if change.operation == "delete":
        return "removed"
    before, after = json_object(change.before), json_object(change.after)
    return next((f"its {n} changed" for n in columns if n in after and not is_empty(before.get(n))), "")


def _changes_of(calls: Sequence[ToolCall]) -> Iterator[tuple[ToolCall, Change]]:
    return ((call, change) for call in calls for change in call.changes)


def _summary(places: Any) -> dict[str, int]:
    counts: dict[str, int] = {}
    for server, table, operation in places:
        name = f"{server}.{table} {operation}"
        counts[name] = counts.get(name, 0) + 1
    return counts
