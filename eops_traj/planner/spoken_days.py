"""Days as people speak of them, as ISO dates: ``Friday next week``, ``the 5th of March``, ``in two weeks``.

English alone. A weekday by itself is the next one, today left out; a day without a year lies in this one,
unless the weekday beside it says otherwise.
"""

import re
from calendar import monthrange
from collections.abc import Callable, Iterator
from datetime import date, timedelta
from typing import NamedTuple

MONTHS = (
    *("january", "february", "march", "april", "may", "june", "july"),
    *("august", "september", "october", "november", "december"),
)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_COUNTED = ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve")
_NUMBERS = {"a": 1, "an": 1} | {word: number for number, word in enumerate(_COUNTED, 1)}
_UNITS = ("first", "second", "third", "fourth", "fifth", "sixth", "seventh", "eighth", "ninth")
_STEMS = ("thir", "four", "fif", "six", "seven", "eigh", "nine")
_TEENS = ("tenth", "eleventh", "twelfth", *(f"{stem}teenth" for stem in _STEMS))
_TENS = ("twentieth", *(f"twenty-{unit}" for unit in _UNITS), "thirtieth", "thirty-first")
_ORDINALS = {word: number for number, word in enumerate((*_UNITS, *_TEENS, *_TENS), 1)}
_RELATIVE = {"the day after tomorrow": 2, "the day before yesterday": -2}
_RELATIVE |= {"tomorrow": 1, "today": 0, "yesterday": -1}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}


class SpokenDay(NamedTuple):
    """A day in a text: from where to where, and its date."""

    start: int
    end: int
    date: date


def spoken_days(text: str, today: date) -> list[SpokenDay]:
    """Find the days that a text names, as it would be read today, from left to right; no two overlap."""
    found = sorted(_every_form(text, today), key=lambda day: (day.start, -day.end))
    kept = list[SpokenDay]()
    for day in found:
        if not kept or day.start >= kept[-1].end:
            kept.append(day)
    return kept


def _every_form(text: str, today: date) -> Iterator[SpokenDay]:
    for pattern, resolve in _FORMS:
        for match in pattern.finditer(text):
            if (day := _resolved(resolve, match, today)) is not None:
                yield SpokenDay(match.start(), match.end(), day)


def _resolved(resolve: "_Resolve", match: re.Match[str], today: date) -> date | None:
    try:
        return resolve(match, today)
    except (ValueError, OverflowError):  # 31 February, or a million weeks from today
        return None


def _written_out(match: re.Match[str], today: date) -> date | None:
    """Resolve ``Monday 9 February 2026``, ``9th of February``, ``February 9``."""
    month = _month(match["month"])
    day = _ORDINALS.get(match["day"].lower()) or int(match["day"])
    if match["year"]:
        return date(int(match["year"]), month, day)
    near = [found for away in (0, 1, -1) if (found := _date(today.year + away, month, day))]
    weekday = (match["weekday"] or "").lower()
    return next((day for day in near if WEEKDAYS[day.weekday()] == weekday), near[0] if near else None)


def _date(year: int, month: int, day: int) -> date | None:
    """Return a day; None for one that no calendar has."""
    return date(year, month, day) if 0 < year < 9999 and 0 < day <= monthrange(year, month)[1] else None


def _end_of_month(match: re.Match[str], today: date) -> date:
    """Resolve ``the end of March``, the next one, ``March is over``, ``the last day of the month``."""
    named = match["month"] or match["over"]
    month = _month(named) if named else today.month
    year = today.year + (month < today.month)
    return date(year, month, monthrange(year, month)[1])


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))


def _by_weekday(match: re.Match[str], today: date) -> date:
    """Resolve ``this Thursday``, ``next Friday``, ``Friday next week``, ``last Monday``, ``on Tuesday``."""
    monday = today - timedelta(today.weekday())
    place = WEEKDAYS.index(match["weekday"].lower())
    which = (match["before"] or match["after"] or "").lower()
    if which.startswith(("next", "last")):
        return monday + timedelta(place + (7 if which.startswith("next") else -7))
    if which.startswith("this"):
        return monday + timedelta(place)
    return today + timedelta((place - today.weekday() - 1) % 7 + 1)


def _from_today(match: re.Match[str], today: date) -> date:
    """Resolve ``in two weeks``, ``three days from now``, ``10 days ago``."""
    spoken = match["count"].lower()
    count = int(spoken) if spoken.isdecimal() else _NUMBERS[spoken]
    days = timedelta(count * _DAYS[match["unit"].lower()])
    return today - days if (match["direction"] or "").lower() == "ago" else today + days


_Resolve = Callable[[re.Match[str], date], date | None]
_MONTH = rf"(?P<month>(?:{'|'.join(MONTHS)})\b|(?:sept|{'|'.join(name[:3] for name in MONTHS)})\b\.?)"
_WEEKDAY = rf"(?P<weekday>{'|'.join(WEEKDAYS)})"
_LED = rf"\b(?:{_WEEKDAY},? (?:the )?)?"
_DAY = rf"(?P<day>[0-3]?\d(?=\D)|{'|'.join(sorted(_ORDINALS, reverse=True))})(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>[12]\d{3})\b)?"
_COUNT = rf"(?P<count>{'|'.join(_NUMBERS)}|[1-9]\d{{0,3}})"
_OVER = rf"\b(?P<over>{'|'.join(MONTHS)}) is over\b"
_SPANS = rf"(?P<unit>{'|'.join(_DAYS)})s?"


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s"), re.IGNORECASE)


_FORMS: tuple[tuple[re.Pattern[str], _Resolve], ...] = (
    (
        _form(r"(?<![\w-])(?P<iso>[12]\d{3}-[01]\d-[0-3]\d)(?![\w-]*\d)"),
        lambda m, _: date.fromisoformat(m["iso"]),
    ),
    (_form(rf"{_LED}\b{_DAY}(?: of)? {_MONTH}{_YEAR}"), _written_out),
    (_form(rf"{_LED}\b{_MONTH} (?:the )?{_DAY}\b(?![:.]\d){_YEAR}"), _written_out),
    (_form(rf"\b(?:{'|'.join(_RELATIVE)})\b"), lambda m, today: today + timedelta(_RELATIVE[m[0].lower()])),
    (
        _form(rf"\b(?:(?P<before>this|next|last) )?{_WEEKDAY}\b(?: (?P<after>(?:this|next|last) week)\b)?"),
        _by_weekday,
    ),
    (_form(rf"\b(?:end|last day) of (?:(?:the|this) month|{_MONTH})\b|{_OVER}"), _end_of_month),
    (_form(rf"\b{_COUNT} {_SPANS} (?P<direction>from (?:now|today)|ago)\b"), _from_today),
    (_form(rf"\bin {_COUNT} {_SPANS}(?P<direction>)(?!\w)"), _from_today),
)
