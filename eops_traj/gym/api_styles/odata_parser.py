"""Reading OData's filter language: tokens, and a rule of the grammar a method."""

import re
from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import NamedTuple, TypeVar

from eops_traj.gym.api_styles.odata_ast import (
    COMPARISONS,
    CONSTANTS,
    FUNCTIONS,
    WORDS,
    Compare,
    Each,
    Function,
    In,
    Join,
    Literal,
    Node,
    Not,
    ODataError,
    Path,
    Value,
    zoned,
)

T = TypeVar("T")
_DEEPEST = 40
_PARSERS: Mapping[str, Callable[[str], Value]] = {
    "text": lambda text: text[1:-1].replace("''", "'"),
    "time": lambda text: zoned(datetime.fromisoformat(text)),
    "guid": str,
    "number": lambda text: float(text) if re.search("[.eE]", text) else int(text),
    "name": lambda text: CONSTANTS[text.lower()],
}
_TOKEN = re.compile(
    r"""\s*(?:(?P<text>'(?:[^']|'')*')
    | (?P<time>\d{4}-\d\d-\d\d(?:T\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:Z|[+-]\d\d:\d\d)?)?)(?![\w-])
    | (?P<guid>[\da-fA-F]{8}(?:-[\da-fA-F]{4}){3}-[\da-fA-F]{12})(?![\w-])
    | (?P<number>-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?)(?![\w.])
    | (?P<name>[@#$A-Za-z_][\w.@]*)
    | (?P<mark>[(),/:]))""",
    re.VERBOSE | re.ASCII,
)


class Token(NamedTuple):
    """A word of the language: its kind, which is a group of the pattern above, and its position."""

    kind: str
    text: str
    position: int


def parse(text: str) -> Node:
    """Parse a filter into its condition."""
    reader = _Reader(text)
    condition = reader.condition()
    reader.expect("")
    return condition


class _Reader:
    """The tokens of a filter, and the rules by which they make a condition."""

    def __init__(self, text: str) -> None:
        self.text, self.index, self.depth = text, 0, 0
        self.tokens = list(self._tokens())

    def condition(self) -> Node:
        """Parse conditions joined by ``or``, each of conditions joined by ``and``."""
        return self._nested(lambda: self._joined("or", lambda: self._joined("and", self._single)))

    def expect(self, word: str) -> None:
        """Consume this token, which must come next; the end is the empty one."""
        if not self._accept(word):
            raise self._error()

    def _tokens(self) -> Iterator[Token]:
        end = 0
        while match := _TOKEN.match(self.text, end):
            kind, end = match.lastgroup or "", match.end()
            yield Token(kind, match[kind], match.start(kind))
        if rest := self.text[end:].lstrip():
            raise self._error(position=len(self.text) - len(rest))
        yield Token("mark", "", len(self.text))

    @property
    def _next(self) -> Token:
        return self.tokens[self.index]

    def _accept(self, word: str) -> bool:
        """Consume this token if it comes next, and return whether it did."""
        accepted = self._next.kind in ("name", "mark") and self._next.text.lower() == word
        self.index += accepted and bool(word)
        return accepted

    def _name(self) -> str:
        if self._next.kind != "name" or self._next.text.lower() in WORDS:
            raise self._error()
        self.index += 1
        return self.tokens[self.index - 1].text

    def _error(self, what: str = "Syntax error", position: int | None = None) -> ODataError:
        return ODataError(
            f"{what} at position {self._next.position if position is None else position} in '{self.text}'."
        )

    def _nested(self, parse_node: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error("Too deeply nested")
        node = parse_node()
        self.depth -= 1
        return node

    def _joined(self, word: str, part: Callable[[], Node]) -> Node:
        parts = [part()]
        while self._accept(word):
            parts.append(part())
        return Join(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def _single(self) -> Node:
        negated = False
        while self._accept("not"):
            negated = not negated
        if self._accept("("):
            node = self.condition()
            self.expect(")")
        else:
            node = self._comparison()
        return Not(node) if negated else node

    def _comparison(self) -> Node:
        start = self._next.position
        left = self._operand()
        for word in COMPARISONS:
            if self._accept(word):
                return Compare(word, left, self._operand())
        if self._accept("in"):
            self.expect("(")
            return In(left, tuple(self._list(self._constant)))
        if isinstance(left, Literal) and not isinstance(left.value, bool):
            raise self._error("A condition is missing", start)
        return left

    def _operand(self) -> Node:
        if self._next.kind != "name" or self._next.text.lower() in CONSTANTS:
            return self._constant()
        name = self._name()
        return self._function(name) if self._accept("(") else self._path(name)

    def _function(self, name: str) -> Node:
        size = FUNCTIONS.get(name.lower())
        if size is None:
            raise self._error(f"Unknown function '{name}'")
        arguments = tuple(self._list(lambda: self._nested(self._operand)))
        if len(arguments) != size:
            raise self._error(f"'{name}' takes {size} arguments, not {len(arguments)},")
        return Function(name.lower(), arguments)

    def _path(self, name: str) -> Node:
        steps = [name]
        while self._accept("/"):
            for quantifier in ("any", "all"):
                if self._accept(quantifier):
                    return self._each(quantifier, Path(tuple(steps)))
            steps.append(self._name())
        return Path(tuple(steps))

    def _each(self, quantifier: str, items: Path) -> Node:
        self.expect("(")
        if quantifier == "any" and self._accept(")"):
            return Each(quantifier, items)
        variable = self._name()
        self.expect(":")
        condition = self.condition()
        self.expect(")")
        return Each(quantifier, items, variable, condition)

    def _constant(self) -> Literal:
        try:
            value = _PARSERS[self._next.kind](self._next.text)
        except (KeyError, ValueError):
            raise self._error() from None
        self.index += 1
        return Literal(value)

    def _list(self, item: Callable[[], T]) -> list[T]:
        items = [item()]
        while self._accept(","):
            items.append(item())
        self.expect(")")
        return items
