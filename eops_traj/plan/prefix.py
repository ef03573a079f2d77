"""Beginnings of plans: whether what is written so far can still become one, of the tools that there are.

The parser is the grammar: a beginning is good where it reads it without a fault, or where the fault is that
the text ends in the middle of a word, a text or a number. Stricter than a plan has to be, since it is told
the tools: it knows their arguments and the values that these may have. Lines before the last are not read
again, so that each token costs one line. A planner that names the values of a request by their markers can be
held to those that there are.
"""

import re
from collections.abc import Collection, Iterable, Mapping, Sequence
from typing import Any

from eops_traj.plan.ast import AT_HAND, COMPARISONS, ITEM, ROW, Ref
from eops_traj.plan.functions import FUNCTIONS, SPECIAL
from eops_traj.plan.listed_values import MARKER, listed_values, may_be, may_begin, written
from eops_traj.plan.parser import MOST_STEPS, PLACEHOLDER, LineReader, PlanError, check_references
from eops_traj.plan.task_grammar import grammar_of

Choices = Mapping[str, Sequence[Any]]
"""The arguments of a tool, each with the values that it may have; none listed is any."""

REFUSE = "REFUSE: "
_FUNCTIONS = (*SPECIAL, *FUNCTIONS)
_WORDS = (*(f"{word}(" for word in ("count", *_FUNCTIONS)), "true", "false", "null", "-1")
_OPEN_TEXT = re.compile(
    r'"(?P<whole>(?:[^"\\]|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*)(?:\\(?:u[0-9a-fA-F]{0,3})?)?'
)
"""A text that is not closed yet, and of it what is no escape that has just been begun."""
_OPEN_NUMBER = re.compile(r"(?<![\w.-])-?\d+(?:\.(?:\d+[eE][+-]?)?|[eE][+-]?)$", re.ASCII)
_WHOLE_AFTER = re.compile(r"(?:\$|[\w\]]\[)[ \t]*$")
"""What has a whole number behind it: a step's, or an element's."""
_OPEN_EXTREME = re.compile(r"\(\s*(?:[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*(?:\.|\s*(?:\)\s*)?))?")
_EXTREMES = re.compile(r"\[[ \t]*(?:min|max)$")
_STEP_NUMBER = re.compile(r"[ \t]*\$[ \t]*(\d+)")
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_OPEN_MARKER = re.compile(r"\[[a-z]+ [1-9][\d.]*$")


class PlanBeginnings:
    """The beginnings of the plans that may call some tools."""

    def __init__(self, tools: Iterable[Mapping[str, Any]], markers: Collection[str] | None = None) -> None:
        """Take the tools in the function format, and the only markers that a plan may have; None for any."""
        self._markers = None if markers is None else dict.fromkeys(markers)
        self.tools: dict[str, Choices] = {}
        for tool in tools:
            schema = tool["function"].get("parameters") or {}
            arguments = {name: listed_values(schema, name) for name in schema.get("properties") or {}}
            self.tools[str(tool["function"]["name"])] = arguments

    def allow(self, text: str) -> bool:
        """Check whether a text can be continued to a plan; only its last line is looked at."""
        number = text.count("\n") + 1
        line = text.rpartition("\n")[2]
        if number > MOST_STEPS or not self._has_known_markers(line):
            return False
        if number == 1 and (REFUSE.startswith(line) or line.startswith(REFUSE)):
            return True
        head = f"{number}. "
        if not line.startswith(head):
            return head.startswith(line)
        return self._may_go_on(line, len(head), number)

    def allow_next(self, text: str, more: str) -> bool:
        """Check whether a text, allowed so far, may be continued by this; lines that it ends are whole."""
        *ended, _ = f"{text}{more}".split("\n")
        begun = text.count("\n")
        whole = (self._is_whole(line, number) for number, line in enumerate(ended[begun:], begun + 1))
        return all(whole) and self.allow(text + more)

    def grammar(self) -> str:
        """Return ``plan.lark`` with these tools, their arguments and the values that these may have.

        It does not say which lines come before one.
        """
        return grammar_of(self.tools, self._markers)

    def is_whole(self, text: str) -> bool:
        """Check whether a text is a plan as it is, of these tools."""
        if text.startswith(REFUSE):
            told = bool(text.removeprefix(REFUSE).strip()) and "\n" not in text
            return told and self._has_known_markers(text)
        lines = enumerate(text.split("\n"), 1)
        return all(self._is_whole(line, number) for number, line in lines)

    def _is_whole(self, line: str, number: int) -> bool:
        head = f"{number}. "
        try:
            check_references(StrictReader(line, len(head), number, self.tools).step(), number)
        except PlanError:
            return False
        return line.startswith(head) and number <= MOST_STEPS and self._has_known_markers(line)

    def _has_known_markers(self, line: str) -> bool:
        """Check the markers of a line; one that it breaks off in has to become one of them."""
        if self._markers is None:
            return True
        begun = _OPEN_MARKER.search(line)
        if begun and not any(marker.startswith(begun[0]) for marker in self._markers):
            return False
        return all(match[0] in self._markers for match in MARKER.finditer(line))

    def _may_go_on(self, line: str, start: int, number: int) -> bool:
        reader = StrictReader(line, start, number, self.tools)
        try:
            reader.step()
        except PlanError as error:
            return error.at is not None and reader.is_begun(error)
        return True


class StrictReader(LineReader):
    """A reader of lines that knows the tools, and what a reference may lead to."""

    def __init__(self, line: str, at: int, number: int, tools: Mapping[str, Choices]) -> None:
        """Begin at a place of a line that has this number."""
        super().__init__(line, at, number)
        self._tools, self._in_each, self._next = tools, 0, (*tools, "require(", "for ", "when ")
        """What may stand next where a word has been begun."""

    def is_begun(self, error: PlanError) -> bool:
        """Check whether a fault is that something is not at its end yet: a word, a text, a number."""
        rest, before = self._line[error.at :], self._line[: error.at]
        if not rest.strip(" "):
            return len(rest) <= 1
        if rest.startswith('"'):
            text = _OPEN_TEXT.fullmatch(rest)
            wanted = error.expected in ("a closed text", "a field's name") and not before.endswith(".")
            return text is not None and wanted and self._may_be_closed(text["whole"])
        if before[-1:].isdigit() and (number := _OPEN_NUMBER.search(self._line)):
            return _WHOLE_AFTER.search(self._line[: number.start()]) is None
        if rest == "." and error.expected.startswith("`=` or a comparison"):
            return before[-1:].isalnum() or before[-1:] == "_"  # a field of a field: `[*scope.type="user"]`
        if _OPEN_EXTREME.fullmatch(rest):
            return _EXTREMES.search(before) is not None
        return any(word.startswith(rest.removeprefix(" ")) for word in self._words(error.expected))

    def _words(self, expected: str) -> Iterable[str]:
        """Return what may stand where something was expected."""
        if "comparison" in expected:
            return ("=", *COMPARISONS)
        if "reason" in expected:
            return ("--",)
        if "step's" in expected:
            beside = self._line[self._at - 1] == "$"
            there = {ROW: self._in_loop and beside, ITEM: self._in_each and beside}
            return (name for kind, name in AT_HAND.items() if there[kind])
        if "field's" in expected:
            return ()
        closing = expected.startswith("`") and "tool" not in expected
        return () if closing else self._next

    def _may_be_closed(self, raw: str) -> bool:
        """Check whether the references within a text that is open yet are right; the last may be begun."""
        while placeholder := PLACEHOLDER.search(raw):
            try:
                _, end = self._placeholder(raw, placeholder.end())
            except PlanError:
                return self._inside(self._unescape(raw[placeholder.end() :]))._is_begun_ref()
            raw = raw[end:]
        return True

    def _is_begun_ref(self) -> bool:
        try:
            self._ref()
        except PlanError as error:
            return error.at is not None and self.is_begun(error)
        return self._at == len(self._line)

    def arguments(self, tool: str, start: int) -> dict[str, Any]:
        """Read the arguments of a call of one of the tools."""
        if tool not in self._tools:
            raise self._error(f"a tool ({', '.join(self._tools)})")
        return super().arguments(tool, start)

    def _take_word(self, word: str) -> bool:
        taken = super()._take_word(word)
        if taken and word in ("for", "when"):
            self._next = (*self._tools, *(["when "] if word == "for" else []))
        return taken

    def _name(self, tool: str, before: Collection[str]) -> str:
        self._skip()
        start, left = self._at, [name for name in self._tools[tool] if name not in before]
        self._next = tuple(f"{name}=" for name in left)
        name = self._match(_NAME, "an argument's name")
        if name not in left:
            self._at = start
            raise self._error(f"an argument of {tool}")
        return name

    def _argument(self, tool: str, name: str) -> Any:
        self._skip()
        choices, start = self._tools[tool][name], self._at
        if choices and not may_begin(self._line[start:], choices, self._at_hand()):
            raise self._fault(f"one of {', '.join(written(choices))}")
        value = self.value()
        if choices and not may_be(value, choices):
            self._at, self._next = start, written(choices)
            raise self._error(f"one of {', '.join(written(choices))}")
        return value

    def _at_hand(self) -> Sequence[str]:
        """Return what a reference may begin with here."""
        there = {ROW: self._in_loop, ITEM: bool(self._in_each)}
        steps = "123456789"[: self._number - 1]
        return (*steps, *(name for kind, name in AT_HAND.items() if there[kind]))

    def value(self) -> Any:
        """Read a value."""
        before, self._next = self._next, ("ok(", *_WORDS) if self._at == self._test_at else _WORDS
        read = super().value()
        self._next = before
        return read

    def _rows(self) -> Any:
        """Read the list of a loop."""
        self._skip()
        begun = self._line[self._at :]
        if begun and begun[0] not in "$[" and not _is_function(begun):
            raise self._fault("a list, a reference to one or a function that makes one")
        return super()._rows()

    def _item(self, function: str, place: int) -> Any:
        """Read an element of a list, or an argument of a function: the second one of `each` has an item."""
        made = function == "each" and place == 1
        self._in_each += made
        read = super()._item(function, place)
        self._in_each -= made
        return read

    def _ref(self) -> Ref:
        number = _STEP_NUMBER.match(self._line, self._at)
        if number and not 0 < int(number[1]) < self._number:
            raise self._fault("a line before this one")
        ref = super()._ref()
        if (ref.step == ROW and not self._in_loop) or (ref.step == ITEM and not self._in_each):
            raise self._fault(f"no ${AT_HAND[int(ref.step)]} here")
        return ref


def _is_function(text: str) -> bool:
    """Check whether a text begins with the name of a function, or is the beginning of one."""
    name = _NAME.match(text)
    if name is None or name[0] in _FUNCTIONS:
        return name is not None
    return name.end() == len(text) and any(known.startswith(text) for known in _FUNCTIONS)
