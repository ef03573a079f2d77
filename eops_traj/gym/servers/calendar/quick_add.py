"""Events from a line of English: ``Lunch with Ana tomorrow at 1pm for 45 minutes in the atrium``.

What names a day, a time, a length or a place is taken out; what is left is the title.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar.times import YEARS

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_DAY = "|".join(f"{day[:3]}(?:{day[3:]})?" for day in _DAYS)
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_CLOCK = r"(?:\d{1,2}(?::\d\d)?\s*[ap]\.?m\b\.?|\d{1,2}:\d\d|noon|midnight)"
_HOUR = timedelta(hours=1)
_DAY_NAMES = {"today": timedelta(), "tomorrow": timedelta(days=1)}
_UNITS = {"d": timedelta(days=1), "w": timedelta(weeks=1)}


@dataclass
class Draft:
    """An event as far as the line was understood; `text` is the rest of the line."""

    text: str
    now: datetime
    day: date | None = None
    clock: time | None = None
    ends: time | None = None
    length: timedelta | None = None
    place: str | None = None

    def take(self, pattern: str) -> re.Match[str] | None:
        """Take the first match of a pattern out of the text and return it."""
        match = re.search(rf"(?<![\w:]){pattern}(?![\w:])", self.text, re.IGNORECASE)
        if match:
            self.text = f"{self.text[: match.start()].rstrip()} {self.text[match.end() :].lstrip()}".strip()
        return match

    @property
    def span(self) -> tuple[datetime, datetime] | tuple[date, date]:
        """Its beginning and end: days where no time was named."""
        day = self.day or self.now.date()
        if self.clock is None and self.day:
            days = max(1, self.length.days) if self.length else 1
            return day, day + timedelta(days=days)
        clock = self.clock or (self.now.replace(minute=0) + _HOUR).time()
        start = datetime.combine(day, clock)
        if self.day is None and start < self.now:
            start += timedelta(days=1)
        end = datetime.combine(start.date(), self.ends) if self.ends else start + (self.length or _HOUR)
        return start, end if end > start else end + timedelta(days=1)


def parse(text: str, now: datetime) -> Draft:
    """Read a line; `now` is the time by the clocks of the calendar."""
    draft = Draft(" ".join(text.split()), now.replace(second=0, microsecond=0, tzinfo=None))
    if not draft.text:
        raise error("INVALID_ARGUMENT", "Unable to parse text: it is empty")
    whole = draft.text
    for read in (_read_length, _read_tonight, _read_date, _read_clock, _read_place):
        read(draft)
    draft.text = re.sub(r"(?<!\s)\s+(on|at|from|in)$", "", draft.text, flags=re.IGNORECASE) or whole
    return draft


def _read_length(draft: Draft) -> None:
    if match := draft.take(r"for (\d{1,3}(?:\.\d{1,2})?)\s*(minutes?|mins?|hours?|hrs?|days?)"):
        minutes = {"m": 1, "h": 60, "d": 1440}[match[2][0].lower()]
        draft.length = timedelta(minutes=float(match[1]) * minutes)


def _read_date(draft: Draft) -> None:
    today = draft.now.date()
    for pattern, read in _DATES:
        if draft.day is None and (match := draft.take(pattern)):
            draft.day = read(match, today)


def _weekday(match: re.Match[str], today: date) -> date:
    number = [day[:3] for day in _DAYS].index(match[2][:3].lower())
    days = (number - today.weekday()) % 7 or 7
    if (match[1] or "").lower().strip() == "next" and days < 7 - today.weekday():
        days += 7  # the one of next week, not of this
    return today + timedelta(days=days)


def _month_day(match: re.Match[str], today: date) -> date:
    """Return the day in the year named, or the next such day."""
    month = [m[:3] for m in _MONTHS].index((match["m"] or match["n"])[:3].lower()) + 1
    day = int(match["d"] or match["e"])
    if match["y"]:
        return _valid_date(int(match["y"]), month, day)
    this_year = _valid_date(today.year, month, day)
    return this_year if this_year >= today else _valid_date(today.year + 1, month, day)


def _valid_date(year: int, month: int, day: int) -> date:
    try:
        if year not in YEARS:
            raise ValueError(year)
        return date(year, month, day)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Unable to parse text: no day {year}-{month:02}-{day:02}") from None


_ORDINAL = r"(?:st|nd|rd|th)?"
_BY_NAME = rf"(?:(?P<m>{_MONTH})\.? (?P<d>\d{{1,2}}){_ORDINAL}|(?P<e>\d{{1,2}}){_ORDINAL} (?P<n>{_MONTH}))"
_DATES: tuple[tuple[str, Callable[[re.Match[str], date], date]], ...] = (
    (r"(?:on )?(\d{4})-(\d\d)-(\d\d)", lambda match, today: _valid_date(*map(int, match.groups()))),
    (rf"(?:on )?{_BY_NAME}(?:,? (?P<y>\d{{4}}))?", _month_day),
    (r"(today|tomorrow)", lambda match, today: today + _DAY_NAMES[match[1].lower()]),
    (
        r"in (\d{1,4}) (days?|weeks?)",
        lambda match, today: today + int(match[1]) * _UNITS[match[2][0].lower()],
    ),
    (r"next week", lambda match, today: today + timedelta(days=7)),
    (rf"(?:on )?(next |this )?({_DAY})", _weekday),
)


def _read_tonight(draft: Draft) -> None:
    if draft.take("tonight"):
        draft.day, draft.clock = draft.now.date(), time(19)


def _read_clock(draft: Draft) -> None:
    if match := draft.take(rf"(?:from |at )?(\d{{1,2}}(?::\d\d)?|{_CLOCK})\s*(?:-|–|to|until)\s*({_CLOCK})"):
        draft.ends = _parse_clock(match[2])
        half = re.search(r"[ap]\.?m", match[2], re.IGNORECASE)  # "2 to 4pm" is in the afternoon as a whole
        if half is None or re.search(r"[apn]", match[1], re.IGNORECASE):
            draft.clock = _parse_clock(match[1])
        else:
            draft.clock = _parse_clock(match[1] + half[0])
            if draft.clock > draft.ends:  # "11-1pm" begins in the other half
                draft.clock = _parse_clock(match[1] + {"a": "pm", "p": "am"}[half[0][0].lower()])
    elif match := draft.take(rf"(?:at |from )?({_CLOCK})"):
        draft.clock = _parse_clock(match[1])


def _parse_clock(text: str) -> time:
    if text.lower() in ("noon", "midnight"):
        return time(12 if text.lower() == "noon" else 0)
    match = re.match(r"(\d{1,2})(?::(\d\d))?\s*([ap])?", text, re.IGNORECASE)
    assert match is not None
    hour, minute, half = int(match[1]), int(match[2] or 0), (match[3] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return time(hour, minute)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Unable to parse text: no time {text!r}") from None


def _read_place(draft: Draft) -> None:
    if match := draft.take(r"(?:at|in) ((?:the )?[A-Za-z][\w' -]*)$"):
        draft.place = match[1].strip()
