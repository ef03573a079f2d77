"""The language of ``q``, as text and as a tree.

    name contains 'plan' and not (trashed = true or modifiedTime < '2025-06-01T00:00:00')
    'anna@corvane.example' in writers and properties has { key='stage' and value='final' }

``and`` binds tighter than ``or``, ``not`` tighter than both. Strings stand in single or double quotes, and a
backslash in them takes a quote or a backslash for itself. `parse` reads a query,
`eops_traj.gym.servers.drive.search` gives it a meaning.
"""

import re
from dataclasses import dataclass
from typing import NoReturn

_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^'\\]|\\.)*'|"(?:[^"\\]|\\.)*")|(?P<sign><=|>=|!=|[=<>(){}])|(?P<word>[\w.+-]+))""",
    re.DOTALL,
)
_SIGNS = ("<=", ">=", "!=", "=", "<", ">")
RESERVED = ("and", "or", "not", "in", "has", "contains", "true", "false")
_DEEPEST, _MOST_TERMS = 40, 100

Value = str | bool | int


class QuerySyntaxError(ValueError):
    """A query that does not parse."""


@dataclass(frozen=True)
class Comparison:
    """``field operator value``; a field alone stands for ``field = true``."""

    field: str
    operator: str
    value: Value


@dataclass(frozen=True)
class Membership:
    """``'value' in collection``."""

    value: str
    collection: str


@dataclass(frozen=True)
class Has:
    """``field has { key='key' and value='value' }``."""

    field: str
    key: str
    value: str


@dataclass(frozen=True)
class Not:
    """``not term``."""

    term: "Node"


@dataclass(frozen=True)
class Joined:
    """Two terms or more between which stands the same word: ``and`` or ``or``."""

    word: str
    terms: tuple["Node", ...]


Node = Comparison | Membership | Has | Not | Joined


def parse(text: str) -> Node:
    """Parse a query into its tree; raise `QuerySyntaxError` where it cannot be read."""
    return _Parser(text).whole()


class _Parser:
    """Reads a query from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text.rstrip()))
        self.position = self.depth = self.terms = 0

    def whole(self) -> Node:
        node = self.joined("or")
        if self.position < len(self.tokens):
            self.fail()
        return node

    def joined(self, word: str) -> Node:
        terms = [self.operand(word)]
        while self.take(word):
            terms.append(self.operand(word))
        return Joined(word, tuple(terms)) if len(terms) > 1 else terms[0]

    def operand(self, word: str) -> Node:
        return self.joined("and") if word == "or" else self.term()

    def term(self) -> Node:
        self.depth += 1
        self.terms += 1
        if self.depth > _DEEPEST or self.terms > _MOST_TERMS:
            self.fail()
        if self.take("not"):
            node: Node = Not(self.term())
        elif self.take("("):
            node = self.joined("or")
            self.expect(")")
        else:
            node = self.atom()
        self.depth -= 1
        return node

    def atom(self) -> Node:
        kind, text = self.next()
        if kind == "text":
            self.expect("in")
            return Membership(_unquoted(text), self.word())
        if kind != "word" or text.lower() in RESERVED or not re.fullmatch(r"[A-Za-z][\w.]*", text):
            self.fail()
        if self.take("has"):
            return self.pair(text)
        for operator in (*_SIGNS, "contains"):
            if self.take(operator):
                return Comparison(text, operator, self.value())
        return Comparison(text, "=", True)

    def pair(self, field: str) -> Has:
        texts = []
        for part in ("{", "key", "=", "", "and", "value", "=", "", "}"):
            if part:
                self.expect(part)
            else:
                texts.append(self.text())
        return Has(field, *texts)

    def value(self) -> Value:
        kind, text = self.next()
        if kind == "text":
            return _unquoted(text)
        if text.lower() in ("true", "false"):
            return text.lower() == "true"
        if not re.fullmatch(r"[+-]?\d{1,18}", text, re.ASCII):
            self.fail()
        return int(text)

    def text(self) -> str:
        kind, text = self.next()
        return _unquoted(text) if kind == "text" else self.fail()

    def word(self) -> str:
        kind, text = self.next()
        return text if kind == "word" else self.fail()

    def next(self) -> tuple[str, str]:
        if self.position == len(self.tokens):
            self.fail()
        self.position += 1
        return self.tokens[self.position - 1]

    def take(self, expected: str) -> bool:
        """Read the next token if it is this one, and return whether it was."""
        kind, text = self.tokens[self.position] if self.position < len(self.tokens) else ("", "")
        matches = kind != "text" and text.lower() == expected
        self.position += matches
        return matches

    def expect(self, expected: str) -> None:
        if not self.take(expected):
            self.fail()

    def fail(self) -> NoReturn:
        raise QuerySyntaxError(f"unexpected token {self.position}")


def _tokens(text: str) -> list[tuple[str, str]]:
    tokens, position = [], 0
    while position < len(text):
        token = _TOKEN.match(text, position)
        if token is None or token.lastgroup is None:
            raise QuerySyntaxError(f"cannot read {text[position : position + 20]!r}")
        tokens.append((token.lastgroup, token[token.lastgroup]))
        position = token.end()
    return tokens


def _unquoted(text: str) -> str:
    return re.sub(r"\\(['\"\\])", r"\1", text[1:-1])
