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
_READ: Mapping[str, Callable[[str], Value]] = {
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
    """A word of the language: its kind, which is a group of the pattern above, and where it stands."""

    kind: str
    text: str
    at: int


def parse(text: str) -> Node:
    """The condition that a filter says."""
    reader = _Reader(text)
    condition = reader.condition()
    reader.need("")
    return condition


class _Reader:
    """The tokens of a filter, and the rules by which they make a condition."""

    def __init__(self, text: str) -> None:
        self.text, self.place, self.depth = text, 0, 0
        self.tokens = list(self._tokens())

    def condition(self) -> Node:
        """Conditions joined by ``or``, each of conditions joined by ``and``."""
        return self._nested(lambda: self._joined("or", lambda: self._joined("and", self._single)))

    def need(self, word: str) -> None:
        """Go past this token, which must come next; the end is the empty one."""
        if not self._takes(word):
            raise self._error()

    def _tokens(self) -> Iterator[Token]:
        end = 0
        while found := _TOKEN.match(self.text, end):
            kind, end = found.lastgroup or "", found.end()
            yield Token(kind, found[kind], found.start(kind))
        if rest := self.text[end:].lstrip():
            raise self._error(at=len(self.text) - len(rest))
        yield Token("mark", "", len(self.text))

    @property
    def _next(self) -> Token:
        return self.tokens[self.place]

    def _takes(self, word: str) -> bool:
        """Whether this token comes next; then it is behind us."""
        taken = self._next.kind in ("name", "mark") and self._next.text.lower() == word
        self.place += taken and bool(word)
        return taken

    def _name(self) -> str:
        if self._next.kind != "name" or self._next.text.lower() in WORDS:
            raise self._error()
        self.place += 1
        return self.tokens[self.place - 1].text

    def _error(self, what: str = "Syntax error", at: int | None = None) -> ODataError:
        return ODataError(f"{what} at position {self._next.at if at is None else at} in '{self.text}'.")

    def _nested(self, read: Callable[[], Node]) -> Node:
        self.depth += 1
        if self.depth > _DEEPEST:
            raise self._error("Too deeply nested")
        found = read()
        self.depth -= 1
        return found

    def _joined(self, word: str, part: Callable[[], Node]) -> Node:
        parts = [part()]
        while self._takes(word):
            parts.append(part())
        return Join(word, tuple(parts)) if len(parts) > 1 else parts[0]

    def _single(self) -> Node:
        negated = False
        while self._takes("not"):
            negated = not negated
        if self._takes("("):
            found = self.condition()
            self.need(")")
        else:
            found = self._comparison()
        return Not(found) if negated else found

    def _comparison(self) -> Node:
        start = self._next.at
        left = self._operand()
        for word in COMPARISONS:
            if self._takes(word):
                return Compare(word, left, self._operand())
        if self._takes("in"):
            self.need("(")
            return In(left, tuple(self._list(self._constant)))
        if isinstance(left, Literal) and not isinstance(left.value, bool):
            raise self._error("A condition is missing", start)
        return left

    def _operand(self) -> Node:
        if self._next.kind != "name" or self._next.text.lower() in CONSTANTS:
            return self._constant()
        name = self._name()
        return self._function(name) if self._takes("(") else self._path(name)

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
        while self._takes("/"):
            for quantifier in ("any", "all"):
                if self._takes(quantifier):
                    return self._each(quantifier, Path(tuple(steps)))
            steps.append(self._name())
        return Path(tuple(steps))

    def _each(self, quantifier: str, items: Path) -> Node:
        self.need("(")
        if quantifier == "any" and self._takes(")"):
            return Each(quantifier, items)
        variable = self._name()
        self.need(":")
        condition = self.condition()
        self.need(")")
        return Each(quantifier, items, variable, condition)

    def _constant(self) -> Literal:
        try:
            value = _READ[self._next.kind](self._next.text)
        except (KeyError, ValueError):
            raise self._error() from None
        self.place += 1
        return Literal(value)

    def _list(self, item: Callable[[], T]) -> list[T]:
        found = [item()]
        while self._takes(","):
            found.append(item())
        self.need(")")
        return found
