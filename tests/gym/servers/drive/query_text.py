"""Queries of Drive as text, for tests of the parser and of the search."""

from eops_traj.gym.servers.drive.query import Comparison, Has, Joined, Membership, Node, Not, Value


def render(node: Node) -> str:
    """Write the query of a tree; parsed, it gives the tree again."""
    if isinstance(node, Comparison):
        return f"{node.field} {node.operator} {_literal(node.value)}"
    if isinstance(node, Membership):
        return f"{_literal(node.value)} in {node.collection}"
    if isinstance(node, Has):
        return f"{node.field} has {{ key={_literal(node.key)} and value={_literal(node.value)} }}"
    if isinstance(node, Not):
        return f"not {_inner(node.term)}"
    return f" {node.word} ".join(map(_inner, node.terms))


def _inner(node: Node) -> str:
    return f"({render(node)})" if isinstance(node, Joined) else render(node)


def _literal(value: Value) -> str:
    if isinstance(value, str):
        return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"
    return str(value).lower()
