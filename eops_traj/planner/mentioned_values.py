"""What an agent was told, and what it can only have learnt from a tool: the words of policy and request."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

_MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
_SOME_DAY = re.compile(
    r"\b(?:today|tonight|tomorrow|yesterday|(?:mon|tues|wednes|thurs|fri|satur|sun)day|next|(?:this|last)"
    r" week|(?:days|weeks|months|hours|minutes) (?:from|later|earlier|before|after))\b"
)
_MOMENT = re.compile(r"(?P<day>\d{4}-\d\d-\d\d)(?:[T ]\d\d:\d\d(?::(?P<second>\d\d))?.*)?")
_CLOCK = re.compile(r"\d\d?:\d\d(?::\d\d)?")
_WORD = re.compile(r"[a-z]+(?:[_/.+-][a-z]+)*")
_DATED = re.compile(
    rf"\b\d\d?(?:st|nd|rd|th)?(?: of)? (?:{'|'.join(_MONTHS)})|(?:{'|'.join(_MONTHS)}) \d\d?\b"
    r"|\d[\d.:/-]*[.:/-]\d[\d.:/-]*"
)
_NUMBER = re.compile(r"(?<![\w.-])\d+(?:\.\d+)?(?![\w-])")
_LONG = 1000


def words(text: str) -> str:
    """A text for comparing: lower case, single spaces, straight quotes."""
    return " ".join(text.replace("\u2019", "'").casefold().split())


def _numbers(text: str) -> frozenset[float]:
    """The numbers that stand in a text by themselves; those of days, times and codes are none."""
    return frozenset(float(found) for found in _NUMBER.findall(_DATED.sub(" ", words(text))))


def is_moment(value: str) -> bool:
    """Whether a text is a day or a time."""
    return bool(_MOMENT.fullmatch(value) or _CLOCK.fullmatch(value))


def is_stamp(value: str) -> bool:
    """Whether a text is a time to the second, as only a clock gives it."""
    moment = _MOMENT.fullmatch(value)
    return moment is not None and moment["second"] not in (None, "00")


def is_word(value: str) -> bool:
    """Whether a text is a word of a program's own, as enums have them: ``in_progress``, ``text/html``."""
    return _WORD.fullmatch(value) is not None


@dataclass(frozen=True)
class Told:
    """The request, and the policy it stands under."""

    request: str
    policy: str = ""

    def by_request(self, value: Any) -> bool:
        """Whether the request names a value."""
        if isinstance(value, str) and not value.isdecimal():
            return _holds(self._request, value)
        return not isinstance(value, bool) and float(value) in self._numbers

    def by_anyone(self, value: Any) -> bool:
        """Whether request or policy name a value; a policy's numbers, which count its rules, name none."""
        if isinstance(value, str) and is_moment(value):
            return self._tells_moment(value)
        return self.by_request(value) or (
            isinstance(value, str) and not value.isdecimal() and _holds(self._policy, value)
        )

    def implies(self, value: Any) -> bool:
        """Whether a value is put together of what the request names: an address, a line of pieces."""
        if not isinstance(value, str):
            return False
        name, at, _ = words(value).partition("@")
        split = r"[._-]" if at or " " not in name else r"\W*\s+\W*"
        pieces = [piece for piece in re.split(split, name) if piece]
        return len(pieces) > 1 and all(_holds(self._request, piece) for piece in pieces)

    def identifies(self, value: int | str) -> bool:
        """Whether the request names a record by a number: a long one, or one called a number or an id."""
        called = rf"(?:\bid|\bno\.?|\bnumber|#)\s*(?:is |= ?|: ?)?{value}(?!\w)"
        return self.by_request(value) and (int(value) >= _LONG or bool(re.search(called, self._request)))

    @cached_property
    def _request(self) -> str:
        return words(self.request)

    @cached_property
    def _policy(self) -> str:
        return words(self.policy)

    @cached_property
    def _numbers(self) -> frozenset[float]:
        return _numbers(self.request)

    def _tells_moment(self, value: str) -> bool:
        """A moment is told where its day is, in whatever form, or where days are named from today on.

        One given to the second comes from a clock, and nobody says it in a request by chance.
        """
        if _holds(self._request, value) or _holds(self._policy, value):
            return True
        moment = _MOMENT.fullmatch(value)
        if moment is None or is_stamp(value):
            return moment is None
        return bool(_SOME_DAY.search(self._request)) or any(
            re.search(form, text) for form in _forms(moment["day"]) for text in (self._request, self._policy)
        )


def alone(value: str) -> re.Pattern[str]:
    """A value where it stands by itself, and is no part of a longer name, number or address."""
    return re.compile(rf"(?<![\w@])(?<!\w[.-]){re.escape(value)}(?![\w@]|[.-]\w)")


def _holds(text: str, value: str) -> bool:
    """Whether a text has a value in it, as words of its own."""
    wanted = words(value)
    if not wanted or wanted not in text:
        return not wanted
    return alone(wanted).search(text) is not None


def _forms(day: str) -> Iterable[str]:
    """The forms in which a day is written, as patterns."""
    _, month, date = (int(part) for part in day.split("-"))
    if not 1 <= month <= 12:
        return
    name = f"{_MONTHS[month - 1][:3]}\\w*"
    yield rf"(?<!\d)0?{date}(?:st|nd|rd|th)?(?: of)? {name}"
    yield rf"\b{name} 0?{date}(?!\d)"
    yield rf"(?<!\d)0?{date}[./]0?{month}(?!\d)|(?<!\d)0?{month}/0?{date}(?!\d)"
    yield re.escape(day)
