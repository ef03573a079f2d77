"""The facts of a request: what another wording has to tell as well, and what it may not tell besides.

They are found in the text itself (quotations, addresses, codes, figures, names), in the plan (each value that
the request told) and in the databases (each name of a record that the request says).
"""

import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eops_traj.plan import Plan, Text
from eops_traj.plan.ast import Condition, FieldTest, Function, Match, Measure, Ref, Require, Step
from eops_traj.taskgen.reword.spoken import Figures
from eops_traj.verify import value_forms
from eops_traj.verify.quotations import QUOTED, quotations
from eops_traj.verify.value_forms import normalize

_ADDRESS = re.compile(r"(?<![\w.+-])[\w.+-]+@[\w-]+(?:\.[\w-]+)+|https?://[^\s<>\"']+[\w/]")
_CODE = re.compile(r"(?<![\w@.-])(?=[\w./#-]*[A-Za-z])(?=[\w./#-]*\d)\w[\w./#-]*\w(?![\w@])")
_NAME = re.compile(
    r"[A-Z\u00c0-\u00de][\w'\u2019&-]*"
    r"(?: (?:(?:of|de|van|von|der|la|&) )?[A-Z\u00c0-\u00de0-9][\w'\u2019&.-]*\w)*"
)
_STARTS = re.compile(r"(?:\A|[.!?:;\n]|[\"'\u201c\u2018(\u2013\u2014-]|(?:\A|\n)[\w ]{2,24},)\Z")
"""What goes before a sentence, a greeting included."""
_NO_NAMES_WORDS = """
    i monday tuesday wednesday thursday friday saturday sunday january february march april may june
    july august september october november december hi hello hey dear thanks thank regards best
    cheers many kind sincerely good morning afternoon evening team all ok fyi asap ps utc once and
    then also please
"""
_NO_NAMES = frozenset(_NO_NAMES_WORDS.split())
_PLAIN = re.compile(
    r"[\W_]*(?:true|false|null|me|primary|default|id|name|all|group|user|text|html|to|from|subject|cc|bcc|\d?)[\W_]*",
    re.IGNORECASE,
)


@dataclass(frozen=True)
class Facts:
    """A request, with the plan's values and the names of records that it says."""

    request: str
    values: tuple[str, ...] = ()
    names: tuple[str, ...] = ()
    own_name: str = ""
    """The first name of the one who asks: a signature may go."""

    @cached_property
    def exact(self) -> tuple[str, ...]:
        """What has to stand there word for word: quotations, addresses, codes, the plan's own texts."""
        texts = [
            *quotations(self.request),
            *_ADDRESS.findall(self.request),
            *codes(self.request),
            *self.values,
        ]
        return tuple(dict.fromkeys(texts))

    @cached_property
    def named(self) -> tuple[str, ...]:
        """Who and what is named, apart from what has to stand there anyway."""
        found = [name for name in (*self.names, *names(self.request)) if name != self.own_name]
        longest_first = sorted(dict.fromkeys(found), key=len, reverse=True)
        kept: list[str] = []
        for name in longest_first:
            if not any(_stands(name, longer) for longer in (*kept, *self.exact)):
                kept.append(name)
        return tuple(sorted(kept, key=self.request.find))

    @cached_property
    def figures(self) -> Figures:
        """Its dates, times and numbers, those inside quotations and codes aside."""
        return figures(self.request)

    def apart(self, text: str) -> str:
        """Return a text without the facts that stay word for word."""
        for fact in sorted((*self.exact, *self.named), key=len, reverse=True):
            text = text.replace(fact, ";")
        return text

    def lost(self, text: str) -> str | None:
        """Return the first fact that another wording does not tell; None where it tells all."""
        said, rest = value_forms.Text(text), normalize(text)
        for quoted in sorted({*quotations(self.request)}, key=len, reverse=True):
            if normalize(quoted) not in rest:
                return quoted
            rest = rest.replace(normalize(quoted), " ; ")  # one within another is a fact of its own
        for exact in self.exact:
            if normalize(exact) not in normalize(text):
                return exact
        for name in self.named:
            if not said.says(name) and normalize(name) not in normalize(text):
                return name
        missing: list[str] = self.figures.without(figures(text))
        return missing[0] if missing else None

    def added(self, text: str) -> str | None:
        """Return the first fact that another wording tells and the request does not."""
        known = normalize(self.request)
        for exact in (*quotations(text), *_ADDRESS.findall(text), *codes(text)):
            if normalize(exact) not in known:
                return str(exact)
        for name in names(text):
            words = name.split()
            if name != self.own_name and not all(_stands(word, self.request) for word in words):
                return name
        more = figures(text).without(self.figures)
        return more[0] if more else None


def codes(text: str) -> list[str]:
    """Return what is made of letters and digits, such as ``CS-0001154``, clock times and ordinals aside."""
    found = _CODE.findall(_ADDRESS.sub(" ", text))
    return [
        code for code in found if not re.fullmatch(r"\d+(?:st|nd|rd|th|am|pm|h|min)|\d{4}-\d\d-\d\dT.*", code)
    ]


def figures(text: str) -> Figures:
    """Read the figures of a text outside its quotations, addresses and codes."""
    for pattern in (QUOTED, _ADDRESS):
        text = pattern.sub(" ; ", text)
    for code in codes(text):
        text = text.replace(code, " ; ")
    return Figures.of(text)


def names(text: str) -> list[str]:
    """Return what is written with capitals, as names are; the first word of a sentence may be none."""
    found = []
    text = _ADDRESS.sub(" ", QUOTED.sub(" ; ", text))
    for match in _NAME.finditer(text):
        words = match[0].split()
        if _STARTS.search(text[: match.start()].rstrip(" \t")):
            words.pop(0)
        while words and words[0].lower().strip(",.'") in _NO_NAMES:
            words.pop(0)
        found.append(" ".join(words))
    known = codes(text)
    return [name for name in found if len(name) > 2 and name not in known]


def told_values(plan: Plan, request: str) -> tuple[str, ...]:
    """Return the texts of a plan that the request says word for word."""
    known = normalize(request)
    found = [value.replace("_", " ") for value in literals(plan.steps) if not _PLAIN.fullmatch(value)]
    return tuple(
        dict.fromkeys(value for value in found if _stands(value, request) and normalize(value) in known)
    )


def literals(value: Any) -> Iterator[str]:
    """Yield the texts that stand in steps, conditions, tests and values."""
    match value:
        case str():
            yield value
        case Step(arguments=inner, rows=rows, condition=condition):
            yield from literals([inner, rows, condition])
        case Require(condition=inner) | Measure(of=inner) | Function(arguments=inner):
            yield from literals(inner)
        case Text(parts=parts):
            yield from (part.strip() for part in parts if isinstance(part, str) and " " in part.strip())
        case Ref(path=path):
            yield from literals([part for part in path if isinstance(part, Match)])
        case Match(tests=inner) | FieldTest(value=inner):
            yield from literals(inner)
        case Condition(left=left, right=right):
            yield from literals([left, right])
        case dict():
            yield from literals(list(value.values()))
        case list() | tuple():
            for one in value:
                yield from literals(one)


def said_names(values: Iterable[str], text: str) -> tuple[str, ...]:
    """Return those of a world's names that a text says, letter for letter and not within a longer word."""
    said = dict.fromkeys(value for value in values if value in text and _stands(value, text))
    return tuple(name for name in said if name.lower() not in _NO_NAMES and not _is_figure(name))


def _is_figure(name: str) -> bool:
    """Check whether a name is a date, a time or a number and no more, which may be written otherwise."""
    rest = name.lower()
    for written in figures(name).written.values():
        rest = rest.replace(written, "")
    return re.search(r"\w", rest) is None


def _stands(part: str, text: str) -> bool:
    """Check whether a part stands in a text with no letter or digit at its sides."""
    return re.search(rf"(?<!\w){re.escape(normalize(part))}(?!\w)", normalize(text)) is not None
