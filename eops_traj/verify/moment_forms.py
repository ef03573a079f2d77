"""Patterns of a date or a time of the day as people write it, in a text without markup and in lower case."""

import calendar
import re
from collections.abc import Iterator
from datetime import date

_MONTHS = tuple(calendar.month_name)[1:]
_DAYS = tuple(calendar.day_name)
_ANY_MONTH = rf"(?:{'|'.join(rf'{m[:3]}(?:{m[3:]}|t)?' for m in _MONTHS)})\.?"
_THE_MONTH = _ANY_MONTH.replace("May(?:|t)?", r"(?-i:May|may(?= ?(?:[.,;:!?)]|\d{4}|$)))")
"""A month, and not the verb of "3 may be closed"."""
_ORDINAL = r"(?:st|nd|rd|th)?"
_D, _M = r"(?:0?[1-9]|[12]\d|3[01])", r"(?:0?[1-9]|1[0-2])"
_YEAR_AT_AN_END = (
    rf"(?<!\d[./])\b(?:(?:{_D}[./]{_M}|{_M}[./]{_D})[./]\d{{2,4}}|\d{{4}}[./]{_M}[./]{_D})\b(?![./]\d)"
)
"""A date in digits, which a row of counts such as ``22/14/18/1`` is not."""
DATES_AND_TIMES = re.compile(
    rf"\d{{4}}-\d\d-\d\d(?:[ t]\d\d:\d\d(?::\d\d)?)?|{_YEAR_AT_AN_END}"
    rf"|\b\d{{1,2}}{_ORDINAL}(?: of)? {_THE_MONTH}(?!\w)(?:,? \d{{4}})?"
    rf"|\b{_ANY_MONTH} \d{{1,2}}{_ORDINAL}\b(?:,? \d{{4}})?"
    r"|\b\d{1,2}:\d\d|\b\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b"
    r"|^[ \t]*(?:\d{1,2}[.)]|step \d{1,2}[.:)])(?= )",
    re.IGNORECASE | re.MULTILINE,
)
"""Numbers that count nothing: of dates and times, and those that steps are told by."""


def date_patterns(day: date, today: date | None) -> Iterator[str]:
    """Yield the patterns of a date as people write it; names of days only for the week around today."""
    month, number = _MONTHS[day.month - 1].lower(), f"0?{day.day}"
    name, year = rf"{month[:3]}(?:{month[3:]}|t)?\.?", rf"(?!(?:,? |-)(?!{day.year}\b)(?:19|20)\d\d\b)"
    yield rf"(?<!\d){day.isoformat()}(?!\d)"
    yield rf"(?<!\d){number}{_ORDINAL}(?: of)?[ -]{name}(?!\w){year}"
    yield rf"\b{name} (?:the )?{number}{_ORDINAL}(?!\w){year}"
    years = f"(?:{day.year}|{day.year % 100:02d})"
    for sign in (r"\.", "/", "-"):
        yield rf"(?<![\d./-])0?{day.day}{sign}0?{day.month}{sign}{years}(?!\d)"
        yield rf"(?<![\d./-])0?{day.month}{sign}0?{day.day}{sign}{years}(?!\d)"
        yield rf"(?<![\d./-]){day.year}{sign}0?{day.month}{sign}0?{day.day}(?!\d)"
    if today is not None and abs((day - today).days) <= 7:
        yield _weekday_pattern(day, today)
        yield from _NEAR.get((day - today).days, [])


_NEAR = {
    -2: [r"\bday before yesterday\b"],
    -1: [r"(?<!before )\byesterday\b"],
    0: [r"\btoday\b"],
    1: [r"(?<!after )\btomorrow\b"],
    2: [r"\bday after tomorrow\b"],
}
"""What people call the days around today."""


def _weekday_pattern(day: date, today: date) -> str:
    """Return the pattern of a day's name that is not said to be another's: ``Tuesday 13 January``."""
    month, ordinal = _ANY_MONTH.lower(), r"\d{1,2}(?:st|nd|rd|th)\b"
    date_ = rf"\d{{1,2}}{_ORDINAL}(?: of)?[ -]{month}(?!\w)|{month} \d|\d+[./-]\d+[./-]\d"
    is_next_week = (day - today).days > 6 - today.weekday()
    week = "" if is_next_week else r"(?!,? (?:of )?next week\b)"
    before = ("" if day > today else r"(?<!next )") + ("" if day < today else r"(?<!last )")
    other = rf"(?!,? (?:the )?(?:{date_}|(?!{day.day}\D){ordinal}))"
    return rf"{before}\b{_DAYS[day.weekday()].lower()}\b{other}{week}"


def time_pattern(hour: int, minute: int) -> str:
    """Return the pattern of a time of the day: ``14:30``, ``14.30``, ``2:30 pm``, ``noon``."""
    half, short = ("p" if hour >= 12 else "a"), hour % 12 or 12
    minutes = rf"[:.]{minute:02d}(?::\d\d)?" if minute else r"(?:[:.]00(?::00)?)?"
    until = r"(?: ?(?:-|to|until|and) ?\d{1,2}(?:[:.]\d\d)?)?"
    other_half = rf"(?!(?::\d\d)? ?{'a' if half == 'p' else 'p'}\.?m\b)"
    forms = [
        rf"0?{short}{minutes}{until} ?{half}\.?m\b",
        rf"0?{hour}[:.]{minute:02d}(?!\d){other_half}",
        *([r"\bnoon\b"] if (hour, minute) == (12, 0) else []),
    ]
    return rf"(?<![\d:.])(?:{'|'.join(forms)})"
