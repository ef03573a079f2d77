"""What ``q`` finds: words that an event must have, and words that it must not have.

``budget "board room" -draft`` is for events with *budget* and *board room* somewhere, and *draft* nowhere.
Case does not matter. A phrase stands in quotation marks; a backslash in it takes the next character as it is.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass

from eops_traj.gym.api_styles.google import error

_TERM = re.compile(r'\s*(-?)(?:"((?:[^"\\]|\\.)*)"|([^\s"]+))(?=\s|$)', re.DOTALL)


@dataclass(frozen=True)
class Term:
    """A word or phrase, and whether it must be missing."""

    words: str
    excluded: bool = False

    def __str__(self) -> str:
        quoted = re.sub(r'(["\\])', r"\\\1", self.words)
        return f'{"-" * self.excluded}"{quoted}"'


def parse(query: str) -> list[Term]:
    """The terms of a query; one that cannot be read is refused."""
    terms, at = [], 0
    query = query.rstrip()
    while at < len(query):
        found = _TERM.match(query, at)
        if not found:
            raise error("INVALID_ARGUMENT", f"Invalid value for q: cannot read {query[at:].strip()!r}")
        excluded, phrase, word = found.groups()
        words = word if phrase is None else re.sub(r"\\(.)", r"\1", phrase, flags=re.DOTALL)
        terms.append(Term(words, bool(excluded)))
        at = found.end()
    return terms


def matches(terms: Iterable[Term], fields: Iterable[str | None]) -> bool:
    """Whether these fields, taken together, have every term that they must and none that they must not."""
    text = "\n".join(field for field in fields if field).casefold()
    return all((term.words.casefold() in text) != term.excluded for term in terms)
