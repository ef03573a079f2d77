"""Causes from the rows that changed, against those that a verifier of kind ``row_changes`` expects."""

import json
import re
from collections.abc import Iterator
from typing import Any

from eops_traj.causes.calls import PlacedCall, PlacedCalls
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.kept_values import ONESELF, kept_value
from eops_traj.causes.meant_rows import pair_with_meant
from eops_traj.causes.origin import THE_TOOL, origin_of
from eops_traj.causes.references import names_a_record, refers
from eops_traj.schema import Episode, Verdict
from eops_traj.verify.constraints import TooManyWays, describe, is_empty
from eops_traj.verify.row_changes import read_rules
from eops_traj.verify.row_faults import RowFault, find_row_faults
from eops_traj.verify.row_matching import ActualRow, ExpectedRow, plain_form, plain_name

_DONE = {"insert": "added", "update": "changed", "delete": "removed"}
_LONG = 8
_ADDRESS = re.compile(r"[\w.+-]+@[\w-]+(?:\.[\w-]+)+")


def causes_of_rows(episode: Episode, index: int, verdict: Verdict, policy: str) -> Iterator[Cause]:
    """Yield the causes of a failed verdict about rows."""
    calls = PlacedCalls(episode)
    try:
        faults = find_row_faults(read_rules(json.loads(verdict.config)), episode.tool_calls())
        others, rest = pair_with_meant(faults)
    except (TooManyWays, RecursionError):  # the verifier, which meets them too, says so in its verdict
        yield _last_resort(calls, index, verdict)
        return
    for fault in rest:
        if fault.actual and not fault.untouched:
            yield _shorter_list(calls, index, fault) or _wrong_column(calls, index, fault, policy)
    for row, meant in others:
        yield _other_row(calls, index, row, meant)
    for fault in rest:
        if fault.actual is None or fault.untouched:
            yield _elsewhere(calls, index, fault) or _missing(calls, index, fault)
    if not faults:
        yield _last_resort(calls, index, verdict)


def _elsewhere(calls: PlacedCalls, index: int, fault: RowFault) -> Cause | None:
    """Return the call that named another record than the row that was to change, and changed nothing new."""
    key = {str(value) for value in (fault.wanted.key or {}).values()} if fault.wanted else set()
    for one in calls.idle_writes if key else ():
        named = _named(one) if _may_change(one, fault) else []
        if named and not key & set(named):
            row, wanted = _row_name(fault), ", ".join(sorted(key))
            words = f"{row} was not changed: {one.call.name} named {', '.join(named)} instead of it"
            at = Evidence(index, one.turn, one.place, row, wanted=wanted, got=", ".join(named))
            return Cause("wrong_record", words, at)
    return None


def _may_change(one: PlacedCall, fault: RowFault) -> bool:
    tables = {change.table for change in one.call.changes}
    return not tables or (fault.wanted is not None and fault.wanted.table in tables)


def _named(one: PlacedCall) -> list[str]:
    """Return the records that a call names, but for oneself."""
    named = [str(v) for n, v in json.loads(one.call.arguments).items() if names_a_record(n)]
    return [name for name in named if name != ONESELF]


def _shorter_list(calls: PlacedCalls, index: int, fault: RowFault) -> Cause | None:
    """Return what a list of fewer entries than wanted lacks: an entry was never added."""
    rule = fault.constraint
    wanted = rule.get("list") if isinstance(rule, dict) else rule
    lists = [_decoded_list(wanted), _decoded_list(fault.actual and fault.actual.values.get(fault.column))]
    if None in lists or not 0 < len(lists[1] or ()) < len(lists[0] or ()):
        return None
    counts = f"{len(lists[1] or ())} of {len(lists[0] or ())} entries"
    words = f"{_row_name(fault)}: {fault.column} has {counts}; wanted {describe(rule)[:120]}"
    at = Evidence(index, calls.last, None, _row_name(fault), fault.column, describe(rule))
    return Cause("missing_write", words, at)


def _decoded_list(value: object) -> list[Any] | None:
    try:
        found = json.loads(value) if isinstance(value, str) else value
    except ValueError:
        return None
    return found if isinstance(found, list) else None


def _wrong_column(calls: PlacedCalls, index: int, fault: RowFault, policy: str) -> Cause:
    assert fault.actual
    row, got = fault.actual, fault.actual.values.get(fault.column)
    one = _writer(calls, row, fault.column)
    wanted, value = describe(fault.constraint), "empty" if is_empty(got) else str(got)
    told = None
    if one and not is_empty(got):
        told = origin_of(calls, fault.column, str(got), one, policy) if _passed(one, got) else THE_TOOL
    found = (
        one and told == THE_TOOL and _ADDRESS.fullmatch(dict(one.given()).get(plain_name(fault.column), ""))
    )
    told = "what the tool found for the address" if found else told
    names = refers(row.change.server, row.change.table, fault.column) or _ADDRESS.fullmatch(value) or found
    another = bool(names) and not is_empty(got) and not is_empty(fault.constraint)
    turn, call = _at(calls, one)
    return Cause(
        "wrong_record" if another else "wrong_value",
        f"{_row_name(fault)}: {fault.column} is {value[:80]}, not {wanted[:120]}" + f" ({told})" * bool(told),
        Evidence(
            verifier=index, turn=turn, call=call, row=_row_name(fault), column=fault.column, wanted=wanted,
            got=None if is_empty(got) else value, origin=told,
        ),
    )  # fmt: skip


def _passed(one: PlacedCall, value: object) -> bool:
    """Check whether a call passed a value, or a text that it begins with, such as a day."""
    given = {value for _, value in one.given()}
    return plain_form(value) in given or any(len(g) >= _LONG and g[:_LONG] in str(value) for g in given)


def _other_row(calls: PlacedCalls, index: int, row: ActualRow, instead: ExpectedRow | None) -> Cause:
    name, done = f"{row.change.table} {row.change.key}", _DONE[row.change.operation]
    turn, call = _at(calls, next((calls.of(call) for call in row.writers), None))
    if instead is None:
        words = f"{name} was {done}, which nobody asked for"
        return Cause("extra_write", words, Evidence(index, turn, call, name))
    wanted = json.dumps(instead.key)
    at = Evidence(index, turn, call, name, None, wanted, row.change.key)
    return Cause("wrong_record", f"{name} was {done} instead of {wanted}", at)


def _missing(calls: PlacedCalls, index: int, fault: RowFault) -> Cause:
    assert fault.wanted
    name, turn = _row_name(fault), calls.last
    if (given := kept_value(calls, fault)) is not None:
        one, column, got = given
        wanted = describe(fault.wanted.columns.get(column))
        words = f"{name}: {column} was set to {got[:80]} as before, not {wanted[:120]}"
        return Cause("wrong_value", words, Evidence(index, one.turn, one.place, name, column, wanted, got))
    if fault.untouched:
        wanted = describe(fault.wanted.columns.get(fault.column))
        words = f"{name}: {fault.column} was left as it was"
        return Cause("missing_write", words, Evidence(index, turn, None, name, fault.column, wanted))
    said = [f"{k}={describe(v)}"[:60] for k, v in fault.wanted.columns.items() if not is_empty(v)]
    columns = ", ".join(said)[:160]
    words = f"{name} was not {_DONE[fault.wanted.operation]}" + (f": {columns}" if columns else "")
    at = Evidence(index, turn, None, name, wanted=columns or fault.wanted.operation)
    return Cause("missing_write", words, at)


def _last_resort(calls: PlacedCalls, index: int, verdict: Verdict) -> Cause:
    """Return what the verifier says, where no row is wrong by itself: a reference, an undone change.

    Or where rows are too much alike to be compared.
    """
    details = verdict.details or "the rows are not as they should be"
    kind = "extra_write" if "nobody asked for it" in details else "wrong_record"
    return Cause(kind, details, Evidence(index, calls.last))


def _row_name(fault: RowFault) -> str:
    if fault.actual:
        return f"{fault.actual.change.table} {fault.actual.change.key}"
    assert fault.wanted
    return (
        f"{fault.wanted.table} {json.dumps(fault.wanted.key)}"
        if fault.wanted.key
        else (f"a row of {fault.wanted.table}")
    )


def _writer(calls: PlacedCalls, row: ActualRow, column: str) -> PlacedCall | None:
    """Return the call that gave a column its value, else the last that changed the row."""
    writers = [calls.of(call) for call in row.writers]
    gave = [one for one in writers if _sets(one, row, column)]
    return next(reversed(gave or writers), None)


def _sets(one: PlacedCall, row: ActualRow, column: str) -> bool:
    changes = [
        json.loads(change.after or "{}") for change in one.call.changes if change.key == row.change.key
    ]
    return any(column in values and values[column] == row.values.get(column) for values in changes)


def _at(calls: PlacedCalls, one: PlacedCall | None) -> tuple[int | None, int | None]:
    """Return turn and call of what was done; of what was not, the last turn."""
    return (one.turn, one.place) if one else (calls.last, None)
