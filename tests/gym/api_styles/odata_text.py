"""Conditions of OData's filter language as texts."""

from datetime import datetime

from eops_traj.gym.api_styles.odata_ast import (
    CONSTANTS,
    Compare,
    Each,
    Function,
    In,
    Join,
    Literal,
    Node,
    Not,
    Path,
    Value,
)


def render(node: Node) -> str:
    """Return the text of a condition; parsed, it gives the same condition."""
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
