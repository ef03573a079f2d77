"""Causes from the rows that changed, against those that a verifier of kind ``row_changes`` expects."""

import json
import re
from collections.abc import Iterator, Sequence

from eops_traj.causes.calls import PlacedCall, placed_calls
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.origin import origin_of
from eops_traj.schema import Episode, Verdict
from eops_traj.verify.constraints import describe, is_empty
from eops_traj.verify.row_changes import read_rules
from eops_traj.verify.row_faults import RowFault, find_row_faults
from eops_traj.verify.row_matching import ActualRow, ExpectedRow

_DONE = {"insert": "added", "update": "changed", "delete": "removed"}
_REFERENCE = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$|^(?:assigned_to|owner|manager|parent)$|_(?:by|to|user)$")
"""Columns that name another record."""


def causes_of_rows(episode: Episode, index: int, verdict: Verdict, policy: str) -> Iterator[Cause]:
    """Yield the causes of a failed verdict about rows; the rows of other verifiers are not looked at."""
    faults = find_row_faults(read_rules(json.loads(verdict.config)), episode.tool_calls())
    missing = [fault for fault in faults if fault.actual is None]
    for fault in faults:
        if fault.wanted and fault.actual:
            yield _wrong_column(episode, index, fault, policy)
        elif fault.actual:
            instead = _take_alike(fault.actual, missing)
            yield _other_row(episode, index, fault.actual, instead)
    yield from (_missing(episode, index, fault.wanted) for fault in missing if fault.wanted)
    if not faults:
        yield _last_resort(episode, index, verdict)


def _take_alike(row: ActualRow, missing: list[RowFault]) -> ExpectedRow | None:
    """Take the missing row that was meant, if one of the seed was: it is missing no more."""
    for fault in missing:
        if fault.wanted and fault.wanted.place == row.place and row.change.operation != "insert":
            missing.remove(fault)
            return fault.wanted
    return None


def _wrong_column(episode: Episode, index: int, fault: RowFault, policy: str) -> Cause:
    assert fault.wanted and fault.actual
    got, row = fault.actual.values.get(fault.column), fault.actual
    one = _writer(episode, row, fault.column)
    wanted, value = _words(fault.constraint), "left as it was" if is_empty(got) else str(got)
    told = origin_of(episode, str(got), one, policy) if one and not is_empty(got) else None
    refers = bool(_REFERENCE.search(fault.column)) and not is_empty(got) and not is_empty(fault.constraint)
    return Cause(
        "wrong_record" if refers else "wrong_value",
        f"{_name(row)}: {fault.column} is {value[:80]}, not {wanted[:120]}" + (f" ({told})" if told else ""),
        Evidence(
            index,
            *_at(episode, one),
            _name(row),
            fault.column,
            wanted,
            None if is_empty(got) else value,
            told,
        ),
    )


def _other_row(episode: Episode, index: int, row: ActualRow, instead: ExpectedRow | None) -> Cause:
    done, one = _DONE[row.change.operation], _writer(episode, row)
    at = Evidence(index, *_at(episode, one), _name(row))
    if instead is None:
        return Cause("extra_write", f"{_name(row)} was {done}, which nobody asked for", at)
    wanted = json.dumps(instead.key)
    at = Evidence(index, *_at(episode, one), _name(row), None, wanted, row.change.key)
    return Cause("wrong_record", f"{_name(row)} was {done} instead of {wanted}", at)


def _missing(episode: Episode, index: int, wanted: ExpectedRow) -> Cause:
    name = f"{wanted.table} {json.dumps(wanted.key)}" if wanted.key else f"a row of {wanted.table}"
    columns = ", ".join(f"{k}={_words(v)}"[:60] for k, v in wanted.columns.items() if not is_empty(v))
    return Cause(
        "missing_write",
        f"{name} was not {_DONE[wanted.operation]}" + (f": {columns[:160]}" if columns else ""),
        Evidence(index, *_at(episode, None), name, wanted=columns or wanted.operation),
    )


def _last_resort(episode: Episode, index: int, verdict: Verdict) -> Cause:
    """Return what the verifier says, where no row is wrong by itself: a reference, an undone change."""
    details = verdict.details or "the rows are not as they should be"
    kind = "extra_write" if "nobody asked for it" in details else "wrong_record"
    return Cause(kind, details, Evidence(index, *_at(episode, None)))


def _words(constraint: object) -> str:
    return describe(constraint)


def _name(row: ActualRow) -> str:
    return f"{row.change.table} {row.change.key}"


def _writer(episode: Episode, row: ActualRow, column: str = "") -> PlacedCall | None:
    """Return the call that gave a column its value, else the last that changed the row."""
    calls = [one for one in placed_calls(episode) if any(one.call is w for w in row.writers)]
    gave = [one for one in calls if _sets(one, row, column)]
    return next(reversed(gave or calls), None)


def _sets(one: PlacedCall, row: ActualRow, column: str) -> bool:
    after: Sequence[dict[str, object]] = [
        json.loads(change.after or "{}") for change in one.call.changes if change.key == row.change.key
    ]
    return any(column in values and values[column] == row.values.get(column) for values in after)


def _at(episode: Episode, one: PlacedCall | None) -> tuple[int | None, int | None]:
    """Return turn and call of what was done; of what was not, the last turn."""
    return (one.turn, one.place) if one else (len(episode.turns) - 1 if episode.turns else None, None)
