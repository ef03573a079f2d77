"""The syntax tree of a condition in OData's filter language."""

from dataclasses import dataclass
from datetime import UTC, datetime

Value = str | int | float | bool | datetime | None
COMPARISONS = ("eq", "ne", "gt", "ge", "lt", "le")
FUNCTIONS = {"contains": 2, "startswith": 2, "endswith": 2, "indexof": 2, "concat": 2, "length": 1,
             "tolower": 1, "toupper": 1, "trim": 1}  # fmt: skip
"""The functions, and the number of arguments of each."""

WORDS = {*COMPARISONS, "in", "and", "or", "not", "any", "all", "true", "false", "null"}
CONSTANTS = {"true": True, "false": False, "null": None}


class ODataError(ValueError):
    """A query option that cannot be read. Its text is for the author of the query."""


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
    """A condition that must not hold."""

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


def parse_time(text: str) -> datetime | None:
    """Return the time of a text, None where it is no time; without a zone it is UTC."""
    try:
        return zoned(datetime.fromisoformat(text))
    except ValueError:
        return None


def zoned(time: datetime) -> datetime:
    """Return the time with its zone, which is UTC if it has none."""
    return time.replace(tzinfo=UTC) if time.tzinfo is None else time
