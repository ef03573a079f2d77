"""Reading plans: from a model's text to the `Plan` it says, or to what is wrong with which line."""

import contextlib
import json
import re
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.plan.ast import (
    COMPARISONS,
    MEASURES,
    Condition,
    Key,
    Match,
    Measure,
    Plan,
    Ref,
    Require,
    Step,
    Text,
    references,
)

_LINE = re.compile(r"(?P<number>\d+)\s*[.)]\s*(?P<tool>[A-Za-z_][\w.-]*)\s*\(")
_NUMBER = re.compile(r"-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?")
_STRING = re.compile(r'"(?:[^"\\]|\\.)*"')
_NAME = re.compile(r"[A-Za-z_][\w-]*")
_DOTTED = re.compile(r"[A-Za-z_][\w-]*(?:\.[A-Za-z_][\w-]*)*")
_HOLE = re.compile(r"\{(?=\$\d)")
_WORDS = {"true": True, "false": False, "null": None, "True": True, "False": False, "None": None}
_DEEPEST = 40


class PlanError(FormatError):
    """A text that is no plan; the message names the line and what was expected there."""


def parse(text: str) -> Plan:
    """The plan that a text says. Empty lines and a Markdown fence around it are skipped.

    Raises PlanError: a line that is no step, steps not numbered 1, 2, 3 …, a reference to a step that does
    not come before, a refusal beside steps, or nothing at all.
    """
    lines = [line.strip() for line in text.strip().split("\n")]  # splitlines would split inside texts
    lines = [line for line in lines if line and not line.startswith("```")]
    if not lines:
        raise PlanError("an empty plan: expected `1. tool(...)` or `REFUSE: reason`")
    if lines[0].startswith("REFUSE:"):
        return _refusal(lines)
    return Plan(tuple(_step(line, number) for number, line in enumerate(lines, 1)))


def _refusal(lines: list[str]) -> Plan:
    reason = " ".join(lines).removeprefix("REFUSE:").strip()
    if not reason:
        raise PlanError("line 1: REFUSE without a reason")
    return Plan(refusal=reason)


def _step(line: str, number: int) -> Step | Require:
    head = _LINE.match(line)
    if head is None or int(head["number"]) != number:
        raise PlanError(f"line {number}: expected `{number}. tool(...)`, found {line[:60]!r}")
    reader = _Reader(line, head.end(), number)
    if head["tool"] == "require":
        step: Step | Require = Require(reader.condition(), reader.reason())
    else:
        step = Step(head["tool"], reader.arguments(), reader.reason())
    for ref in references(step):
        if not 1 <= ref.step < number:
            raise PlanError(f"line {number}: ${ref.step} does not come before it")
    return step


class _Reader:
    """One line, read from left to right."""

    def __init__(self, line: str, at: int, number: int) -> None:
        self._line, self._at, self._number, self._depth = line, at, number, 0

    def arguments(self) -> dict[str, Any]:
        given: dict[str, Any] = {}
        while not self._take(")"):
            if given:
                self._expect(",")
            name = self._match(_NAME, "an argument's name")
            if name in given:
                raise self._error(f"{name} once")
            self._expect("=")
            given[name] = self.value()
        return given

    def condition(self) -> Condition:
        left = self.value()
        if self._take(")"):
            if not isinstance(left, Measure) or left.name != "ok":
                raise self._error(f"a comparison ({', '.join(COMPARISONS)})")
            return Condition(left)
        operator = next((c for c in COMPARISONS if self._take(c)), None)
        if operator is None:
            raise self._error(f"a comparison ({', '.join(COMPARISONS)})")
        condition = Condition(left, operator, self.value())
        self._expect(")")
        return condition

    def reason(self) -> str:
        rest = self._line[self._at :].strip()
        if rest and not rest.startswith("--"):
            raise self._error("` -- ` and a reason")
        return " ".join(rest.removeprefix("--").split())

    def value(self) -> Any:
        self._skip()
        start = self._line[self._at : self._at + 1]
        self._depth += 1
        if self._depth > _DEEPEST:
            raise self._error("less nesting")
        try:
            if start == "$":
                return self._ref()
            if start == '"':
                return self._text()
            if start in ("[", "{"):
                return self._list() if self._take("[") else self._object()
            return self._word() if _NAME.match(start) else self._number_value()
        finally:
            self._depth -= 1

    def _number_value(self) -> int | float:
        found = self._match(_NUMBER, "a value")
        number: int | float = json.loads(found) if _is_json(found) else float(found)
        return number

    def _word(self) -> Any:
        word = self._match(_NAME, "a value")
        if word in MEASURES and self._take("("):
            ref = self._ref()
            self._expect(")")
            return Measure(word, ref)
        if word not in _WORDS:
            raise self._error(f"a value, not {word!r}")
        return _WORDS[word]

    def _text(self) -> str | Text:
        raw = self._match(_STRING, "a closed text")[1:-1]
        parts: list[str | Ref] = []
        while hole := _HOLE.search(raw):
            ref, end = self._hole(raw, hole.end())
            parts += [self._unescape(raw[: hole.start()]), ref]
            raw = raw[end:]
        if not parts:
            return self._unescape(raw)
        return Text(tuple(p for p in [*parts, self._unescape(raw)] if p != ""))

    def _hole(self, raw: str, start: int) -> tuple[Ref, int]:
        """The reference in a text from here on, and where it ends: texts in its path are escaped twice."""
        for end in (found.end() for found in re.finditer("}", raw)):
            if end <= start:
                continue
            inner = _Reader(self._unescape(raw[start:end]), 0, self._number)
            with contextlib.suppress(PlanError):
                ref = inner._ref()
                if inner._line[inner._at :] == "}":
                    return ref, end
        raise self._error("a reference like {$1.id} in a text")

    def _unescape(self, raw: str) -> str:
        try:
            return str(json.loads(f'"{raw}"', strict=False))
        except ValueError:
            raise self._error("a text with valid escapes") from None

    def _list(self) -> list[Any]:
        items: list[Any] = []
        while not self._take("]"):
            if items:
                self._expect(",")
            items.append(self.value())
        return items

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
        step = int(self._match(re.compile(r"\d{1,4}"), "a step's number"))
        path: list[Key | Match] = []
        while self._at < len(self._line) and self._line[self._at] in ".[":
            path.append(self._field() if self._line[self._at] == "." else self._bracket())
        return Ref(step, tuple(path))

    def _field(self) -> str:
        self._at += 1
        return self._match(re.compile(r"[A-Za-z_]\w*"), "a field's name")

    def _bracket(self) -> Key | Match:
        self._expect("[")
        self._skip()
        start = self._line[self._at : self._at + 1]
        part: Key | Match
        if start == '"':
            part = self._unescape(self._match(_STRING, "a field's name")[1:-1])
        elif start == "-" or start.isdigit():
            part = int(self._match(re.compile(r"-?\d{1,6}"), "a place"))
        else:
            return self._matching()
        self._expect("]")
        return part

    def _matching(self) -> Match:
        every, fields = self._take("*"), list[tuple[str, Any]]()
        while not self._take("]"):
            if fields:
                self._expect(",")
            self._skip()
            name = self._match(_DOTTED, "a place, a field or `field=value`")
            self._expect("=")
            fields.append((name, self.value()))
        return Match(tuple(fields), every)

    def _skip(self) -> None:
        while self._line[self._at : self._at + 1] in (" ", "\t"):
            self._at += 1

    def _take(self, sign: str) -> bool:
        self._skip()
        found = self._line.startswith(sign, self._at)
        self._at += len(sign) * found
        return found

    def _expect(self, sign: str) -> None:
        if not self._take(sign):
            raise self._error(f"`{sign}`")

    def _match(self, pattern: re.Pattern[str], wanted: str) -> str:
        self._skip()
        found = pattern.match(self._line, self._at)
        if found is None:
            raise self._error(wanted)
        self._at = found.end()
        return found.group()

    def _error(self, wanted: str) -> PlanError:
        rest = self._line[self._at : self._at + 30] or "the end of the line"
        return PlanError(f"line {self._number}, column {self._at + 1}: expected {wanted}, found {rest!r}")


def _is_json(number: str) -> bool:
    return re.fullmatch(r"-?(?:0|[1-9]\d*)(?:\.\d+)?(?:[eE][+-]?\d+)?", number) is not None
