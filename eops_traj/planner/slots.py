"""The values of a request, numbered: ``[name 2]`` stands for its second name, in the prompt and in the plan.

A small planner need not spell what it only passes on. Addresses, quotations, codes, numbers, names and days
are slots, each kind counted by itself; who asks and what day it is come first, from the last paragraph of the
system prompt. Days are resolved: the value of ``Friday next week`` is an ISO date, as tools want it.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Callable, Iterator, Set
from datetime import date
from functools import lru_cache
from typing import Literal, NamedTuple

from eops_traj.planner.spoken_days import MONTHS, WEEKDAYS, spoken_days

Shown = Literal["numbered", "marked"]
"""A slot by its marker alone, ``[name 2]``, or with what the request says: ``[name 2: Jane Park]``."""


class Slot(NamedTuple):
    """A value, and the text that stands for it."""

    kind: str
    marker: str
    value: str

    @property
    def is_part(self) -> bool:
        """Whether it stands for a part of another one, ``[name 2.1]``."""
        return "." in self.marker

    @property
    def is_address_form(self) -> bool:
        """Whether it is a name as addresses write it, ``[name 2.9]``."""
        return self.kind == "name" and self.marker.endswith((f".{DASHED}]", f".{DOTTED}]"))


DASHED, DOTTED = 8, 9
"""The numbers of the parts that are a name as addresses write it: ``jo-park``, ``jo.park``."""


class Mention(NamedTuple):
    """A place in a text where a slot is named."""

    start: int
    end: int
    slot: Slot


class Slots:
    """The slots of a request, in the order in which they are named."""

    def __init__(self, today: date | None, words: Set[str] = frozenset()) -> None:
        """Begin with none; without a day that is today no day is one. ``words`` are known to be no names."""
        self.today, self.words = today, words | _COMMON
        self.by_marker: dict[str, Slot] = {}
        self._known: dict[tuple[str, str], Slot] = {}
        self._counts = Counter[str]()

    @classmethod
    def of(cls, system_prompt: str, request: str) -> "Slots":
        """Find the slots of a request that was made under a system prompt. The same texts share theirs."""
        pages, _, last = system_prompt.strip().rpartition("\n\n")
        find = _slots_of if len(last) + len(request) < _KEPT else _slots_of.__wrapped__
        return find(last, request, _small_words(pages))

    def show(self, text: str, shown: Shown) -> str:
        """Return a text with its slots in the place of what it says there."""
        parts, at = list[str](), 0
        for start, end, slot in self.mentions(text):
            told = slot.marker if shown == "marked" else f"{slot.marker[:-1]}: {text[start:end]}]"
            parts += [text[at:start], told]
            at = end
        return "".join([*parts, text[at:]])

    def mentions(self, text: str) -> list[Mention]:
        """Return where a text names slots. Other values in it are none."""
        found = ((value, self._known.get((value.kind, value.value))) for value in self._values(text))
        return [Mention(value.start, value.end, slot) for value, slot in found if slot]

    def take(self, text: str) -> None:
        """Make the values in a text slots, those aside that are."""
        for found in self._values(text):
            if (found.kind, found.value) not in self._known:
                self._counts[found.kind] += 1
                self._add(Slot(found.kind, f"[{found.kind} {self._counts[found.kind]}]", found.value))

    def _add(self, slot: Slot) -> None:
        """Add a slot, and those of its parts: a name may be called by a word of it later."""
        self.by_marker[slot.marker] = self._known[slot.kind, slot.value] = slot
        for number, value in _parts(slot).items():
            part = Slot(slot.kind, f"{slot.marker[:-1]}.{number}]", value)
            self.by_marker[part.marker] = part
            if slot.kind == "name":
                self._known.setdefault(("name", value), part)

    def _values(self, text: str) -> Iterator["_Value"]:
        """Yield what a text names, from left to right; a day goes before what else begins there."""
        days = spoken_days(text, self.today)[::-1] if self.today else []
        named, at, match = frozenset(_WITHIN_SENTENCE.findall(text)), 0, _VALUE.search(text)
        while match or days:
            while days and days[-1].start < at:
                days.pop()
            if match and match.start() < at:
                match = _VALUE.search(text, at)
            elif days and (match is None or days[-1].start <= match.start()):
                day = days.pop()
                yield _Value(day.start, day.end, "date", day.date.isoformat())
                at = day.end
            elif match:
                until = days[-1].start if days else len(text)
                value, at = _read(text, match, until, self.words, named)
                if value:
                    yield value


class _Value(NamedTuple):
    """A value in a text: from where to where, and as a plan would have it."""

    start: int
    end: int
    kind: str
    value: str


_KEPT = 20_000
"""The characters up to which the slots of a request are kept for when it is asked for again."""


@lru_cache(maxsize=4096)
def _slots_of(last: str, request: str, words: frozenset[str]) -> Slots:
    slots = Slots(_today(last), words | _small_words(f"{last} {request}"))
    slots.take(last)
    slots.take(request)
    return slots


@lru_cache(maxsize=64)
def _small_words(text: str) -> frozenset[str]:
    return frozenset(_SMALL_WORD.findall(text))


def _today(paragraph: str) -> date | None:
    """Return the day that a paragraph says it is: the first that it writes out with its year."""
    days = spoken_days(paragraph, date(1, 1, 1))
    return next((day.date for day in days if day.date.year > 1), None)


def _parts(slot: Slot) -> dict[int, str]:
    """Return the parts of a slot, by their numbers.

    They are the words of a name, and the name as addresses write it; whom an address is of; a day as it is
    told to people, as rules of series write it and as searches for mail do; the digits of a number as a text;
    and of a quotation with gaps, ``Cases: N`` or ``Cases: ...``, what stands around them.
    """
    parts = dict(enumerate(_READ_PARTS.get(slot.kind, _no_parts)(slot.value), 1))
    return parts | _address_forms(slot.value) if slot.kind == "name" else parts


def _no_parts(value: str) -> list[str]:
    return []


def _parts_of_name(value: str) -> list[str]:
    words = value.split()
    return words if 1 < len(words) < DASHED else []


def _address_forms(value: str) -> dict[int, str]:
    """Return a name as addresses write it: with dashes, and one of several words with points."""
    words = unicodedata.normalize("NFKD", value).encode("ascii", "ignore").decode().lower().split()
    if len(words) >= DASHED:
        return {}
    return {DASHED: "-".join(words)} | ({DOTTED: ".".join(words)} if len(words) > 1 else {})


def _parts_of_address(value: str) -> list[str]:
    """Return whom an address is of, where it says so: ``jo.park@`` is Jo Park's."""
    names = _OF_PERSON.match(value)
    return [f"{names[1]} {names[2]}".title()] if names else []


def _parts_of_day(value: str) -> list[str]:
    day = date.fromisoformat(value)
    spoken = f"{day.day} {MONTHS[day.month - 1].capitalize()}"
    return [f"{WEEKDAYS[day.weekday()].capitalize()} {spoken}", spoken, f"{day:%Y%m%d}", f"{day:%Y/%m/%d}"]


def _parts_of_text(value: str) -> list[str]:
    """Return what stands around gaps; of a text without any, what it is about: the words before a colon."""
    around = _GAP.split(value)
    about, colon, _ = value.partition(": ")
    if len(around) == 1:
        return [about] if colon and " " in about else []
    return [part for part in around if len(part) > 1] if len(around) < 10 else []


_READ_PARTS: dict[str, Callable[[str], list[str]]] = {
    "name": _parts_of_name,
    "address": _parts_of_address,
    "date": _parts_of_day,
    "number": lambda value: [value],
    "text": _parts_of_text,
}


def _read(
    text: str, match: re.Match[str], until: int, words: Set[str], named: Set[str]
) -> tuple[_Value | None, int]:
    """Read what a match found, if it is a value, and tell where to go on. No name reaches into a day."""
    kind = match.lastgroup or ""
    start, end = match.span(kind)
    if kind == "name":
        whole = match if end <= until else _VALUE.match(text, start, until)
        name = _read_name(text, *whole.span(), words, named) if whole else None
        return name, name.end if name else start + len(_first_word(text[start:end]))
    value = _READ.get(kind, str)(match[kind])
    return _Value(start, end, _CALLED.get(kind, kind), value), match.end()


def _first_word(text: str) -> str:
    return text.partition(" ")[0]


def _clock(spoken: str) -> str:
    """Return a time of day as hours and minutes: ``2 pm`` is ``14:00``."""
    hour, _, minutes = re.sub(r"[^\d:]", "", spoken).partition(":")
    half = re.search(r"([ap])\.?m", spoken, re.IGNORECASE)
    hours = int(hour) % 12 + 12 * (half[1] in "pP") if half else int(hour)
    return f"{hours:02d}:{minutes[:2] or '00'}"


def _digits(spoken: str) -> str:
    """Return a number that is told digit by digit: ``seven-four-one`` is ``741``."""
    return "".join(str(_DIGITS.index(word)) for word in re.split(r"[ -]", spoken.lower()))


def _read_name(text: str, start: int, end: int, words: Set[str], named: Set[str]) -> _Value | None:
    """Read a name; None where its first word begins a sentence and is one of these words.

    A single word there is no name either, unless it is one of those ``named`` within a sentence. What ends
    like a file is one, even with a word that a policy uses.
    """
    first = _first_word(text[start:end])
    if _FILE.fullmatch(text, start, end):
        words, named = _COMMON, {first}
    unnamed = len(first) == end - start and first not in named
    if (unnamed or first.lower() in words) and _begins_sentence(text, start):
        return None
    if parts := _TWO_NAMES.match(text, start, end):
        end = parts.end(parts.lastgroup or "first")
    if whose := _WHOSE.search(text, start, end):
        end = whose.start()
    name = text[start:end]
    return None if _NO_NAME.fullmatch(name) else _Value(start, end, "name", name)


def _begins_sentence(text: str, start: int) -> bool:
    before = text[max(0, start - _MARGIN) : start].rstrip(" \t(-*•>\"'")
    return not before or before[-1] in ".!?:\n"


_FIRST = r"[A-ZÀ-Þ](?:[\wÀ-ÿ'&/-]*[\wÀ-ÿ])?"
_WORD = rf"{_FIRST}|\d{{4}}-\d\d(?!-)|v?\d+(?:\.\d+)*"
_JOINED = r"(?:(?:of|and|for|the|de|van|von|&) )?"
_NOT_NAMED = r"(?!I\b|[A-Z]+-\d)"
"""Neither who asks nor a code goes on with a name."""
_ENDING = r"(?:\.[a-z][a-z\d]{1,3}(?![\w@]|\.\w)| \((?:draft|old|copy|final)\))"
"""What ends the name of a file."""
_FILE = re.compile(rf".*{_ENDING}")
_OF_PERSON = re.compile(r"([a-zà-ÿ-]+)\.([a-zà-ÿ-]+)@")
_GAP = re.compile(r"(?<![\w'’.-])[B-HJ-Z](?![\w'’-]|\.\w)|\.\.\.")
"""A letter or points that stand for what is to be filled in."""
_DIGITS = ("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine")
_DIGIT = rf"(?i:{'|'.join(_DIGITS)})"
_VALUE = re.compile(
    r"(?P<bracket>\[[a-z]+ \d+(?:\.\d)?\])"  # a text of that form is a value as any other
    r"|(?P<stamp>\b[A-Z][a-z]{2}, \d{1,2} [A-Z][a-z]{2} \d{4} \d\d:\d\d(?::\d\d)? [+-]\d{4}(?!\d))"
    r"|[\"“«](?P<text>[^\"“”«»]{1,600})[\"”»]"
    r"|(?<!\w)['‘](?P<quoted>\S(?:[^\n]{0,400}?[^\s])??)['’](?!\w)"
    r"|(?P<link>\bhttps?://[^\s<>\"']*[\w/])"
    r"|(?P<address>(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+)"
    r"|(?P<domain>(?<![\w@.+/-])(?=[\w-]*[a-z])[a-z\d][a-z\d-]*(?:\.[a-z\d-]+)*\.[a-z]{3,}(?![\w@-]|\.\w))"
    rf"|(?P<digits>(?<![\w-]){_DIGIT}(?:[ -]{_DIGIT}){{2,9}}(?![\w-]))"
    r"|(?P<phone>\+\d[\d -]{6,}\d)"
    r"|(?P<time>(?<![\w:.-])[0-2]?\d:[0-5]\d(?::\d\d)?(?![\w:])(?:\s?[ap]\.?m\b)?|(?<![\w.])1?\d\s?[ap]m\b)"
    r"|(?P<code>(?<![\w.-])(?=[\w-]*[A-Za-z_-])(?=[\w-]*\d)\w+(?:-\w+)*(?!\w))"
    r"|(?P<number>(?<![\w.,:/-])\d{1,15}(?:\.\d{1,15})?(?![\w:/-]|\.\d|,\d))"
    rf"|(?P<name>(?<![\w@]){_FIRST}(?: {_JOINED}{_NOT_NAMED}(?:{_WORD})(?!\w)){{0,11}}{_ENDING}?)"
)  # fmt: skip
_CALLED = {"quoted": "text", "domain": "link", "digits": "code"}
"""Of what kind a slot is where a group of the pattern has another name."""
_READ = {"address": str.lower, "time": _clock, "digits": _digits}
"""How values are read that a plan has in another form."""
_WITHIN_SENTENCE = re.compile(rf"(?<=[\w,;] ){_FIRST}(?!\w)")
_MARGIN = 40
"""The characters before a word in which the end of the sentence before it is looked for."""
_TWO_NAMES = re.compile(
    r"(?P<first>\S+(?: (?!and|of|for)\S+)+) (?:and|of|for) \S+ \S|(?P<place>\S+) of \S+ \S"
)
"""Two people, or who or what is of what team; and not ``Identity and Sign-on`` or ``Hall of Guilds``."""
_WHOSE = re.compile(r"(?<=\w)['’]s$")
_NO_NAME = re.compile(
    rf"(?i:(?:(?:{'|'.join(MONTHS)})(?: \d{{4}})?|{'|'.join(WEEKDAYS)}|i|ok|hi|hello|dear|mr|mrs|ms)"
    r"(?:['’]\w+)?)|[A-Z]{2,4}s?"
)
_SMALL_WORD = re.compile(r"(?<![\w'.@-])[a-z]{2,}(?![\w'@-]|\.\w)")
_COMMON = frozenset(
    word
    for line in (
        "a about add after again all also although among an and any anybody anyone as ask at be because",
        "before behind below beside between both but by can check copy could did do does each either every",
        "everybody everyone export find first for from further get give given had has have he hello her",
        "here hi his how i if in instead into is it its just last leave let make mark may me might more most",
        "move much my neither no nobody none not nothing now of on once one only open or other our out over",
        "please put remove rename see set share she should since so some take tell than that the their then",
        "there these they this those",
        "though through to two under until up use was we were what when where whether which while who",
        "whoever whose why will with within without would yes you your",
    )
    for word in line.split()
)
"""Words that begin sentences and no names, besides those that a policy uses."""
