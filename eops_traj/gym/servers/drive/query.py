"""The language of ``q``, as text and as a tree.

    name contains 'plan' and not (trashed = true or modifiedTime < '2025-06-01T00:00:00')
    'anna@corvane.example' in writers and properties has { key='stage' and value='final' }

``and`` binds tighter than ``or``, ``not`` tighter than both. Strings stand in single or double quotes, and a
backslash in them takes a quote or a backslash for itself. `parse` reads a query, `render` writes one;
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
    """The tree of a query, or a `QuerySyntaxError`."""
    return _Parser(text).whole()


def render(node: Node) -> str:
    """The query of a tree; parsed, it gives the tree again."""
    if isinstance(node, Comparison):
        return f"{node.field} {node.operator} {_literal(node.value)}"
    if isinstance(node, Membership):
        return f"{_literal(node.value)} in {node.collection}"
    if isinstance(node, Has):
        return f"{node.field} has {{ key={_literal(node.key)} and value={_literal(node.value)} }}"
    if isinstance(node, Not):
        return f"not {_inner(node.term)}"
    return f" {node.word} ".join(map(_inner, node.terms))


def _inner(node: Node) -> str:
    return f"({render(node)})" if isinstance(node, Joined) else render(node)


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value).lower()


class _Parser:
    """Reads a query from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text.rstrip()))
        self.place = self.depth = self.terms = 0

    def whole(self) -> Node:
        node = self.joined("or")
        if self.place < len(self.tokens):
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
        if self.place == len(self.tokens):
            self.fail()
        self.place += 1
        return self.tokens[self.place - 1]

    def take(self, wanted: str) -> bool:
        """Whether the next token is this one; if so it is read."""
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        found = kind != "text" and text.lower() == wanted
        self.place += found
        return found

    def expect(self, wanted: str) -> None:
        if not self.take(wanted):
            self.fail()

    def fail(self) -> NoReturn:
        raise QuerySyntaxError(f"unexpected token {self.place}")


def _tokens(text: str) -> list[tuple[str, str]]:
    found, place = [], 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token is None or token.lastgroup is None:
            raise QuerySyntaxError(f"cannot read {text[place : place + 20]!r}")
        found.append((token.lastgroup, token[token.lastgroup]))
        place = token.end()
    return found


def _unquoted(text: str) -> str:
    return re.sub(r"\\(['\"\\])", r"\1", text[1:-1])
