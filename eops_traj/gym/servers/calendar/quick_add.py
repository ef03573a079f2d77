"""Events from a line of English: ``Lunch with Ana tomorrow at 1pm for 45 minutes in the atrium``.

What names a day, a time, a length or a place is taken out; what is left is the title.
"""

import re
from collections.abc import Callable
from dataclasses import dataclass
from datetime import date, datetime, time, timedelta

from eops_traj.gym.api_styles.google import error

_DAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")
_MONTHS = ("january", "february", "march", "april", "may", "june", "july", "august", "september", "october",
           "november", "december")  # fmt: skip
_DAY = "|".join(f"{day[:3]}(?:{day[3:]})?" for day in _DAYS)
_MONTH = "|".join(f"{month[:3]}(?:{month[3:]})?" for month in _MONTHS)
_CLOCK = r"(?:\d{1,2}(?::\d\d)?\s*[ap]\.?m\b\.?|\d{1,2}:\d\d|noon|midnight)"
_HOUR = timedelta(hours=1)


@dataclass
class Draft:
    """What was understood so far; `text` is what was not."""

    text: str
    now: datetime
    day: date | None = None
    clock: time | None = None
    ends: time | None = None
    length: timedelta | None = None
    place: str | None = None

    def take(self, pattern: str) -> re.Match[str] | None:
        """The first match of a pattern, taken out of the text."""
        found = re.search(rf"(?<![\w:]){pattern}(?![\w:])", self.text, re.IGNORECASE)
        if found:
            self.text = f"{self.text[: found.start()].rstrip()} {self.text[found.end() :].lstrip()}".strip()
        return found

    @property
    def span(self) -> tuple[datetime, datetime] | tuple[date, date]:
        """When it begins and ends: the days where no time was named."""
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
    for read in (_length, _evening, _date, _clock, _place):
        read(draft)
    draft.text = re.sub(r"\s+(on|at|from|in)$", "", draft.text, flags=re.IGNORECASE) or whole
    return draft


def _length(draft: Draft) -> None:
    if found := draft.take(r"for (\d{1,3}(?:\.\d{1,2})?)\s*(minutes?|mins?|hours?|hrs?|days?)"):
        minutes = {"m": 1, "h": 60, "d": 1440}[found[2][0].lower()]
        draft.length = timedelta(minutes=float(found[1]) * minutes)


def _date(draft: Draft) -> None:
    today = draft.now.date()
    for pattern, read in _DATES:
        if draft.day is None and (found := draft.take(pattern)):
            draft.day = read(found, today)


def _soon(found: re.Match[str], today: date) -> date:
    return today + timedelta(days={"today": 0, "tomorrow": 1}[found[1].lower()])


def _later(found: re.Match[str], today: date) -> date:
    return today + timedelta(days=int(found[1]) * (7 if found[2][0].lower() == "w" else 1))


def _weekday(found: re.Match[str], today: date) -> date:
    number = [day[:3] for day in _DAYS].index(found[2][:3].lower())
    days = (number - today.weekday()) % 7 or 7
    if (found[1] or "").lower().strip() == "next" and days < 7 - today.weekday():
        days += 7  # the one of next week, not of this
    return today + timedelta(days=days)


def _named(found: re.Match[str], today: date) -> date:
    """The day in the year named, or the next such day."""
    month = [m[:3] for m in _MONTHS].index((found["m"] or found["n"])[:3].lower()) + 1
    day = int(found["d"] or found["e"])
    if found["y"]:
        return _made(int(found["y"]), month, day)
    this_year = _made(today.year, month, day)
    return this_year if this_year >= today else _made(today.year + 1, month, day)


def _iso(found: re.Match[str], today: date) -> date:
    return _made(int(found[1]), int(found[2]), int(found[3]))


def _made(year: int, month: int, day: int) -> date:
    try:
        return date(year, month, day)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Unable to parse text: no day {year}-{month:02}-{day:02}") from None


_ORDINAL = r"(?:st|nd|rd|th)?"
_BY_NAME = rf"(?:(?P<m>{_MONTH})\.? (?P<d>\d{{1,2}}){_ORDINAL}|(?P<e>\d{{1,2}}){_ORDINAL} (?P<n>{_MONTH}))"
_DATES: tuple[tuple[str, Callable[[re.Match[str], date], date]], ...] = (
    (r"(?:on )?(\d{4})-(\d\d)-(\d\d)", _iso),
    (rf"(?:on )?{_BY_NAME}(?:,? (?P<y>\d{{4}}))?", _named),
    (r"(today|tomorrow)", _soon),
    (r"in (\d{1,4}) (days?|weeks?)", _later),
    (r"next week", lambda found, today: today + timedelta(days=7)),
    (rf"(?:on )?(next |this )?({_DAY})", _weekday),
)


def _evening(draft: Draft) -> None:
    if draft.take("tonight"):
        draft.day, draft.clock = draft.now.date(), time(19)


def _clock(draft: Draft) -> None:
    if found := draft.take(rf"(?:from |at )?(\d{{1,2}}(?::\d\d)?|{_CLOCK})\s*(?:-|–|to|until)\s*({_CLOCK})"):
        draft.ends = _time(found[2])
        half = re.search(r"[ap]\.?m", found[2], re.IGNORECASE)  # "2 to 4pm" is in the afternoon as a whole
        alone = half and not re.search(r"[apn]", found[1], re.IGNORECASE)
        draft.clock = _time(found[1] + half[0] if half and alone else found[1])
    elif found := draft.take(rf"(?:at |from )?({_CLOCK})"):
        draft.clock = _time(found[1])


def _time(text: str) -> time:
    if text.lower() in ("noon", "midnight"):
        return time(12 if text.lower() == "noon" else 0)
    found = re.match(r"(\d{1,2})(?::(\d\d))?\s*([ap])?", text, re.IGNORECASE)
    assert found is not None
    hour, minute, half = int(found[1]), int(found[2] or 0), (found[3] or "").lower()
    if half and hour <= 12:
        hour = hour % 12 + (12 if half == "p" else 0)
    try:
        return time(hour, minute)
    except ValueError:
        raise error("INVALID_ARGUMENT", f"Unable to parse text: no time {text!r}") from None


def _place(draft: Draft) -> None:
    if found := draft.take(r"(?:at|in) ((?:the )?[A-Za-z][\w' -]*)$"):
        draft.place = found[1].strip()
