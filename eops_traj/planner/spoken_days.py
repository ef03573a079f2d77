"""Days as people speak of them, as ISO dates: ``Friday next week``, ``the 5th of March``, ``in two weeks``.

English alone. A weekday by itself is the next one, today left out; a day without a year lies in this one,
unless the weekday beside it says otherwise. A longer phrase that is not understood, ``Friday after next``, is
no day at all, rather than the day that a part of it names.
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
_RELATIVE = {"day after tomorrow": 2, "day before yesterday": -2, "tomorrow": 1, "today": 0, "yesterday": -1}
_DAYS = {"day": 1, "week": 7, "fortnight": 14}


class SpokenDay(NamedTuple):
    """A day in a text: from where to where, and its date."""

    start: int
    end: int
    date: date


def spoken_days(text: str, today: date) -> list[SpokenDay]:
    """Find the days that a text names, as it would be read today, from left to right; no two overlap."""
    found = sorted(_every_form(text, today), key=lambda phrase: (phrase[0], -phrase[1]))
    kept, at = list[SpokenDay](), 0
    for start, end, day in found:
        if start >= at:
            kept += [SpokenDay(start, end, day)] if day is not None else []
            at = end
    return kept


def _every_form(text: str, today: date) -> Iterator[tuple[int, int, date | None]]:
    """Yield from where to where each phrase goes, and its day; None for one that has none."""
    for pattern, resolve in _FORMS:
        for match in pattern.finditer(text):
            yield match.start(), match.end(), _resolved(resolve, match, today)


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
        return date(_year(match["year"], today), month, day)
    near = [found for away in (0, 1, -1) if (found := _date(today.year + away, month, day))]
    weekday = (match["weekday"] or "").lower()
    return next((day for day in near if WEEKDAYS[day.weekday()] == weekday), near[0] if near else None)


def _date(year: int, month: int, day: int) -> date | None:
    """Return a day; None for one that no calendar has."""
    return date(year, month, day) if 0 < year < 9999 and 0 < day <= monthrange(year, month)[1] else None


def _year(spoken: str, today: date) -> int:
    """Return the year of ``2027``, ``next year``, ``of last year``."""
    if spoken.isdecimal():
        return int(spoken)
    return today.year + {"this": 0, "next": 1, "last": -1}[spoken.lower().split()[-2]]


def _end_of_month(match: re.Match[str], today: date) -> date:
    """Resolve ``the end of March``, the next one, ``March is over``, ``the last day of the month``."""
    year, month = _named_month(match, match["month"] or match["over"], today)
    return date(year, month, monthrange(year, month)[1])


def _named_month(match: re.Match[str], named: str | None, today: date) -> tuple[int, int]:
    """Return year and month of ``March 2027``, of ``March``, the next one, or of this month."""
    month = _month(named) if named else today.month
    return _year(match["year"], today) if match["year"] else today.year + (month < today.month), month


def _weekday_of_month(match: re.Match[str], today: date) -> date | None:
    """Resolve ``the first Monday of February``, ``the last Friday of the month``; a fifth may be none."""
    year, month = _named_month(match, match["month"], today)
    place, days = WEEKDAYS.index(match["weekday"].lower()), monthrange(year, month)[1]
    of_kind = [day for n in range(1, days + 1) if (day := date(year, month, n)).weekday() == place]
    which = match["which"].lower()
    number = -1 if which == "last" else (_ORDINALS.get(which) or int(which[0])) - 1
    return of_kind[number] if number < len(of_kind) else None


def _month(name: str) -> int:
    return next(n for n, month in enumerate(MONTHS, 1) if month.startswith(name.lower()[:3]))


def _by_weekday(match: re.Match[str], today: date) -> date:
    """Resolve ``this Thursday``, ``next Friday``, ``Friday of next week``, ``last Monday``, ``Tuesday``."""
    monday = today - timedelta(today.weekday())
    place = WEEKDAYS.index(match["weekday"].lower())
    which = (match["before"] or match["after"] or match["beside"] or "").lower()
    if which.startswith(("next", "last")):
        return monday + timedelta(place + (7 if which.startswith("next") else -7))
    if which.startswith("this"):
        return monday + timedelta(place)
    return today + timedelta((place - today.weekday() - 1) % 7 + 1)


def _by_number(match: re.Match[str], today: date) -> date | None:
    """Resolve ``Monday the 19th``: the next such day, or else the last one."""
    place, number = WEEKDAYS.index(match["weekday"].lower()), int(match["number"])
    near = (today + timedelta(away) for away in (*range(62), *range(-1, -32, -1)))
    return next((day for day in near if (day.weekday(), day.day) == (place, number)), None)


def _relative(spoken: str, today: date) -> date:
    """Resolve ``tomorrow``, ``the day after tomorrow``."""
    return today + timedelta(_RELATIVE[" ".join(spoken.lower().split()).removeprefix("the ")])


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
_DAY = rf"(?P<day>[0-3]?\d(?!\d)|{'|'.join(sorted(_ORDINALS, reverse=True))})(?:st|nd|rd|th)?"
_YEAR = r"(?:,? (?P<year>[12]\d{3}|(?:of )?(?:this|next|last) year(?!['’]))\b)?"
_COUNT = rf"(?P<count>{'|'.join(_NUMBERS)}|[1-9]\d{{0,3}})"
_OVER = rf"\b(?P<over>{'|'.join(MONTHS)}) is over\b"
_SPANS = rf"(?P<unit>{'|'.join(_DAYS)})s?"
_NAMED_WEEK = r"(?:this|next|last) week\b"
_PART_OF_DAY = r"(?: (?:morning|afternoon|evening|night))?"
_NTH = r"(?P<which>first|second|third|fourth|fifth|last|[1-5](?:st|nd|rd|th))"
_RELATIVES = rf"(?:the )?(?:{'|'.join(_RELATIVE)})"
_NOT_READ = (
    rf"{_NTH} {_WEEKDAY} of\b",  # each month, the quarter
    rf"\b(?:the )?{_NTH.replace('|last', '')} {_WEEKDAY} (?:in|after|before)\b",
    rf"\b(?:the )?{_WEEKDAY} after next\b",
    rf"{_WEEKDAY}{_PART_OF_DAY} (?:of |in )?(?:the|that)(?: [a-z]+)? week\b(?: after next\b)?",
    rf"{_WEEKDAY}{_PART_OF_DAY} in {_COUNT} {_SPANS}\b",
    rf"\b(?:{_WEEKDAY}|tomorrow|today) week\b",
    rf"\b{_COUNT} {_SPANS} on {_WEEKDAY}\b",
    rf"(?<!for )\b{_COUNT} {_SPANS} from (?:(?:this|next) )?{_WEEKDAY}",
)


def _form(pattern: str) -> re.Pattern[str]:
    return re.compile(pattern.replace(" ", r"\s"), re.IGNORECASE)


_FORMS: tuple[tuple[re.Pattern[str], _Resolve], ...] = (
    (
        _form(r"(?<![\w-])(?P<iso>[12]\d{3}-[01]\d-[0-3]\d)(?![\w-]*\d)"),
        lambda m, _: date.fromisoformat(m["iso"]),
    ),
    (_form(rf"{_LED}\b{_DAY}(?: of)? {_MONTH}{_YEAR}"), _written_out),
    (_form(rf"{_LED}\b{_MONTH} (?:the )?{_DAY}\b(?![:.]\d){_YEAR}"), _written_out),
    (_form(rf"\b{_RELATIVES}\b"), lambda m, today: _relative(m[0], today)),
    (
        _form(
            rf"\b(?:(?P<before>this|next|last) )?{_WEEKDAY}\b"
            rf"(?:{_PART_OF_DAY},?(?: (?:of|in))? (?P<after>{_NAMED_WEEK}))?(?P<beside>)"
        ),
        _by_weekday,
    ),
    (
        _form(rf"\b(?P<beside>{_NAMED_WEEK})(?:['’]s|,? on)? (?P<before>){_WEEKDAY}\b(?P<after>)"),
        _by_weekday,
    ),
    (_form(rf"\b{_WEEKDAY},? the (?P<number>[1-3]?\d)(?:st|nd|rd|th)\b"), _by_number),
    (
        _form(rf"\b(?:the )?{_NTH} {_WEEKDAY} (?:of|in) (?:(?:the|this) month\b|{_MONTH}){_YEAR}"),
        _weekday_of_month,
    ),
    (_form(rf"\b(?:end|last day) of (?:(?:the|this) month\b|{_MONTH}){_YEAR}|{_OVER}"), _end_of_month),
    (
        _form(rf"(?<!for )\b{_COUNT} {_SPANS} from (?P<direction>)(?P<base>{_RELATIVES})\b"),
        lambda m, today: _from_today(m, _relative(m["base"], today)),
    ),
    (_form(rf"\b{_COUNT} {_SPANS} (?P<direction>from (?:now|today)|ago)\b"), _from_today),
    (_form(rf"\bin {_COUNT} {_SPANS}(?P<direction>)(?!\w)"), _from_today),
    *((_form(pattern), lambda _, __: None) for pattern in _NOT_READ),
)
