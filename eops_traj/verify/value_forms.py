"""Values as people write them: whether a text says a date, a time, a number, a name, an address or an id.

Case, spacing, accents, markdown emphasis and curly quotes do not count. An id has to stand alone: ``CS001``
is not said by ``CS0012``, nor the number 12 by ``12 January``, nor 2:30 in the afternoon by ``2:30``.
"""

import calendar
import re
import unicodedata
from collections.abc import Iterator
from datetime import date, timedelta
from typing import Any

_CHARACTERS = str.maketrans(
    {"\u2018": "'", "\u2019": "'", "\u201c": '"', "\u201d": '"', "\u2010": "-", "\u2011": "-", "\u2012": "-",
     "\u2013": "-", "\u2212": "-", "\u00ad": None, "\u200b": None}
)  # fmt: skip
_EMPHASIS = re.compile(
    r"[*`]+|~~|^[ \t]*#+[ \t]|(?<![^\W_])_(?=\w)|(?<=\w)_(?![^\W_])|\\(?=[_*.#-])", re.MULTILINE
)
_MOMENT = re.compile(
    r"(?P<day>\d{4}-\d\d-\d\d)(?:[ T](?P<time>\d\d:\d\d)(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:?\d\d)?)?"
)
_HOUR = re.compile(r"(?P<hour>[01]?\d|2[0-3]):(?P<minute>[0-5]\d)(?::\d\d)?")
_NUMBER = re.compile(r"-?\d{1,300}(?:\.\d+)?")  # of more digits it would be an infinity
_ADDRESS = re.compile(r"(?P<first>[a-z]{2,})\.(?P<last>[a-z]{2,})@[\w-]+(?:\.[\w-]+)+", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*(?: [^\W\d_]+(?:[-'][^\W\d_]+)*){1,2}")
_MONTHS = tuple(calendar.month_name)[1:]
_DAYS = tuple(calendar.day_name)
_WORDS = (
    "zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"
)  # fmt: skip
_NOT_AFTER = r"(?<!\w)(?<!\w[-.@])"
_NOT_BEFORE = r"(?!\w|[-.@]\w)"
_ANY_MONTH = rf"(?:{'|'.join(rf'{m[:3]}(?:{m[3:]}|t)?' for m in _MONTHS)})\.?"
_ORDINAL = r"(?:st|nd|rd|th)?"
_DATES_AND_TIMES = re.compile(
    rf"\d{{4}}-\d\d-\d\d(?:[ t]\d\d:\d\d(?::\d\d)?)?|\b\d{{1,2}}[./]\d{{1,2}}[./]\d{{2,4}}"
    rf"|\b\d{{1,2}}{_ORDINAL}(?: of)? {_ANY_MONTH}(?!\w)(?:,? \d{{4}})?"
    rf"|\b{_ANY_MONTH} \d{{1,2}}{_ORDINAL}\b(?:,? \d{{4}})?"
    r"|\b\d{1,2}:\d\d|\b\d{1,2}(?:[:.]\d\d)? ?[ap]\.?m\b"
    r"|^[ \t]*\d{1,2}[.)](?= )",
    re.IGNORECASE | re.MULTILINE,
)


class Text:
    """A text in which values are looked for; ``today`` gives ``tomorrow`` and the names of days a meaning."""

    def __init__(self, text: str, today: date | None = None) -> None:
        """Normalize the text, with its case kept aside for ids that differ in nothing else."""
        self._today, self._exact = today, normalize(text, fold=False)
        self._plain = normalize(text)
        self._numbers = normalize(_DATES_AND_TIMES.sub(" ; ", _without_markup(text)))

    def says(self, value: Any) -> bool:
        """Check whether the text says a value: a text, a number, a truth value; None is said by nothing."""
        if value is None or not str(value).strip():
            return False
        if isinstance(value, bool):
            return self._finds(self._plain, r"\b(?:yes|true)\b" if value else r"\b(?:no|not|false)\b|n't\b")
        text = str(value).strip()
        if is_number(text):
            numbers = "|".join(map(re.escape, number_forms(text)))
            return self._finds(self._numbers, rf"{_NOT_AFTER}(?<!\d[.,])(?:{numbers}){_NOT_BEFORE}(?![.,]\d)")
        if moment := _MOMENT.fullmatch(text):
            return self._says_moment(moment["day"], moment["time"])
        if hour := _HOUR.fullmatch(text):
            return self._finds(self._plain, _time_pattern(int(hour["hour"]), int(hour["minute"])))
        if _is_mixed(text):
            return self._stands(self._exact, normalize(text, fold=False))
        return any(self._stands(self._plain, normalize(form)) for form in _name_forms(text))

    def _says_moment(self, day: str, time: str | None) -> bool:
        try:
            when = date.fromisoformat(day)
        except ValueError:
            return self._stands(self._plain, day)
        if not self._finds(self._plain, "|".join(_date_patterns(when, self._today))):
            return False
        hour, minute = map(int, (time or "00:00").split(":"))
        return (hour, minute) == (0, 0) or self._finds(self._plain, _time_pattern(hour, minute))

    @staticmethod
    def _finds(text: str, pattern: str) -> bool:
        return re.search(pattern, text) is not None

    @staticmethod
    def _stands(text: str, form: str) -> bool:
        """Check whether a form stands in the text, not as a part of a longer word, id or address."""
        return re.search(f"{_NOT_AFTER}{re.escape(form)}{_NOT_BEFORE}", text) is not None


def normalize(text: str, *, fold: bool = True) -> str:
    """Return a text for comparing: without markup and accents, in single spaces, and in lower case."""
    plain = unicodedata.normalize("NFKD", _without_markup(text))
    plain = " ".join("".join(c for c in plain if not unicodedata.combining(c)).split())
    return plain.casefold() if fold else plain


def _without_markup(text: str) -> str:
    return _EMPHASIS.sub("", text.translate(_CHARACTERS))


def _is_mixed(text: str) -> bool:
    """Check whether a value is an id in which the case of letters counts: digits and both cases, no space."""
    return re.fullmatch(r"(?=.*\d)(?=.*[a-z])(?=.*[A-Z])[\w-]{8,}", text) is not None


def is_number(text: str) -> bool:
    """Check whether a text is a number to be counted with, not a code such as 0042."""
    return _NUMBER.fullmatch(text) is not None and not re.match(r"-?0\d", text)


def number_forms(text: str) -> Iterator[str]:
    """Yield the forms in which people write a number: ``1200``, ``1,200``; a small one in words."""
    number = float(text)
    yield text
    if number == int(number):
        whole = int(number)
        yield from (str(whole), f"{whole:,}", f"{whole:,}".replace(",", " "), f"{whole:,}".replace(",", "."))
        if 0 <= whole < len(_WORDS):
            yield _WORDS[whole]
    else:
        yield from (f"{number:g}", f"{number:.2f}", f"{number:,.2f}", f"{number:g}".replace(".", ","))


def _name_forms(text: str) -> Iterator[str]:
    """Yield a text; a name with its last word first too; and the name that an address holds."""
    yield text
    if _NAME.fullmatch(text):
        *first, last = text.split()
        yield f"{last}, {' '.join(first)}"
    if address := _ADDRESS.fullmatch(text):
        yield f"{address['first']} {address['last']}"


def _date_patterns(day: date, today: date | None) -> Iterator[str]:
    """Yield the patterns of a date as people write it; names of days only for the week around today."""
    month, number = _MONTHS[day.month - 1].lower(), f"0?{day.day}"
    name, year = rf"{month[:3]}(?:{month[3:]}|t)?\.?", rf"(?!,? (?!{day.year}\b)(?:19|20)\d\d\b)"
    yield rf"(?<!\d){day.isoformat()}(?!\d)"
    yield rf"(?<!\d){number}{_ORDINAL}(?: of)? {name}(?!\w){year}"
    yield rf"\b{name} (?:the )?{number}{_ORDINAL}(?!\w){year}"
    for first, second in ((day.day, day.month), (day.month, day.day)):
        yield rf"(?<![\d./])0?{first}([./])0?{second}\1(?:{day.year}|{day.year % 100:02d})(?!\d)"
    if today is not None and abs((day - today).days) <= 7:
        yield rf"\b{_DAYS[day.weekday()].lower()}\b"
        near = {timedelta(0): "today", timedelta(1): "tomorrow", timedelta(-1): "yesterday"}
        if day - today in near:
            yield rf"\b{near[day - today]}\b"


def _time_pattern(hour: int, minute: int) -> str:
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
