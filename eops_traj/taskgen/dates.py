"""Dates as colleagues speak of them: relative to today, and never in a form."""

from dataclasses import dataclass
from datetime import date, timedelta
from random import Random

from eops_traj.gym.engine import clock

TODAY = clock.START.date()  # Monday, 5 January 2026


@dataclass(frozen=True)
class Day:
    """A date, and how the request speaks of it."""

    date: date
    words: str

    def __str__(self) -> str:
        return self.words

    @property
    def on(self) -> str:
        """The words for the day on which something happens: ``on Friday 16 January``, but ``tomorrow``."""
        absolute = self.words[0].isdigit() or self.words.startswith(f"{self.date:%A}")
        return f"on {self.words}" if absolute else self.words

    @property
    def full(self) -> str:
        """``Friday 16 January``, for a text that is read on another day."""
        return f"{self.date:%A} {self.date.day} {self.date:%B}"

    @property
    def iso(self) -> str:
        """``2026-01-16``."""
        return self.date.isoformat()

    def at(self, hour: int, minute: int = 0) -> str:
        """Return the date with a time: ``2026-01-16 14:30:00``."""
        return f"{self.iso} {hour:02d}:{minute:02d}:00"


def day(rng: Random, soonest: int, latest: int, weekday: bool = True) -> Day:
    """Pick a date between these numbers of days from today (negative: past), on a working day where asked."""
    offsets = [n for n in range(soonest, latest + 1) if not weekday or (TODAY + timedelta(n)).weekday() < 5]
    offset = rng.choice(offsets or [soonest])
    when = TODAY + timedelta(offset)
    return Day(when, rng.choice(_words(offset, when)))


def _words(offset: int, when: date) -> list[str]:
    plain = f"{when.day} {when:%B}" + ("" if when.year == TODAY.year else f" {when.year}")
    choices = [plain, f"{when:%A} {plain}"]
    if offset == 0:
        return ["today"]
    if offset in (1, -1):
        return ["tomorrow" if offset > 0 else "yesterday"]
    if 2 <= offset <= 4 and when.weekday() < 5:
        return [f"this {when:%A}", *choices]
    if 7 <= offset <= 11 and when.weekday() < 5:
        return [f"{when:%A} next week", *choices]
    if 12 <= offset <= 45 and offset % 7 == 0:
        return [f"{_NUMBERS[offset // 7]} weeks from today", *choices]
    return choices


_NUMBERS = {2: "two", 3: "three", 4: "four", 5: "five", 6: "six"}
