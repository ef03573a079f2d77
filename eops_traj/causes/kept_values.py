"""Values that a call set as they had been, so that no row shows them: what was wanted is another value."""

from collections.abc import Iterator

from eops_traj.causes.calls import PlacedCall, PlacedCalls
from eops_traj.verify.row_faults import RowFault
from eops_traj.verify.row_matching import ExpectedRow, plain_form, plain_name

ONESELF = "me"
"""What a caller is named by in many tools: no id, so it says nothing of which record was meant."""
_STORED = {"True": "1", "False": "0"}


def kept_value(calls: PlacedCalls, fault: RowFault) -> tuple[PlacedCall, str, str] | None:
    """Return the last call for a row that gave a column another value than the wanted one, and both."""
    wanted = fault.wanted
    if wanted is None or wanted.operation != "update":
        return None
    for one in _calls_for(calls, fault, wanted):
        given = dict(one.given())
        for column in _columns(fault, wanted):
            value = given.get(plain_name(column))
            if value is not None and not _same(value, wanted.columns.get(column)):
                return one, column, value
    return None


def _calls_for(calls: PlacedCalls, fault: RowFault, wanted: ExpectedRow) -> Iterator[PlacedCall]:
    """Yield the calls that changed the row, whatever they named it by, and those that named it."""
    if fault.actual:
        yield from (calls.of(call) for call in reversed(fault.actual.writers))
    named = calls.passing(map(plain_form, (wanted.key or {}).values()))
    yield from (one for one in reversed(named) if names_row(one, wanted))


def names_row(one: PlacedCall, wanted: ExpectedRow) -> bool:
    """Check whether a call names a row by its key, or by one part of it and oneself for another."""
    given = one.given()
    key = {plain_name(name): plain_form(value) for name, value in (wanted.key or {}).items()}
    named = set(key.values()) & {value for _, value in given}
    agree = all(value in (key[name], ONESELF) for name, value in given if name in key)
    return bool(named) and (agree or named == set(key.values()))


def _columns(fault: RowFault, wanted: ExpectedRow) -> Iterator[str]:
    """Yield the columns that may have been kept: of a row that did change, the one that did not."""
    if fault.untouched:
        yield fault.column
    elif fault.actual is None:
        yield from (name for name, rule in wanted.columns.items() if not isinstance(rule, dict))


def _same(given: str, rule: object) -> bool:
    return _STORED.get(given, given) == _STORED.get(str(rule), plain_form(rule))
