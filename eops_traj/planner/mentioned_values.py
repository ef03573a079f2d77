"""The values that policy and request mention; any other an agent can only have learnt from a tool."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eops_traj.planner.spoken_days import MONTHS

_SOME_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|(?:this|last)"
    r" week|(?:days|weeks|months|hours|minutes) (?:from|later|earlier|before|after))\b"
)
_MOMENT = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::(?P<second>\d\d))?.*)?")
_CLOCK = re.compile(r"\d\d?:\d\d(?::\d\d)?")
_WORD = re.compile(r"[a-z]+(?:[_/.+-][a-z]+)*")
_DATED = re.compile(
    rf"\b\d\d?(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(MONTHS)})|(?:{'|'.join(MONTHS)}) \d\d?\b"
    r"|(?<!\d)\d+[.:/-]+\d[\d.:/-]*"
)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])")
_LONG = 1000
_MOST_DIGITS = 20
"""Of a number of 64 bits."""


def normalized_words(text: str) -> str:
    """Normalize a text for comparing: lower case, single spaces, straight quotes."""
    return " ".join(text.replace("\u2019", "'").casefold().split())


def _numbers(text: str) -> frozenset[float]:
    """Return the numbers that stand in a text by themselves, and in no day, time or code."""
    found = _NUMBER.findall(_DATED.sub(" ", normalized_words(text)))
    return frozenset(int(number) if is_whole_number(number) else float(number) for number in found)


def is_whole_number(value: str) -> bool:
    """Check whether a text is a whole number; one of more digits than numbers have is a mere text."""
    return value.isdecimal() and len(value) <= _MOST_DIGITS


def is_moment(value: str) -> bool:
    """Check whether a text is a day or a time."""
    return bool(_MOMENT.fullmatch(value) or _CLOCK.fullmatch(value))


def is_stamp(value: str) -> bool:
    """Check whether a text is a time to the second, as only a clock gives it."""
    moment = _MOMENT.fullmatch(value)
    return moment is not None and moment["second"] not in (None, "00")


def is_word(value: str) -> bool:
    """Check whether a text is a program's own word, as enums have them: ``in_progress``, ``text/html``."""
    return _WORD.fullmatch(value) is not None


@dataclass(frozen=True)
class MentionedValues:
    """The values that the request and its policy mention."""

    request: str
    policy: str = ""

    def in_request(self, value: Any) -> bool:
        """Check whether the request names a value."""
        if isinstance(value, str):
            return int(value) in self._numbers if is_whole_number(value) else _contains(self._request, value)
        return not isinstance(value, bool) and value in self._numbers

    def is_mentioned(self, value: Any) -> bool:
        """Check whether request or policy name a value; a policy's numbers, which count its rules, do not."""
        if isinstance(value, str) and is_moment(value):
            return self._mentions_moment(value)
        return self.in_request(value) or (
            isinstance(value, str) and not is_whole_number(value) and _contains(self._policy, value)
        )

    def implies(self, value: Any) -> bool:
        """Check whether a value is composed of what the request names: an address, a line of pieces."""
        if not isinstance(value, str):
            return False
        name, at, _ = normalized_words(value).partition("@")
        split = r"[._-]" if at or " " not in name else r"\W*\s+\W*"
        pieces = [piece for piece in re.split(split, name) if piece]
        return len(pieces) > 1 and all(_contains(self._request, piece) for piece in pieces)

    def names_record(self, value: int | str) -> bool:
        """Check whether the request names a record by a number: a long one, or one called number or id."""
        called = rf"(?:\bid|\bno\.?|\bnumber|#)\s*(?:is |= ?|: ?)?{value}(?!\w)"
        return self.in_request(value) and (int(value) >= _LONG or bool(re.search(called, self._request)))

    @cached_property
    def _request(self) -> str:
        return normalized_words(self.request)

    @cached_property
    def _policy(self) -> str:
        return normalized_words(self.policy)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        return _numbers(self.request)

    def _mentions_moment(self, value: str) -> bool:
        """Check whether a moment's day is mentioned in any form, or days are named relative to today.

        A time to the second comes from a clock: no request states it by chance.
        """
        if _contains(self._request, value) or _contains(self._policy, value):
            return True
        moment = _MOMENT.fullmatch(value)
        if moment is None or is_stamp(value):
            return moment is None
        return bool(_SOME_DAY.search(self._request)) or any(
            re.search(form, text)
            for form in _date_patterns(moment["day"])
            for text in (self._request, self._policy)
        )


def standalone(value: str) -> str:
    """Return a pattern for a value that is no part of a longer name, number or address."""
    return rf"(?<![\w@])(?<!\w[.-]){re.escape(value)}(?![\w@]|[.-]\w)"


def standalone_pattern(value: str) -> re.Pattern[str]:
    """Compile a pattern for a value by itself."""
    return re.compile(standalone(value))


def _contains(text: str, value: str) -> bool:
    """Check whether a text contains a value as words of its own."""
    needle = normalized_words(value)
    if not needle or needle not in text:
        return not needle
    return standalone_pattern(needle).search(text) is not None


def _date_patterns(day: str) -> Iterable[str]:
    """Yield patterns of the forms in which a day is written."""
    _, month, date = (int(part) for part in day.split("-"))
    if not 1 <= month <= 12:
        return
    name = f"{MONTHS[month - 1][:3]}\\w*"
    yield rf"(?<!\d)0?{date}(?:st|nd|rd|th)?(?: of)? {name}"
    yield rf"\b{name} 0?{date}(?!\d)"
    yield rf"(?<!\d)0?{date}[./]0?{month}(?!\d)|(?<!\d)0?{month}/0?{date}(?!\d)"
    yield re.escape(day)
