"""Literals of a plan that nobody told: only results say them, not request, policy or a tool's schema.

They have to be references. A literal is told word for word, as a number in words or as a length of time, as a
day in any form; prose is the planner's own, but for the names, numbers and addresses in it.
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eops_traj.plan import Condition, Function, Match, Measure, Plan, Ref, Require, Step, Text
from eops_traj.taskgen.indirection import digits, ordinal, spell
from eops_traj.taskgen.told import iter_leaves, normalize
from eops_traj.tool_effects import is_write

_MINUTES = {"minute": 1, "hour": 60, "day": 1440, "week": 10080}
_TIME = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?:[T ](?P<hour>\d\d):(?P<minute>\d\d)(?::\d\d(?:\.\d+)?)?.*)?")
_RELATIVE = re.compile(
    r"\b(?:today|tonight|now|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|this|last|week"
    r"|month|quarter|year|days?|january|february|march|april|may|june|july|august|september|october|november"
    r"|december|spring|summer|autumn|winter)\b"
)
_CLOCK = re.compile(r"(?<![\d:])(\d{1,2}):(\d\d)(?!\d)")
_SPAN = re.compile(
    r"(?<![\w-])(\w{1,20}(?:-\w{1,20})?)( and a half)? (minute|hour|day|week)s?\b( and a half)?"
)
_ECHOED = 8  # characters from which a value in a reply is the one that was passed
_DAYS_ENDS = ("00:00", "23:59")
_FACT = re.compile(
    r"(?<![\w.+-])[\w.+-]+@[\w.-]+\w|\b[A-Z]{2,}[\w-]*\d[\w-]*\b|\b[A-Z][\w'’-]+(?: [A-Z][\w'’-]+)+\b"
)
"""What prose may hold only where it was told: an address, a record's number, a name of several words."""
_KNOWN = re.compile(r"[a-z]+/[\w.+*-]+|(?:RRULE:)?FREQ=\S+")
"""Media types, and the rhythms of series: words of formats that everybody knows."""
_CODE = re.compile(r"[a-z][a-zA-Z_]*")
"""Words of programs: what a field may be compared with."""
_FILTER = re.compile(r"'([^']+)'|\"([^\"]+)\"")
_OPERATORS = frozenset(
    [
        "eq",
        "ne",
        "gt",
        "ge",
        "lt",
        "le",
        "and",
        "or",
        "not",
        "in",
        "contains",
        "startswith",
        "endswith",
        "has",
        "asc",
        "desc",
        "parents",
    ]
)


@dataclass(frozen=True)
class Sources:
    """Where a planner may have a literal from: what it is told, the words of tools' schemas; and results."""

    told: str
    """Request and policy."""
    schema: frozenset[str]
    results: str
    """What look-ups showed (`shown_by`)."""

    def untold(self, plan: Plan) -> Iterator[str]:
        """Yield what is wrong with the literals of a plan."""
        for number, step in enumerate(plan.steps, 1):
            leaves = [leaf for leaf in literals(step) if isinstance(leaf, str | int | float)]
            passed = getattr(step, "arguments", {})
            tests = [leaf for leaf in leaves if leaf not in _own_leaves(passed)]
            words = [leaf for leaf in tests if _CODE.fullmatch(str(leaf))]
            for value in dict.fromkeys(leaf for leaf in leaves if leaf not in words):
                if what := self.wrong(value) or (value in tests and self._wrong_test(value)):
                    yield f"step {number}: {what}"

    def wrong(self, value: Any) -> str:
        """Return what is wrong with a literal; empty where it is told or the planner's own."""
        if isinstance(value, str):
            return self._wrong_text(value)
        if isinstance(value, bool) or value in (0, 1, -1) or str(value) in self.schema:
            return ""
        seen = not self._says_number(value) and _has_word(self._results, str(value))
        return f"only results say {value!r}" if seen else ""

    def _wrong_test(self, value: Any) -> str:
        """Return what is wrong with a text that tells a row from others: that is no prose of the planner."""
        shown = isinstance(value, str) and " " in value and normalize(value) in self._results
        told = shown and all(self._tells(part) for part in re.split(r" (?=\()", value))  # "Ana Ruiz (left)"
        return f"only results say {value!r}" if shown and not told else ""

    def _wrong_text(self, value: str) -> str:
        if self._tells(value) or not value.strip() or _KNOWN.fullmatch(value):
            return ""
        if value.isdecimal() and _has_word(self._told, digits(value)):
            return ""
        if _TIME.fullmatch(value):
            return self._wrong_time(value)
        parts = _parts(value)
        if len(parts) > 1 or parts != [value]:
            return next(filter(None, (self._wrong_text(part) for part in parts if part != value)), "")
        if len(value.split()) >= 3 and not _FACT.fullmatch(value):
            facts = [fact for fact in _FACT.findall(value) if not self._tells(fact)]
            return next(
                (f"only results say {fact!r}" for fact in facts if normalize(fact) in self._results), ""
            )
        if normalize(value) in self._results:
            return f"only results say {value!r}"
        return "" if self._is_composed(value) or value.isdecimal() else f"nobody told {value!r}"

    def _is_composed(self, value: str) -> bool:
        """Check whether a new address or account name is made of what is told."""
        local, _, domain = normalize(value).partition("@")
        pieces = [piece for piece in re.split(r"[._-]", local) if piece]
        return len(pieces) > 1 and domain in self._told and all(_has_word(self._told, one) for one in pieces)

    def _wrong_time(self, value: str) -> str:
        """Return what is wrong with a time: its day has to be told in some form, and its clock.

        A clock is told where it is some time told before or after another: an end by its length. That of
        another zone is not.
        """
        match = _TIME.fullmatch(value)
        day = match["day"] if match else value
        clock = (match["hour"], match["minute"]) if match and match["hour"] else None
        if clock and ":".join(clock) not in _DAYS_ENDS and _minute(*clock) not in self._minutes_of_day:
            return f"nobody told the hour of {value!r}"
        told = day in self._told or _RELATIVE.search(self._told) is not None
        return "" if told or day not in self._results else f"only results say {value!r}"

    @cached_property
    def _minutes_of_day(self) -> set[int]:
        """The clocks that are told, in minutes, and those that are a told length before or after them."""
        clocks = {_minute(*clock) for clock in _CLOCK.findall(self._told)}
        return {
            (clock + n * length) % 1440 for clock in clocks for length in {0, *self._spans} for n in (-1, 1)
        }

    def _tells(self, text: str) -> bool:
        """Check whether a text is told, or one of the tools' own words."""
        spoken = normalize(text.replace("_", " "))
        return (
            text in self.schema
            or text in self._fields
            or spoken in self._told
            or normalize(text) in self._told
        )

    def _says_number(self, number: float) -> bool:
        if _has_word(self._told, f"{number:g}") or _has_word(self._told, f"{number:,g}"):
            return True
        if number != int(number) or not 0 <= number < 1_000_000:
            return False
        whole = int(number)
        words = {spell(whole), ordinal(whole), digits(str(whole))}
        return any(_has_word(self._told, word) for word in words) or whole in self._lengths

    @cached_property
    def _lengths(self) -> set[int]:
        """The lengths of time that are told, each in minutes, seconds, hours and days."""
        told = self._spans
        return told | {n * 60 for n in told} | {n // 60 for n in told} | {n // 1440 for n in told}

    @cached_property
    def _spans(self) -> set[int]:
        """The lengths of time that are told, in minutes."""
        told = {15} if "quarter of an hour" in self._told else set()
        told |= {30} if "half an hour" in self._told else set()
        for count, half, unit, later_half in _SPAN.findall(self._told):
            number = _COUNTS.get(count, int(count) if count.isdecimal() else 0)
            told.add(number * _MINUTES[unit] + (_MINUTES[unit] // 2 if half or later_half else 0))
        return told

    @cached_property
    def _told(self) -> str:
        return normalize(self.told)

    @cached_property
    def _fields(self) -> frozenset[str]:
        """The names of fields in results, which the prompt shows beside the tools."""
        return frozenset(re.findall(r'"(\w+)":', self.results))

    @cached_property
    def _results(self) -> str:
        return normalize(self.results)


_COUNTS = {"a": 1, "an": 1, **{spell(number): number for number in range(1, 100)}}


def _own_leaves(arguments: Any) -> list[Any]:
    """Return the literals that arguments pass themselves, not those in the tests of their references."""
    match arguments:
        case dict():
            return [leaf for value in arguments.values() for leaf in _own_leaves(value)]
        case list():
            return [leaf for value in arguments for leaf in _own_leaves(value)]
        case str() | int() | float():
            return [arguments]
    return []


def _has_word(text: str, word: str) -> bool:
    return re.search(rf"(?<![\w.-]){re.escape(word)}(?![\w-]|\.\d)", text) is not None


def _minute(hour: str, minute: str) -> int:
    return int(hour) * 60 + int(minute)


def _parts(value: str) -> list[str]:
    """Return the values in a filter, the terms of a search, the items of a list; else the text itself."""
    if quoted := ["".join(pair) for pair in _FILTER.findall(value)]:
        return quoted
    if terms := re.findall(r'\b\w+:(?:"([^"]+)"|(\S+))', value):
        return ["".join(term) for term in terms]
    words = value.split()
    if len(words) == 3 and words[1] in _OPERATORS:
        return words[2:]
    return value.split(",") if "," in value and " " not in value else [value]


def shown_by(calls: Iterable[tuple[str, Any, str]]) -> str:
    """Return what look-ups showed: the replies of calls (tool, arguments, reply) without what these passed.

    What a write answers is what was passed, or follows from it.
    """
    shown = []
    for tool, arguments, reply in calls:
        for leaf in (one for one in iter_leaves(arguments) if isinstance(one, str) and len(one) >= _ECHOED):
            either = f"{re.escape(leaf)}|{re.escape(leaf.replace(' ', 'T'))}"
            reply = re.sub(rf'(?:{either})(?!":)', "", reply)  # a field of this name is no echo
        shown += [] if is_write(tool) else [reply]
    return " ".join(shown)


def literals(value: Any) -> Iterator[Any]:
    """Yield the literals in a line: in its arguments, its conditions, and the tests of its references."""
    match value:
        case Step():
            inner: Iterable[Any] = [*value.arguments.values(), value.rows, value.condition]
        case Require(condition=condition):
            inner = [condition]
        case Condition(left=left, right=right):
            inner = [left, right]
        case Ref(path=path):
            inner = [test.value for part in path if isinstance(part, Match) for test in part.tests]
            inner += [part for part in path if isinstance(part, str) and "@" in part]  # no field is called so
        case Text(parts=parts):
            inner = [part for part in parts if not isinstance(part, str)]
        case Measure(of=of):
            inner = [of]
        case Function(arguments=arguments):
            inner = [one for one in arguments if not isinstance(one, str | int | float | dict)]
        case dict():
            inner = list(value.values())
        case list() | tuple():
            inner = value
        case _:
            yield value
            return
    for one in inner:
        yield from literals(one)
