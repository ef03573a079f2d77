"""Causes from the queries of verifiers, held against what the calls passed and got: no database is needed."""

import json
import re
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from typing import Any

from eops_traj.causes.calls import PlacedCall, PlacedCalls, placed_calls
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.origin import origin_of
from eops_traj.causes.sql import Condition, QueryFacts, read_query
from eops_traj.schema import Episode, Verdict
from eops_traj.tool_effects import WRITE_VERBS
from eops_traj.verify.row_matching import plain_name
from eops_traj.verify.sql_compare import COMPARISONS

_ENOUGH = 0.5
"""The share of a table's words that the name of a tool has to have to be one that writes it."""
_IDENTIFIER = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$|^(?:assigned_to|interacted_user|number|email)$|\.id$")
_FILLERS = frozenset({"new", "to", "of", "the", "in", "for", "detail"})


def causes_of_query(episode: Episode, index: int, verdict: Verdict, policy: str) -> Iterator[Cause]:
    """Yield the causes of a failed query; nothing for one that cannot be read."""
    expected, actual = (json.loads(text or "null") for text in (verdict.expected, verdict.actual))
    last = Evidence(index, len(episode.turns) - 1 if episode.turns else None)
    comparison = verdict.comparison or "equals"
    if fault := _fault(expected, actual, comparison):
        yield Cause("faulty_verifier", f"the verifier {fault}: nothing can pass it", Evidence(index))
        return
    facts = read_query(verdict.query or "")
    if facts is None:
        return
    counts = facts.shown is None  # else a number is what a column holds, and not how many rows there are
    facts, expected = _with_shown(facts, expected, comparison), _just_enough(expected, comparison)
    writes = _writes(episode, facts)
    if counts and _is_more(expected, actual):
        yield _too_many(facts, writes, last, expected, actual)
    elif not writes:
        if refused := _refused(episode, index, facts):
            yield refused
        yield Cause("missing_write", f"{facts.table}: nothing was written; wanted {_all(facts)}", last)
    elif counts and actual and _is_more(actual, expected):
        words = f"{facts.table}: {actual} of {expected} rows are there; wanted {_all(facts)}"
        yield Cause("missing_write", words, last)
    else:
        yield from _differences(episode, index, facts, writes, policy) or (
            _elsewhere(episode, index, facts, last, policy)
        )


def _fault(expected: Any, actual: Any, comparison: str) -> str | None:
    """Return what is wrong with a verifier whatever was done; None where nothing is."""
    if comparison not in COMPARISONS:
        return f"compares by {comparison!r}, which there is none of"
    if expected is not None and type(expected) is not type(actual) and str(expected) == str(actual):
        return f"holds the text {expected!r} against the number {actual}"
    return None


def _writes(episode: Episode, facts: QueryFacts) -> list[PlacedCall]:
    return [one for one in placed_calls(episode) if one.writes and one.done and _serves(one, facts)]


def _refused(episode: Episode, index: int, facts: QueryFacts) -> Cause | None:
    """Return the refused call that would have written what is asked for."""
    own = [c for c in facts.conditions if c.table == facts.table]
    for one in placed_calls(episode):
        met = [_meets(c, [one]) for c in own] if one.writes and not one.done and _serves(one, facts) else []
        if met and all(met):
            text = " ".join((one.call.error or one.call.result or "").split())[:160]
            words = f"{facts.table}: {one.call.name} was refused and never came through: {text}"
            return Cause(
                "unrepaired_call", words, Evidence(index, one.turn, one.place, facts.table, got=text)
            )
    return None


def _elsewhere(episode: Episode, index: int, facts: QueryFacts, last: Evidence, policy: str) -> list[Cause]:
    """Return the causes where the nearest write is as wanted: in a row of a joined table, or more rows."""
    others = dict.fromkeys(c.table for c in facts.conditions if c.table != facts.table)
    for other in others:
        joined = replace(facts, table=other)
        if (writes := _writes(episode, joined)) and (
            found := _differences(episode, index, joined, writes, policy)
        ):
            return found
    if not others:
        return [Cause("missing_write", f"{facts.table}: not every row is there; wanted {_all(facts)}", last)]
    first = next(iter(others))
    words = f"{facts.table}: written, but not for the {first} meant; wanted {_all(facts)}"
    return [Cause("wrong_record", words[:300], replace(last, row=first))]


def _with_shown(facts: QueryFacts, expected: Any, comparison: str) -> QueryFacts:
    """Return the facts with what the shown column has to have as one more condition."""
    if facts.shown is None or isinstance(expected, list | dict | None):
        return facts
    shown = Condition(facts.table, facts.shown, (str(expected),), comparison)
    return QueryFacts(facts.table, None, (*facts.conditions, shown))


def _just_enough(expected: Any, comparison: str) -> Any:
    """Return the number of rows next to a bound that passes: a bound itself does not."""
    step = {"less_than": -1, "greater_than": 1}.get(comparison, 0)
    return expected + step if isinstance(expected, int | float) else expected


def _is_more(expected: Any, actual: Any) -> bool:
    numbers = isinstance(expected, int | float) and isinstance(actual, int | float)
    return numbers and actual > expected


def _too_many(
    facts: QueryFacts, writes: Sequence[PlacedCall], last: Evidence, wanted: Any, got: Any
) -> Cause:
    words = f"{facts.table}: {got} rows with {_all(facts)}, not {wanted}"
    at = Evidence(last.verifier, writes[-1].turn, writes[-1].place) if writes else last
    return Cause("extra_write" if writes else "missing_write", words, at)


def _serves(one: PlacedCall, facts: QueryFacts) -> bool:
    """Check whether a call writes the table: by the words of its name, or as its result shows it."""
    table, tool = set(_words(facts.table)), set(_words(one.call.name))
    last, things = _words(facts.table)[-1], tool - WRITE_VERBS - _FILLERS
    if last not in tool and len(table & tool) <= _ENOUGH * len(table):
        return False
    named = {name for name, _ in one.given()} - {f"{last}id"}
    own = {_name(c) for c in facts.conditions if c.table == facts.table}
    return bool(own & named) or len(table & things) > _ENOUGH * len(things)


def _words(name: str) -> list[str]:
    """Return the words of a name without the endings of the plural: ``case_slas`` is ``case``, ``sla``."""
    parts = re.findall(r"[A-Z]?[a-z]+|[A-Z]+(?![a-z])", name)
    return [re.sub(r"(?<=\w\w)(?<!s)s$", "", part.lower()) for part in parts] or [name]


def _differences(
    episode: Episode, index: int, facts: QueryFacts, writes: Sequence[PlacedCall], policy: str
) -> list[Cause]:
    """Return the conditions that the nearest write does not meet, a cause each."""
    own = [c for c in facts.conditions if c.table == facts.table]
    nearest = max(writes, key=lambda one: sum(_meets(c, [one]) is True for c in own))
    same = [one for one in writes if one is nearest or _same_row(one, nearest, own)]
    unmet = [c for c in own if _meets(c, same) is not True]
    unmet = [c for c in unmet if _meets(c, same) is False] or unmet
    keys = [c for c in unmet if _IDENTIFIER.search(c.column) and _meets(c, same) is False]
    met = sum(_meets(c, same) is True for c in own)
    if unmet and (refused := _refused(episode, index, facts)):
        at = Evidence(index, len(episode.turns) - 1)
        return [refused, Cause("missing_write", f"{facts.table}: wanted {_all(facts)}", at)]
    if not met and len(own) > 1:
        at = Evidence(index, len(episode.turns) - 1)
        return [
            Cause("missing_write", f"{facts.table}: nothing like it was written; wanted {_all(facts)}", at)
        ]
    return [_difference(episode, index, facts, c, same, policy, c in keys) for c in unmet]


def _same_row(one: PlacedCall, other: PlacedCall, own: Sequence[Condition]) -> bool:
    """Check whether two writes name the same record, by an identifier that both have."""
    names = {_name(c) for c in own if _IDENTIFIER.search(c.column)} | {"caseid", "id"}
    first, second = ({(n, v) for n, v in w.given() + w.shown() if n in names} for w in (one, other))
    return bool(first & second)


def _meets(condition: Condition, calls: Sequence[PlacedCall]) -> bool | None:
    """Check whether calls give a condition's column a value that meets it; None where they give none."""
    values = _values(condition, calls)
    return condition.holds(values[-1][0]) if values else None


def _not_passed(
    index: int, facts: QueryFacts, condition: Condition, shown: tuple[str, PlacedCall]
) -> Cause | None:
    """Return the cause for a column that no call passed: left as it was, or a number that came too late."""
    value, one = shown
    wanted = condition.wanted
    at = Evidence(index, one.turn, one.place, facts.table, condition.column, wanted, value)
    if _name(condition) == plain_name(f"{facts.table}_id"):
        words = (
            f"{facts.table}: the row is {value}, not {wanted}: another one was made before it, or none was"
        )
        return Cause("extra_write" if _is_later(value, wanted) else "missing_write", words, at)
    if "create" in one.call.name or "add" in one.call.name:
        return None
    words = f"{facts.table}: {condition.column} was left as {value[:80]!r}, not made {wanted[:120]!r}"
    return Cause("missing_write", words, replace(at, got=None))


def _is_later(number: str, other: str) -> bool:
    """Check whether a number of a row was given out after another."""
    return number.isdecimal() and other.isdecimal() and int(number) > int(other)


_BOTH = (PlacedCall.given, PlacedCall.shown)


def _values(
    condition: Condition, calls: Sequence[PlacedCall], where: Sequence[Callable[..., Any]] = _BOTH
) -> list[tuple[str, PlacedCall]]:
    """Return the values of a condition's column in order; what was passed counts before what came back."""
    name, outer = _name(condition), plain_name(condition.column.split(".")[0].removesuffix("_json"))
    nested = "." in condition.column and outer != "value"
    for fields in where:
        named = [(one, dict(reversed(fields(one, outer if nested else "")))) for one in calls]
        values = [(first[name], one) for one, first in named if name in first]
        if not nested and not values:
            values = [(value, one) for one in calls for _, value in fields(one, outer)]
        if condition.comparison == "contains" and values:
            return [(" ".join(value for value, _ in values), values[-1][1])]
        if values:
            return values
    return []


def _name(condition: Condition) -> str:
    return plain_name(condition.column.split(".")[-1])


def _difference(
    episode: Episode, index: int, facts: QueryFacts, condition: Condition, calls: Sequence[PlacedCall],
    policy: str, refers: bool,
) -> Cause:  # fmt: skip
    values, given = _values(condition, calls), _values(condition, calls, (PlacedCall.given,))
    wanted = condition.wanted
    value, one = values[-1] if values else (None, calls[-1])
    if values and not given and (undone := _not_passed(index, facts, condition, values[-1])):
        return undone
    if value is None:
        words = f"{facts.table}: {condition.column} was not given, not {wanted[:120]!r}"
        last = len(episode.turns) - 1
        return Cause("wrong_value", words, Evidence(index, last, None, facts.table, condition.column, wanted))
    told = origin_of(PlacedCalls(episode), condition.column, value, one, policy)
    got = f"is {value[:80]!r}"
    return Cause(
        "wrong_record" if refers else "wrong_value",
        f"{facts.table}: {condition.column} {got}, not {wanted[:120]!r}" + (f" ({told})" if told else ""),
        Evidence(index, one.turn, one.place, facts.table, condition.column, wanted, value, told),
    )


def _all(facts: QueryFacts) -> str:
    said = (f"{c.column}={c.wanted}"[:60] for c in facts.conditions)
    return ", ".join(said)[:200] or "a row"
