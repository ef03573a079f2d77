"""Queries of mail as text, for tests of the parser."""

import re

from eops_traj.gym.servers.email.query import Joined, Node, Not, Term

_PLAIN = re.compile(r"[A-Za-z0-9@._/][A-Za-z0-9@._/+-]*", re.ASCII)


def render(node: Node) -> str:
    """Write the query of a tree; parsed, it gives the tree again."""
    if isinstance(node, Term):
        return f"{node.field}:{_value(node.value)}" if node.field else _value(node.value)
    if isinstance(node, Not):
        return f"-{_inner(node.term)}"
    if node.word == "or":
        return "{" + " ".join(map(_inner, node.terms)) + "}"
    return " ".join(map(_inner, node.terms))


def _inner(node: Node) -> str:
    return f"({render(node)})" if isinstance(node, Joined) and node.word == "and" else render(node)


def _value(value: str) -> str:
    return value if _PLAIN.fullmatch(value) and value not in ("OR", "AND") else f'"{value}"'
