"""The parts of a plan: steps, references to earlier results, and the conditions under which it stops."""

import json
import re
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

Key = str | int
"""A part of a path: a field's name, or a place in a list (negative from its end)."""


@dataclass(frozen=True)
class Match:
    """A part of a path that looks into a list: the first element whose fields have these values, or all.

    A field may be dotted (``start.date``); a value is a literal or a `Ref`.
    """

    fields: tuple[tuple[str, Any], ...]
    every: bool = False

    def __str__(self) -> str:
        fields = ", ".join(f"{name}={render_value(value)}" for name, value in self.fields)
        return f"[{'*' * self.every}{fields}]"


@dataclass(frozen=True)
class Ref:
    """A value from an earlier step's result: ``$2.items[0].id``, ``$2[name="Legal"].id``."""

    step: int
    path: tuple[Key | Match, ...] = ()

    def __str__(self) -> str:
        return f"${self.step}" + "".join(_render_part(part) for part in self.path)


@dataclass(frozen=True)
class Text:
    """A text with values of earlier results in it: ``"userId eq '{$1.id}'"``."""

    parts: tuple[str | Ref, ...]

    def __str__(self) -> str:
        texts = (
            f"{{{json.dumps(str(part), ensure_ascii=False)[1:-1]}}}"
            if isinstance(part, Ref)
            else _quoted(part)[1:-1]
            for part in self.parts
        )
        return f'"{"".join(texts)}"'


@dataclass(frozen=True)
class Condition:
    """The condition of a `require`: a comparison of two values, or one `ok($n)`, which has no operator."""

    left: Any
    operator: str = ""
    right: Any = None

    def __str__(self) -> str:
        left = render_value(self.left)
        return f"{left} {self.operator} {render_value(self.right)}" if self.operator else left


@dataclass(frozen=True)
class Measure:
    """A property of a result: ``count($2)``, how many elements it has, or ``ok($2)``, that it is no error."""

    name: str
    of: Ref

    def __str__(self) -> str:
        return f"{self.name}({self.of})"


@dataclass(frozen=True)
class Step:
    """One line: a call of a tool, with the reason for it.

    Arguments are JSON values in which a `Ref` or a `Text` may stand at any place.
    """

    tool: str
    arguments: dict[str, Any]
    reason: str = ""

    def __str__(self) -> str:
        arguments = ", ".join(f"{name}={render_value(value)}" for name, value in self.arguments.items())
        return f"{self.tool}({arguments})" + _render_reason(self.reason)


@dataclass(frozen=True)
class Require:
    """One line that calls nothing: unless the condition holds, the plan stops there and declines."""

    condition: Condition
    reason: str = ""

    def __str__(self) -> str:
        return f"require({self.condition})" + _render_reason(self.reason)


@dataclass(frozen=True)
class Plan:
    """Steps in order, numbered from 1; or no step, and the reason why the task is declined."""

    steps: tuple[Step | Require, ...] = ()
    refusal: str | None = None

    def __str__(self) -> str:
        if self.refusal is not None:
            return f"REFUSE: {self.refusal}"
        return "\n".join(f"{number}. {step}" for number, step in enumerate(self.steps, 1))

    def calls(self) -> tuple[tuple[int, Step], ...]:
        """Return the steps that call a tool, with their numbers."""
        return tuple((n, step) for n, step in enumerate(self.steps, 1) if isinstance(step, Step))


COMPARISONS = ("==", "!=", "<=", ">=", "<", ">", "not in", "in")
MEASURES = ("count", "ok")


def references(value: Any) -> Iterator[Ref]:
    """Yield every reference in a step, a condition or a value, those inside a path included."""
    match value:
        case Ref(path=path):
            yield value
            for part in path:
                if isinstance(part, Match):
                    yield from references([value for _, value in part.fields])
        case Step(arguments=inner) | Require(condition=inner) | Measure(of=inner) | Text(parts=inner):
            yield from references(inner)
        case Condition(left=left, right=right):
            yield from references([left, right])
        case dict():
            yield from references(list(value.values()))
        case list() | tuple():
            for item in value:
                yield from references(item)


def render(plan: Plan) -> str:
    """Render the plan as text, one step a line; `parse` reads it back to an equal plan."""
    return str(plan)


def render_value(value: Any) -> str:
    """Render a value as it stands in a plan: JSON, with references among it."""
    if isinstance(value, Ref | Text | Measure):
        return str(value)
    if isinstance(value, dict):
        return "{" + ", ".join(f"{json.dumps(str(k), ensure_ascii=False)}: {render_value(v)}"
                               for k, v in value.items()) + "}"  # fmt: skip
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(render_value, value)) + "]"
    return _quoted(value) if isinstance(value, str) else json.dumps(value)


def _quoted(text: str) -> str:
    """Render a text as JSON; a brace before a dollar sign is escaped, so that it opens no reference."""
    return json.dumps(text, ensure_ascii=False).replace("{$", "\\u007b$")


def _render_part(part: Key | Match) -> str:
    if isinstance(part, str):
        plain = re.fullmatch(r"[A-Za-z_]\w*", part)
        return f".{part}" if plain else f"[{json.dumps(part, ensure_ascii=False)}]"
    return f"[{part}]" if isinstance(part, int) else str(part)


def _render_reason(reason: str) -> str:
    return f" -- {' '.join(reason.split())}" if reason.strip() else ""
