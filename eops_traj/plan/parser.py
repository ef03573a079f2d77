"""The parser of plans: from a model's text to a `Plan`, or to what is wrong with which line."""

import contextlib
import json
import re
from collections.abc import Collection
from functools import cache
from typing import Any, Self

from eops_traj.errors import FormatError
from eops_traj.plan.ast import (
    AT_HAND,
    COMPARISONS,
    ITEM,
    MEASURES,
    ROW,
    Condition,
    Extreme,
    FieldTest,
    Function,
    Match,
    Measure,
    PathPart,
    Plan,
    Ref,
    Require,
    Step,
    Text,
    every_reference,
    misses_row,
    references,
)
from eops_traj.plan.functions import FUNCTIONS, SPECIAL

_STEP_HEAD = re.compile(r"(?P<number>\d+)\s*[.)]\s*")
_MEANT = re.compile(
    r"^[ \t]*\d+[ \t]*[.)][ \t]*"
    r"(?:(?:for|when)[ \t]+(?:[$\[]|\w+\(|.*:[ \t]*[\w.-]+\()"
    r"|require[ \t]*\(|[\w.-]+\((?!e?s\))|[\w.-]+[ \t]+\([ \t]*(?:[)$]|[\w-]+[ \t]*=|\w+\())",
    re.MULTILINE,
)
"""The beginning of a step, as planners get it wrong, too; ``2. Locked (in May)``, ``2. case(s)`` are none."""
_TOOL = re.compile(r"(?P<tool>[A-Za-z_][\w.-]*)\s*\(")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_JSON_NUMBER = re.compile(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", re.ASCII)
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_FIELD = re.compile(r"[A-Za-z_]\w*")
_PLACE = re.compile(r"-?\d{1,6}")
_STEP_NUMBER = re.compile(r"\d{1,4}")
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*")
PLACEHOLDER = re.compile(r"\{(?=\$(?:\d|row|item))")
"""Where a reference begins in a text."""
_EXTREME = re.compile(r"(?P<which>min|max)\(\s*(?P<field>[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*)\s*\)\s*")
_LITERALS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_MAX_DEPTH = 40
MOST_STEPS = 500
"""Ten times those of the longest real task."""
MOST_DIGITS = 100
"""Characters of a number."""


class PlanError(FormatError):
    """A text that is no plan; the message names the line and what was expected there.

    ``expected`` is what, and ``at`` the place in the line: none where nothing that could follow mends it.
    """

    expected = ""
    at: int | None = None


def parse(text: str) -> Plan:
    """Parse a plan from a text. Empty lines and a Markdown fence around it are skipped.

    Raises PlanError: a line that is no step, steps not numbered 1, 2, 3 …, a reference to a step that does
    not come before, a refusal beside steps, more than `MOST_STEPS` of them, or nothing at all.
    """
    lines = [line.strip() for line in text.strip().split("\n")]  # splitlines would split inside texts
    lines = [line for line in lines if line and not line.startswith("```")]
    if not lines:
        raise PlanError("an empty plan: expected `1. tool(...)` or `REFUSE: reason`")
    if lines[0].startswith("REFUSE:"):
        return _parse_refusal(lines)
    if len(lines) > MOST_STEPS:
        raise PlanError(f"{len(lines)} steps, of at most {MOST_STEPS}")
    return Plan(tuple(_parse_step(line, number) for number, line in enumerate(lines, 1)))


def parse_value(text: str) -> Any:
    """Parse a single value as it stands in a plan: JSON, a reference. Raises PlanError for anything else."""
    reader = LineReader(text, 0, 1)
    value = reader.value()
    reader.end()
    return value


def _parse_refusal(lines: list[str]) -> Plan:
    reason = " ".join(lines).removeprefix("REFUSE:").strip()
    if not reason:
        raise PlanError("line 1: REFUSE without a reason")
    for number, line in enumerate(lines[1:], 2):
        if has_step(line):
            raise PlanError(f"line {number}: expected no step beside REFUSE, found {line[:60]!r}")
    return Plan(refusal=reason)


def has_step(text: str) -> bool:
    """Check whether a line of a text means to be a step, be it a right one or not; numbered prose is none."""
    return _MEANT.search(text) is not None


def _parse_step(line: str, number: int) -> Step | Require:
    head = _STEP_HEAD.match(line)
    if head is None or int(head["number"]) != number:
        raise PlanError(f"line {number}: expected `{number}. tool(...)`, found {line[:60]!r}")
    step = LineReader(line, head.end(), number).step()
    check_references(step, number)
    return step


def check_references(step: Step | Require, number: int) -> None:
    """Check that what a step of this number refers to is there. Raises PlanError."""
    for ref in references(step):
        if not 1 <= ref.steps[0] < number:
            raise PlanError(f"line {number}: ${ref.steps[0]} does not come before it")
    if misses_row(step):
        raise PlanError(f"line {number}: $row stands in no loop; expected `for $n: tool(...)`")
    if any(ref.step == ITEM for ref in every_reference(step, inside_each=False)):
        raise PlanError(f"line {number}: $item stands in no `each(list, value)`")


class LineReader:
    """One line, read from left to right; `eops_traj.plan.prefix` reads more strictly."""

    def __init__(self, line: str, at: int, number: int) -> None:
        """Begin at a place of a line that has this number."""
        self._line, self._at, self._number, self._depth = line, at, number, 0
        self._in_loop = False
        self._test_at = -1
        """Where the condition begins: `ok` may stand nowhere else."""

    def step(self) -> Step | Require:
        """Read `[for LIST:] [when CONDITION:] tool(arguments)` or `require(condition)`, with the reason."""
        rows = condition = None
        if self._take_word("for"):
            rows = self._rows()
            self._expect(":")
            self._in_loop = True
        if self._take_word("when"):
            condition = self._comparison()
            self._expect(":")
        self._skip()
        head = _TOOL.match(self._line, self._at)
        if head is None:
            raise self._error("`tool(...)`")
        if head["tool"] != "require":
            arguments = self.arguments(head["tool"], head.end())
            return Step(head["tool"], arguments, self.reason(), rows, condition)
        self._at = head.end()
        if rows is not None or condition is not None:
            raise self._fault("a tool: require stands alone, without for or when")
        return Require(self.condition(), self.reason())

    def _rows(self) -> Any:
        """Read the list of a loop: what can be none, null above all, would make it a call without one."""
        self._skip()
        start, rows = self._at, self.value()
        if not isinstance(rows, list | Ref | Function):
            self._at = start
            raise self._fault("a list, a reference to one or a function that makes one")
        return rows

    def arguments(self, tool: str, start: int) -> dict[str, Any]:
        """Read the arguments of a call from their start on."""
        arguments: dict[str, Any] = {}
        self._at = start
        while not self._take(")"):
            if arguments:
                self._expect(",")
            name = self._name(tool, arguments)
            self._expect("=")
            arguments[name] = self._argument(tool, name)
        return arguments

    def _name(self, tool: str, before: Collection[str]) -> str:
        name = self._match(_NAME, "an argument's name")
        if name in before:
            raise self._error(f"{name} once")
        return name

    def _argument(self, tool: str, name: str) -> Any:
        return self.value()

    def condition(self) -> Condition:
        """Read a condition and the bracket that closes it."""
        condition = self._comparison()
        self._expect(")")
        return condition

    def _comparison(self) -> Condition:
        self._skip()
        self._test_at = self._at
        left = self.value()
        operator = self._take_operator()
        if operator:
            return Condition(left, operator, self.value())
        if not isinstance(left, Measure) or left.name != "ok":
            raise self._error(f"a comparison ({', '.join(COMPARISONS)})")
        return Condition(left)

    def _take_operator(self) -> str | None:
        """Take a comparison; one that is a word ends where the word does."""
        for operator in COMPARISONS:
            if self._take_word(operator) if operator[-1].isalpha() else self._take(operator):
                return operator
        return None

    def reason(self) -> str:
        """Read the reason of a line, and with it the rest."""
        rest = self._line[self._at :].strip()
        if rest and not rest.startswith("--"):
            raise self._error("` -- ` and a reason")
        return " ".join(rest.removeprefix("--").split())

    def end(self) -> None:
        """Check that nothing is left."""
        self._skip()
        if self._at < len(self._line):
            raise self._error("nothing more")

    def value(self) -> Any:
        """Read a value: JSON, a reference, a function."""
        self._skip()
        start = self._line[self._at : self._at + 1]
        self._depth += 1
        if self._depth > _MAX_DEPTH:
            raise self._error("less nesting")
        try:
            if start == "$":
                return self._ref()
            if start == '"':
                return self._text()
            if start in ("[", "{"):
                return self._list() if self._take("[") else self._object()
            return self._word() if _NAME.match(start) else self._parse_number()
        finally:
            self._depth -= 1

    def _parse_number(self) -> int | float:
        text = self._match(_NUMBER, "a value")
        if len(text) > MOST_DIGITS:
            raise self._error(f"a number of at most {MOST_DIGITS} characters")
        number: int | float = json.loads(text) if _JSON_NUMBER.fullmatch(text) else float(text)
        return number

    def _word(self) -> Any:
        start, word = self._at, self._match(_NAME, "a value")
        if word in _LITERALS:
            return _LITERALS[word]
        if not self._take("("):
            self._at = start
            raise self._error(f"a value, not {word!r}; texts stand in double quotes")
        return self._measure(word, start) if word in MEASURES else self._function(word)

    def _measure(self, name: str, start: int) -> Measure:
        if name == "ok" and start != self._test_at:
            self._at = start
            raise self._fault("a value: `ok` stands alone, as a condition")
        ref = self._ref()
        self._expect(")")
        return Measure(name, ref)

    def _function(self, name: str) -> Function:
        known = [*SPECIAL, *FUNCTIONS]
        if name not in known:
            raise self._fault(f"a function ({', '.join([*known, *MEASURES])}), not {name!r}")
        least, most = SPECIAL[name] if name in SPECIAL else (FUNCTIONS[name].least, FUNCTIONS[name].most)
        arguments = self._items(")", name)
        if not least <= len(arguments) <= most:
            count = f"{least}" if least == most else f"{least} to {most}"
            raise self._fault(f"{count} arguments of {name}, not {len(arguments)}")
        return Function(name, tuple(arguments))

    def _text(self) -> str | Text:
        raw = self._match(_STRING, "a closed text")[1:-1]
        parts: list[str | Ref] = []
        while placeholder := PLACEHOLDER.search(raw):
            ref, end = self._placeholder(raw, placeholder.end())
            parts += [self._unescape(raw[: placeholder.start()]), ref]
            raw = raw[end:]
        if not parts:
            return self._unescape(raw)
        return Text(tuple(p for p in [*parts, self._unescape(raw)] if p != ""))

    def _placeholder(self, raw: str, start: int) -> tuple[Ref, int]:
        """Parse the reference in a text from here, and find its end: texts in its path are escaped twice."""
        for end in (brace.end() for brace in re.finditer("}", raw)):
            if end <= start:
                continue
            inner = self._inside(self._unescape(raw[start:end]))
            with contextlib.suppress(PlanError):
                ref = inner._ref()
                if inner._line[inner._at :] == "}":
                    return ref, end
        raise self._fault("a reference like {$1.id} in a text")

    def _inside(self, text: str) -> Self:
        """Return a reader of a text within the line, which knows what this one does: the loop, `each`."""
        inner = object.__new__(type(self))  # copy.copy takes longer than to read one
        inner.__dict__ |= self.__dict__
        inner._line, inner._at, inner._test_at = text, 0, -1
        return inner

    def _unescape(self, raw: str) -> str:
        if "\\" not in raw:
            return raw
        try:
            return str(json.loads(f'"{raw}"', strict=False))
        except ValueError:
            raise self._fault("a text with valid escapes") from None

    def _list(self) -> list[Any]:
        return self._items("]")

    def _items(self, end: str, function: str = "") -> list[Any]:
        items: list[Any] = []
        while not self._take(end):
            if items:
                self._expect(",")
            items.append(self._item(function, len(items)))
        return items

    def _item(self, function: str, place: int) -> Any:
        """Read an element of a list, or an argument of a function."""
        return self.value()

    def _object(self) -> dict[str, Any]:
        self._expect("{")
        fields: dict[str, Any] = {}
        while not self._take("}"):
            if fields:
                self._expect(",")
            self._skip()
            name = self._unescape(self._match(_STRING, "a field's name")[1:-1])
            self._expect(":")
            fields[name] = self.value()
        return fields

    def _ref(self) -> Ref:
        self._expect("$")
        name = next((name for name in AT_HAND.values() if self._line.startswith(name, self._at)), None)
        if name is not None:
            self._at += len(name)
            step = ROW if name == AT_HAND[ROW] else ITEM
        else:
            step = int(self._match(_STEP_NUMBER, "a step's number, or `row`"))
        path: list[PathPart] = []
        while self._at < len(self._line) and self._line[self._at] in ".[":
            path.append(self._field() if self._line[self._at] == "." else self._bracket())
        return Ref(step, tuple(path))

    def _field(self) -> str:
        self._at += 1
        return self._match(_FIELD, "a field's name")

    def _bracket(self) -> PathPart:
        self._expect("[")
        self._skip()
        start = self._line[self._at : self._at + 1]
        part: PathPart
        if start == '"':
            part = self._unescape(self._match(_STRING, "a field's name")[1:-1])
        elif start == "-" or start.isdigit():
            part = int(self._match(_PLACE, "a place"))
        elif extreme := _EXTREME.match(self._line, self._at):
            self._at = extreme.end()
            part = Extreme(extreme["which"], extreme["field"])
        else:
            return self._list_match()
        self._expect("]")
        return part

    def _list_match(self) -> Match:
        every, tests = self._take("*"), list[FieldTest]()
        while not self._take("]"):
            if tests:
                self._expect(",")
            self._skip()
            name = self._match(_DOTTED, "a place, a field or `field=value`")
            operator = self._take_operator() or ("==" if self._take("=") else None)
            if operator is None:
                raise self._error(f"`=` or a comparison ({', '.join(COMPARISONS)})")
            tests.append(FieldTest(name, operator, self.value()))
        return Match(tuple(tests), every)

    def _skip(self) -> None:
        while self._line[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1

    def _take(self, sign: str) -> bool:
        self._skip()
        is_next = self._line.startswith(sign, self._at)
        self._at += len(sign) * is_next
        return is_next

    def _take_word(self, word: str) -> bool:
        """Take a word that is not the beginning of a longer one, nor a tool's name."""
        self._skip()
        found = _word(word).match(self._line, self._at)
        self._at = found.end() if found else self._at
        return found is not None

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"`{sign}`")

    def _match(self, pattern: re.Pattern[str], expected: str) -> str:
        self._skip()
        match = pattern.match(self._line, self._at)
        if match is None:
            raise self._error(expected)
        self._at = match.end()
        return match.group()

    def _error(self, expected: str) -> PlanError:
        rest = self._line[self._at : self._at + 30] or "the end of the line"
        where = f"line {self._number}, column {self._at + 1}"
        error = PlanError(f"{where}: expected {expected}, found {rest!r}")
        error.expected, error.at = expected, self._at
        return error

    def _fault(self, expected: str) -> PlanError:
        """Return an error that nothing that could follow mends."""
        error = self._error(expected)
        error.at = None
        return error


@cache  # of the language's few words; the cache of `re` loses them among the patterns of values
def _word(word: str) -> re.Pattern[str]:
    return re.compile(rf"{word}(?![\w(.-])")
