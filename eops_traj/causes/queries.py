"""Causes from the queries of verifiers, held against what the calls passed and got: no database is needed."""

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from eops_traj.causes.calls import PlacedCall, placed_calls
from eops_traj.causes.cause import Cause, Evidence
from eops_traj.causes.origin import origin_of
from eops_traj.causes.sql import Condition, QueryFacts, read_query
from eops_traj.schema import Episode, Verdict
from eops_traj.verify.row_matching import plain_name

_ENOUGH = 0.5
"""The share of a table's words that the name of a tool has to have to be one that writes it."""
_IDENTIFIER = re.compile(r"(?:^|_)ids?$|[a-z]Ids?$|^(?:assigned_to|interacted_user|number|email)$|\.id$")
Fields = dict[str, list[tuple[str, PlacedCall]]]
"""Every value of a plain name, in order, with the call that passed or got it."""


def causes_of_query(episode: Episode, index: int, verdict: Verdict, policy: str) -> Iterator[Cause]:
    """Yield the causes of a failed query; nothing for one that cannot be read."""
    expected, actual = (json.loads(text or "null") for text in (verdict.expected, verdict.actual))
    last = Evidence(index, len(episode.turns) - 1 if episode.turns else None)
    if expected is not None and type(expected) is not type(actual) and str(expected) == str(actual):
        words = f"the verifier holds the text {expected!r} against the number {actual}: nothing can pass it"
        yield Cause("faulty_verifier", words, Evidence(index))
        return
    facts = read_query(verdict.query or "")
    if facts is None:
        return
    facts = _with_shown(facts, expected)
    writes = [one for one in placed_calls(episode) if one.writes and one.done and _serves(one, facts)]
    if _is_more(expected, actual):
        yield _too_many(facts, writes, last, expected, actual)
    elif not writes:
        yield Cause("missing_write", f"{facts.table}: nothing was written; wanted {_all(facts)}", last)
    else:
        yield from _differences(episode, index, facts, writes, policy) or [
            Cause("missing_write", f"{facts.table}: not every row is there; wanted {_all(facts)}", last)
        ]


def _with_shown(facts: QueryFacts, expected: Any) -> QueryFacts:
    """Return the facts with the value of the shown column as one more condition."""
    if facts.shown is None or isinstance(expected, list | dict | None):
        return facts
    shown = Condition(facts.table, facts.shown, (str(expected),))
    return QueryFacts(facts.table, None, (*facts.conditions, shown))


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
    table, tool = _words(facts.table), _words(one.call.name)
    if table[-1] not in tool and len(set(table) & set(tool)) <= _ENOUGH * len(set(table)):
        return False
    named = {name for name, _ in one.given()}
    own = [c for c in facts.conditions if c.table == facts.table]
    return (
        not own or any(_name(c) in named for c in own) or len(set(table) & set(tool)) > 1 or len(table) == 1
    )


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
    keys = [c for c in unmet if _IDENTIFIER.search(c.column) and _meets(c, same) is False]
    met = sum(_meets(c, same) is True for c in own)
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


def _values(condition: Condition, calls: Sequence[PlacedCall]) -> list[tuple[str, PlacedCall]]:
    """Return the values of a condition's column in order; what was passed counts before what came back."""
    name = _name(condition)
    for fields in (PlacedCall.given, PlacedCall.shown):
        values = [(value, one) for one in calls for n, value in fields(one) if n == name]
        if condition.parts and values:
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
    values = _values(condition, calls)
    wanted = " or ".join(condition.values)
    value, one = values[-1] if values else (None, calls[-1])
    told = origin_of(episode, value, one, policy) if value else None
    got = f"is {value[:80]!r}" if value is not None else "was not given"
    return Cause(
        "wrong_record" if refers else "wrong_value",
        f"{facts.table}: {condition.column} {got}, not {wanted[:120]!r}" + (f" ({told})" if told else ""),
        Evidence(index, one.turn, one.place, facts.table, condition.column, wanted, value, told),
    )


def _all(facts: QueryFacts) -> str:
    said = (f"{c.column}={' or '.join(c.values)}"[:60] for c in facts.conditions)
    return ", ".join(said)[:200] or "a row"
