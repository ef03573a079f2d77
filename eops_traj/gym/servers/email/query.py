"""The language of ``q``, as text and as a tree.

    from:amy (subject:dinner OR subject:movie) -label:done has:attachment newer_than:7d "board meeting"
    {from:amy from:david} larger:2M subject:(quarterly report)

Terms one after the other must all hold. ``OR`` joins its neighbours and binds tighter, braces hold
alternatives, a minus excludes what follows it; quotes keep a phrase together. `parse` reads a query, `render`
writes one; `eops_traj.gym.servers.email.search` gives it a meaning.
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
_PLAIN = re.compile(r"[A-Za-z0-9@._/][A-Za-z0-9@._/+-]*", re.ASCII)
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
    """The tree of a query, or a `QuerySyntaxError`."""
    return _Parser(text).whole()


def render(node: Node) -> str:
    """The query of a tree; parsed, it gives the tree again."""
    if isinstance(node, Term):
        return f"{node.field}:{_value(node.value)}" if node.field else _value(node.value)
    if isinstance(node, Not):
        return f"-{_inner(node.term)}"
    if node.word == "or":
        return "{" + " ".join(map(_inner, node.terms)) + "}"
    return " ".join(map(_inner, node.terms))


def _inner(node: Node) -> str:
    return f"({render(node)})" if isinstance(node, Joined) and node.word == "and" else render(node)


def _value(value: str) -> str:
    return value if _PLAIN.fullmatch(value) and value not in ("OR", "AND") else f'"{value}"'


class _Parser:
    """Reads a query from left to right, one token ahead."""

    def __init__(self, text: str) -> None:
        self.tokens = list(_tokens(text.strip()))
        self.place = self.depth = self.terms = 0

    def whole(self) -> Node:
        node = self.all_of("")
        if self.place < len(self.tokens):
            self.fail()
        return node

    def all_of(self, field: str) -> Node:
        """Terms up to a closing sign: what stands between two ORs is one alternative."""
        found = [self.any_of(field)]
        while self.peek() not in ("", ")", "}"):
            self.take("AND")
            found.append(self.any_of(field))
        return _joined("and", found)

    def any_of(self, field: str) -> Node:
        found = [self.term(field)]
        while self.take("OR") or self.take("|"):
            found.append(self.term(field))
        return _joined("or", found)

    def braces(self, field: str) -> Node:
        found = [self.any_of(field)]
        while self.peek() not in ("", "}"):
            found.append(self.any_of(field))
        return _joined("or", found)

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
        if self.place == len(self.tokens):
            self.fail()
        self.place += 1
        return self.tokens[self.place - 1]

    def peek(self) -> str:
        """The next token, unless it is a quoted text; empty at the end."""
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        return text if kind != "text" else "text"

    def take(self, wanted: str) -> bool:
        """Whether the next token is this one; if so it is read."""
        kind, text = self.tokens[self.place] if self.place < len(self.tokens) else ("", "")
        found = kind in ("sign", "word") and text == wanted
        self.place += found
        return found

    def fail(self) -> NoReturn:
        raise QuerySyntaxError(f"unexpected token {self.place}")


def _joined(word: str, terms: list[Node]) -> Node:
    return Joined(word, tuple(terms)) if len(terms) > 1 else terms[0]


def _tokens(text: str) -> list[tuple[str, str]]:
    """Kinds and texts. What only looks like a field, such as a time or a link, is a word."""
    found, place = [], 0
    while place < len(text):
        token = _TOKEN.match(text, place)
        if token and token.lastgroup == "field" and not _FIELD.fullmatch(token["field"] + ":"):
            token = re.compile(r"\s*(?P<word>[^\s(){}\"|]+)").match(text, place)
        if token is None or token.lastgroup is None:
            raise QuerySyntaxError(f"cannot read {text[place : place + 20]!r}")
        kind = token.lastgroup
        found.append((kind, token[kind].strip('"').strip() if kind == "text" else token[kind]))
        place = token.end()
    return found
