"""Values as people write them: whether a text says a date, a time, a number, a name, an address or an id.

Case, spacing, accents, markdown emphasis and curly quotes do not count. An id has to stand alone: ``CS001``
is not said by ``CS0012``, nor the number 12 by ``12 January``, nor 2:30 in the afternoon by ``2:30``.
"""

import math
import re
import unicodedata
from collections.abc import Callable, Iterator, Sequence
from datetime import date
from typing import Any

from eops_traj.verify.counted import counted_noun, counts_another
from eops_traj.verify.figure_words import tells_another
from eops_traj.verify.hedged import (
    ONE_OF_SEVERAL,
    ONES,
    TENS,
    WORDS,
    is_claimed,
    is_counted,
    is_not_contrasted,
)
from eops_traj.verify.moment_forms import DATES_AND_TIMES, date_patterns, time_pattern

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
_ASKS_ADDRESS = re.compile(r"\baddress\b", re.IGNORECASE)
_NAME = re.compile(r"[^\W\d_]+(?:[-'][^\W\d_]+)*(?: [^\W\d_]+(?:[-'][^\W\d_]+)*){1,2}")
_MOST_WRITTEN = 12  # above it, few write a number in words
_NONE = re.compile(
    r"\b(?:there (?:is|are|was|were)|has|have|had|shows?|with) (?:currently |now )?no\b"
    r"(?! (?:other|further|more|longer)\b)"
    r"|\bnone(?: of (?:them|these|those))? (?:is|are|was|were|has|have|had)\b|(?<=: )none\b"
)
"""What people write for zero."""
_POINTING = ("another", "any", "each", "every", "first", "new", "no", "other", "that", "the", "this", "which")
"""Words before a "one" that counts nothing."""
_NOT_AFTER = r"(?<!\w)(?<!\w[-.@])"
_NOT_BEFORE = r"(?!\w|[-.@]\w)"
_LARGER = r"(?![ -](?:dozen|hundred|thousand|million|billion)\b)"
_AFTER_NUMBER = rf"(?:{_NOT_BEFORE}(?![.,]\d){_LARGER}|(?=-?min(?:ute)?s?\b))"
_COMMON = re.compile(r"[a-z_ -]+")
_LINE_END = re.compile(r"(?<=\S)[ \t\r]*\n")
"""Where a number's words end, so that ``3``, and ``Changes`` on the next line, are no ``3 changes``."""


class Text:
    """A text in which values are looked for; ``today`` gives ``tomorrow`` and the names of days a meaning."""

    def __init__(self, text: str, today: date | None = None) -> None:
        """Normalize the text, with its case kept aside for ids that differ in nothing else."""
        self._today, self._exact = today, normalize(text, fold=False)
        self._plain = normalize(text)
        self._numbers = normalize(_LINE_END.sub(" ; ", DATES_AND_TIMES.sub(" , ", _without_markup(text))))

    def says(self, value: Any) -> bool:
        """Check whether the text says a value: a text, a number, a truth value; None is said by nothing."""
        return self._holds(value, self._numbers, lambda match: True)

    def claims(self, value: Any, what: str = "", beside: Sequence[str] = ()) -> bool:
        """Check whether it says a value as what is so, not as in ``not 3 but 4`` or ``between 3 and 5``.

        A common word counts however it is said: who is "not a manager" tells that it takes a manager. With
        ``what`` is asked for in words, a number of something else is not its number, nor one of the figures
        ``beside``; and the name in an address is not the address.
        """
        if isinstance(value, str) and _COMMON.fullmatch(value.strip()):
            return self._holds(value, self._numbers, is_not_contrasted)
        if not is_number(str(value)):
            whole = _ASKS_ADDRESS.search(what) and _ADDRESS.fullmatch(str(value).strip())
            return self._holds(value, self._numbers, is_claimed, whole=bool(whole))
        numbers = ONE_OF_SEVERAL.sub(" ; ", _NONE.sub("0", self._numbers))
        others = [tells_another(what, beside, numbers)] if beside else []
        if noun := counted_noun(what):
            others.append(counts_another(noun, numbers, what))
        return self._holds(
            value, numbers, lambda match: is_counted(match) and not any(f(match) for f in others)
        )

    def _holds(
        self, value: Any, numbers: str, counts: Callable[[re.Match[str]], bool], *, whole: bool = False
    ) -> bool:
        sought = [(self._plain, _standing(normalize(value)))] if whole else list(self._sought(value, numbers))
        return bool(sought) and all(any(map(counts, re.finditer(form, text))) for text, form in sought)

    def _sought(self, value: Any, numbers: str) -> Iterator[tuple[str, str]]:
        """Yield the patterns that all have to be found for a value, each with the text to look in."""
        text = "" if value is None else str(value).strip()
        if isinstance(value, bool):
            yes, no = r"\b(?:yes|true)\b", r"\b(?:no|false)\b"
            said, other = (yes, no) if value else (rf"{no}|\bnot\b|n't\b", yes)
            yield re.split(other, self._plain)[0], said
        elif is_number(text):
            forms = "|".join(_number_patterns(text))
            yield numbers, rf"{_NOT_AFTER}(?<!\d[.,])(?<!-)(?:{forms}){_AFTER_NUMBER}"
        elif moment := _MOMENT.fullmatch(text):
            yield from self._moment(moment["day"], moment["time"])
        elif hour := _HOUR.fullmatch(text):
            yield self._plain, time_pattern(int(hour["hour"]), int(hour["minute"]))
        elif _is_mixed(text):
            yield self._exact, _standing(normalize(text, fold=False))
        elif text:
            yield self._plain, "|".join(_standing(normalize(form)) for form in _name_forms(text))

    def _moment(self, day: str, time: str | None) -> Iterator[tuple[str, str]]:
        try:
            when = date.fromisoformat(day)
        except ValueError:
            yield self._plain, _standing(day)
            return
        yield self._plain, "|".join(date_patterns(when, self._today))
        hour, minute = map(int, (time or "00:00").split(":"))
        if (hour, minute) != (0, 0):
            yield self._plain, time_pattern(hour, minute)


def _standing(form: str) -> str:
    """Return the pattern of a form that is no part of a longer word, id or address."""
    further = r"(?![/?&#=%]\w)" if "://" in form else ""  # a link may go on to somewhere else
    return f"{_NOT_AFTER}{re.escape(form)}{_NOT_BEFORE}{further}"


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
        if 0 <= whole <= _MOST_WRITTEN:
            yield WORDS[whole]
    else:
        yield from (f"{number:g}", f"{number:.2f}", f"{number:,.2f}", f"{number:g}".replace(".", ","))


def _number_patterns(text: str) -> Iterator[str]:
    """Yield the patterns of a number as people write it: rounded a little, ``3.0``, words below a hundred."""
    number = float(text)
    yield from (re.escape(form) for form in number_forms(text) if not form.isalpha())
    if number != int(number):
        rounded = [f"{number:,.{places}f}" for places in (1, 3)]
        near = (one for one in rounded if math.isclose(float(one.replace(",", "")), number, rel_tol=0.01))
        yield from map(re.escape, near)
    else:
        whole = int(number)
        yield from (rf"{form}\.0+" for form in (str(whole), f"{whole:,}"))
        if 0 <= whole < 100:
            yield _word_pattern(whole)


def _word_pattern(whole: int) -> str:
    """Return the pattern of a number below a hundred in words, which is no part of a larger one."""
    ten, one = divmod(whole, 10)
    if whole < len(WORDS):
        pointing = "".join(rf"(?<!\b{word} )" for word in _POINTING) if whole == 1 else ""
        return "".join(rf"(?<!\b{tens} )" for tens in TENS) + pointing + WORDS[whole] + _LARGER
    ones = f"[ -]{WORDS[one]}" if one else rf"(?![ -](?:{'|'.join(ONES)})\b)"
    return TENS[ten - 2] + ones + _LARGER


def _name_forms(text: str) -> Iterator[str]:
    """Yield a text; a name with its last word first too; the name that an address holds; what a word is."""
    yield text
    if re.fullmatch(r"[a-z]{3,}", text):
        yield f"{text}s"
    if re.fullmatch(r"[a-z]+(?:_[a-z]+)+", text):
        yield from (text.replace("_", " "), text.replace("_", "-"))
    if _NAME.fullmatch(text):
        *first, last = text.split()
        yield f"{last}, {' '.join(first)}"
    if address := _ADDRESS.fullmatch(text):
        yield f"{address['first']} {address['last']}"
