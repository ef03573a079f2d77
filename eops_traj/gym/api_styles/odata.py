"""OData's query options ``$filter``, ``$orderby``, ``$select`` and ``$search``, as Microsoft Graph has them.

    condition = parse("startswith(displayName, 'A') and (accountEnabled eq true or city in ('Rome', 'Oslo'))")
    rows = order_rows([row for row in rows if matches(condition, row)], "surname desc, id")

A filter has comparisons (``eq ne gt ge lt le``), ``in``, ``and`` ``or`` ``not``, parentheses, functions, and
``any`` and ``all`` on lists (``members/any(m: m/userId eq 'x')``). A path leads into objects; a step with a
dot (``microsoft.graph.aadUserConversationMember/email``) is a type cast and changes nothing. Texts are quoted
with ``'``, which is doubled inside; times and dates are not quoted. Texts compare whatever their case, and a
text beside a time is read as one. Nothing is less or greater than null.
"""

import operator
import re
from collections.abc import Callable, Iterable, Mapping
from datetime import datetime
from typing import Any

import re2

from eops_traj.gym.api_styles.odata_ast import (
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
    parse_time,
)
from eops_traj.gym.api_styles.odata_parser import parse

__all__ = [
    "ODataError",
    "evaluate",
    "matches",
    "order_rows",
    "parse",
    "parse_search",
    "parse_select",
    "property_names",
]

Row = Mapping[str, Any]
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "eq": operator.eq, "ne": operator.ne, "gt": operator.gt,
    "ge": operator.ge, "lt": operator.lt, "le": operator.le,
}  # fmt: skip
_FUNCTIONS: Mapping[str, Callable[..., Any]] = {
    "contains": lambda text, part: part.casefold() in text.casefold(),
    "startswith": lambda text, part: text.casefold().startswith(part.casefold()),
    "endswith": lambda text, part: text.casefold().endswith(part.casefold()),
    "indexof": lambda text, part: text.casefold().find(part.casefold()),
    "concat": operator.add,
    "length": len,
    "tolower": str.lower,
    "toupper": str.upper,
    "trim": str.strip,
}


def matches(condition: Node, row: Row) -> bool:
    """Check whether a row fulfils the condition."""
    return evaluate(condition, row) is True


def evaluate(node: Node, row: Row) -> Any:
    """Return the value of an expression for a row."""
    match node:
        case Literal(value):
            return value
        case Path(steps):
            return _follow(row, steps)
        case Function(name, arguments):
            texts = [evaluate(a, row) for a in arguments]
            return _FUNCTIONS[name](*texts) if all(isinstance(t, str) for t in texts) else None
        case Compare(word, left, right):
            return _compare(word, evaluate(left, row), evaluate(right, row))
        case In(left, choices):
            return any(_compare("eq", evaluate(left, row), choice.value) for choice in choices)
        case Not(condition):
            return evaluate(condition, row) is not True
        case Join(word, conditions):
            return (all if word == "and" else any)(matches(c, row) for c in conditions)
        case Each(quantifier, path, variable, condition):
            items = _follow(row, path.steps)
            if not isinstance(items, list):
                return False
            if condition is None:
                return bool(items)
            return (all if quantifier == "all" else any)(
                matches(condition, {**row, variable: i}) for i in items
            )


def property_names(node: Node) -> set[str]:
    """Return the names of the properties that a condition uses, a property's own properties aside."""
    match node:
        case Path(steps):
            return {next((s for s in steps if not _is_cast(s)), "")}
        case Function(_, parts) | Join(_, parts):
            return set().union(*map(property_names, parts))
        case Compare(_, left, right):
            return property_names(left) | property_names(right)
        case In(inner, _) | Not(inner):
            return property_names(inner)
        case Each(_, items, variable, condition):
            return property_names(items) | ((property_names(condition) - {variable}) if condition else set())
    return set()


def order_rows(rows: Iterable[Row], text: str) -> list[Row]:
    """Return the rows in the order of ``$orderby``; what is null comes first, and last when descending."""
    ordered = list(rows)
    for key in reversed(dict.fromkeys(text.split(","))):  # one that comes again would change nothing
        match = re.fullmatch(r"\s*([\w.@/]+)(?:\s+(asc|desc))?\s*", key, re.IGNORECASE)
        if match is None:
            raise ODataError(f"Invalid orderby clause: '{key.strip()}'.")
        path = Path(tuple(match[1].split("/")))
        if ordered and (unknown := property_names(path) - set(ordered[0])):
            raise ODataError(f"Could not find a property named '{unknown.pop()}'.")
        ordered.sort(key=lambda row: _rank(evaluate(path, row)), reverse=(match[2] or "").lower() == "desc")
    return ordered


def parse_select(text: str) -> tuple[str, ...]:
    """Return the names that ``$select`` lists; of a path its first step."""
    names = tuple(dict.fromkeys(part.strip().split("/")[0] for part in text.split(",") if part.strip()))
    if wrong := next((n for n in names if not re.fullmatch(r"[\w.@]+|\*", n)), None):
        raise ODataError(f"Invalid select clause: '{wrong}'.")
    return () if "*" in names else names


def parse_search(text: str) -> Callable[[Row], bool]:
    """Return the test of ``$search`` for rows: ``"word"`` at the start of a word of its displayName or
    description, ``"property:word"`` at the start of that property; several are joined by AND or OR.
    """
    if not re2.fullmatch(r'\s*"[^"]+"(?:\s+(?:(?:AND|OR)\s+)?"[^"]+")*\s*', text):
        raise ODataError(f"Invalid search clause: terms stand in double quotes in '{text}'.")
    alternatives: list[list[str]] = [[]]
    for term, alternative in re.findall(r'"([^"]+)"|(OR)', text):
        if alternative:
            alternatives.append([])
        else:
            alternatives[-1].append(term)
    return lambda row: any(all(_has(row, term) for term in terms) for terms in alternatives)


def _has(row: Row, term: str) -> bool:
    name, colon, word = term.rpartition(":")
    if colon and name not in ("displayName", "description"):
        return str(row.get(name) or "").casefold().startswith(word.casefold())
    texts = [(row.get(n) or "").casefold() for n in ([name] if colon else ["displayName", "description"])]
    begin = word.casefold()
    return any(text.startswith(begin, at.start()) for text in texts for at in re.finditer(r"\b", text))


def _rank(value: Any) -> tuple[int, Any]:
    """Return a key by which values of any kind can be sorted."""
    if value is None:
        return 0, 0
    if isinstance(value, int | float):
        return 1, value
    return 2, str(value).casefold()


def _is_cast(step: str) -> bool:
    return "." in step and not step.startswith("@")


def _follow(value: Any, steps: tuple[str, ...]) -> Any:
    for step in steps:
        if not _is_cast(step):
            value = value.get(step) if isinstance(value, Mapping) else None
    return value


def _compare(word: str, left: Any, right: Any) -> bool:
    if left is None or right is None:
        return (left is right) if word == "eq" else word == "ne" and left is not right
    left, right = _comparable(left, right)
    try:
        return _COMPARISONS[word](left, right)
    except TypeError:  # a text and a number, say: neither is less
        return False


def _comparable(left: Any, right: Any) -> tuple[Any, Any]:
    """Return two values in comparable form: texts folded, a text beside a time as a time."""
    if isinstance(left, str) and isinstance(right, str):
        return left.casefold(), right.casefold()
    if isinstance(left, str) and isinstance(right, datetime):
        return parse_time(left), right
    if isinstance(left, datetime) and isinstance(right, str):
        return left, parse_time(right)
    return left, right
