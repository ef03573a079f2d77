"""The language of ``q``, as text and as a tree.

    from:amy (subject:dinner OR subject:movie) -label:done has:attachment newer_than:7d "board meeting"
    {from:amy from:david} larger:2M subject:(quarterly report)

Terms one after the other must all hold. ``OR`` joins its neighbours and binds tighter, braces hold
alternatives, a minus excludes what follows it; quotes keep a phrase together. `parse` reads a query,
`eops_traj.gym.servers.email.search` gives it a meaning.
"""

import re
from dataclasses import dataclass
from typing import Final, NoReturn

FIELDS: Final = frozenset({
    "from", "to", "cc", "bcc", "deliveredto", "subject", "label", "category", "in", "is", "has", "filename",
    "before", "after", "older", "newer", "older_than", "newer_than", "larger", "smaller", "size",
    "rfc822msgid", "list",
})  # fmt: skip
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>"[^"]*")|(?P<sign>[(){}|])|(?P<minus>-)(?=\S)|(?P<field>[A-Za-z_0-9]+):|(?P<word>[^\s(){}"|]+))"""
)
_FIELD = re.compile(rf"(?:{'|'.join(sorted(FIELDS))}):", re.IGNORECASE)
_DEEPEST, _MOST_TERMS = 30, 100
_CLOSING: Final = {"(": ")", "{": "}"}


class QuerySyntaxError(ValueError):
    """A query that does not parse, or whose values make no sense."""


@dataclass(frozen=True)
class Term:
    """``field:value``; a word or phrase on its own has no field."""

    field: str
    value: str


@dataclass(frozen=True)
class Not:
    """``-term``."""

    term: "Node"


@dataclass(frozen=True)
class Joined:
    """Two terms or more of which all must hold (``and``) or one (``or``)."""

    word: str
    terms: tuple["Node", ...]


Node = Term | Not | Joined


def parse(text: str) -> Node:
    """Parse a query into its tree; raise `QuerySyntaxError` where it cannot be read."""
    return _Parser(text).whole()


class _Parser:
    """Reads a query from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text.strip()))
        self.position = self.depth = self.terms = 0

    def whole(self) -> Node:
        node = self.all_of("")
        if self.position < len(self.tokens):
            self.fail()
        return node

    def all_of(self, field: str) -> Node:
        """Parse terms up to a closing sign: what stands between two ORs is one alternative."""
        terms = [self.any_of(field)]
        while self.peek() not in ("", ")", "}"):
            self.take("AND")
            terms.append(self.any_of(field))
        return _joined("and", terms)

    def any_of(self, field: str) -> Node:
        terms = [self.term(field)]
        while self.take("OR") or self.take("|"):
            terms.append(self.term(field))
        return _joined("or", terms)

    def braces(self, field: str) -> Node:
        terms = [self.any_of(field)]
        while self.peek() not in ("", "}"):
            terms.append(self.any_of(field))
        return _joined("or", terms)

    def term(self, field: str) -> Node:
        self.depth += 1
        self.terms += 1
        if self.depth > _DEEPEST or self.terms > _MOST_TERMS:
            self.fail()
        kind, text = self.next()
        if kind == "minus":
            node: Node = Not(self.term(field))
        elif text in _CLOSING and kind == "sign":
            node = self.group(text, field)
        elif kind == "field" and not field:
            node = self.term(text.lower())
        elif kind in ("text", "word") and (kind, text) not in (("word", "OR"), ("word", "AND")) and text:
            node = Term(field, text)
        else:
            self.fail()
        self.depth -= 1
        return node

    def group(self, opening: str, field: str) -> Node:
        node = self.all_of(field) if opening == "(" else self.braces(field)
        if not self.take(_CLOSING[opening]):
            self.fail()
        return node

    def next(self) -> tuple[str, str]:
        if self.position == len(self.tokens):
            self.fail()
        self.position += 1
        return self.tokens[self.position - 1]

    def peek(self) -> str:
        """Return the next token, unless it is a quoted text; empty at the end."""
        kind, text = self.tokens[self.position] if self.position < len(self.tokens) else ("", "")
        return text if kind != "text" else "text"

    def take(self, expected: str) -> bool:
        """Read the next token if it is this one, and return whether it was."""
        kind, text = self.tokens[self.position] if self.position < len(self.tokens) else ("", "")
        matches = kind in ("sign", "word") and text == expected
        self.position += matches
        return matches

    def fail(self) -> NoReturn:
        raise QuerySyntaxError(f"unexpected token {self.position}")


def _joined(word: str, terms: list[Node]) -> Node:
    return Joined(word, tuple(terms)) if len(terms) > 1 else terms[0]


def _tokens(text: str) -> list[tuple[str, str]]:
    """Return kinds and texts. What only looks like a field, such as a time or a link, is a word."""
    tokens, position = [], 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token and token.lastgroup == "field" and not _FIELD.fullmatch(token["field"] + ":"):
            token = re.compile(r"\s*(?P<word>[^\s(){}\"|]+)").match(text, position)
        if token is None or token.lastgroup is None:
            raise QuerySyntaxError(f"cannot read {text[position : position + 20]!r}")
        kind = token.lastgroup
        tokens.append((kind, token[kind].strip('"').strip() if kind == "text" else token[kind]))
        position = token.end()
    return tokens
