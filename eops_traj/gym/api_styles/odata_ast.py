"""What a condition of OData's filter language is made of, and how it is written."""

from dataclasses import dataclass
from datetime import UTC, datetime

Value = str | int | float | bool | datetime | None
COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")
FUNCTIONS = {"contains": 2, "startswith": 2, "endswith": 2, "indexof": 2, "concat": 2, "length": 1,
             "tolower": 1, "toupper": 1, "trim": 1}  # fmt: skip
"""The functions, and how many arguments each takes."""

WORDS = {*COMPARISONS, "in", "and", "or", "not", "any", "all", "true", "false", "null"}
CONSTANTS = {"true": True, "false": False, "null": None}


class ODataError(ValueError):
    """A query option that cannot be read. Its text is for the one who wrote it."""


@dataclass(frozen=True)
class Literal:
    """A text, number, truth value, time or null."""

    value: Value


@dataclass(frozen=True)
class Path:
    """A property, or a property of a property."""

    steps: tuple[str, ...]


@dataclass(frozen=True)
class Function:
    """A function with its arguments."""

    name: str
    arguments: tuple["Node", ...]


@dataclass(frozen=True)
class Compare:
    """Two values, compared."""

    operator: str
    left: "Node"
    right: "Node"


@dataclass(frozen=True)
class In:
    """A value that is one of several."""

    left: "Node"
    choices: tuple[Literal, ...]


@dataclass(frozen=True)
class Not:
    """What must not hold."""

    condition: "Node"


@dataclass(frozen=True)
class Join:
    """Conditions of which all (``and``) or one (``or``) must hold."""

    operator: str
    conditions: tuple["Node", ...]


@dataclass(frozen=True)
class Each:
    """A condition on ``any`` or ``all`` items of a list; without a condition, whether it has ``any``."""

    quantifier: str
    items: Path
    variable: str = ""
    condition: "Node | None" = None


Node = Literal | Path | Function | Compare | In | Not | Join | Each


def render(node: Node) -> str:
    """The text of a condition; parsed, it gives the same condition."""
    match node:
        case Literal(value):
            return _literal(value)
        case Path(steps):
            return "/".join(steps)
        case Function(name, arguments):
            return f"{name}({', '.join(map(render, arguments))})"
        case Compare(word, left, right):
            return f"{render(left)} {word} {render(right)}"
        case In(left, choices):
            return f"{render(left)} in ({', '.join(map(render, choices))})"
        case Not(condition):
            return f"not ({render(condition)})"
        case Join(word, conditions):
            return f" {word} ".join(
                f"({render(c)})" if isinstance(c, Join) else render(c) for c in conditions
            )
        case Each(quantifier, items, variable, condition):
            inner = f"{variable}: {render(condition)}" if condition else ""
            return f"{render(items)}/{quantifier}({inner})"


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("'", "''") + "'"
    if isinstance(value, datetime):
        return value.isoformat().replace("+00:00", "Z")
    return next((word for word, constant in CONSTANTS.items() if constant is value), repr(value))


def moment(text: str) -> datetime | None:
    """The time that a text says, if it says one; without a zone it is UTC."""
    try:
        return zoned(datetime.fromisoformat(text))
    except ValueError:
        return None


def zoned(time: datetime) -> datetime:
    """The time with its zone, which is UTC if it has none."""
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time
