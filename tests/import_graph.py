"""The import graph of the package, read from the syntax trees.

Every import counts, those inside functions and under ``TYPE_CHECKING`` too. What stands under
``if __name__ == "__main__"`` is a program of its own and no part of the module.
"""

import ast
import os
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

PACKAGE = "eops_traj"
INSTANCES = ("collectors", "filters", "exporters", "recipes")
Graph = Mapping[str, set[str]]


def modules(root: Path) -> dict[str, Path]:
    """The modules of the package by dotted name; the symlinks lead to those of the instance folders."""
    found = {}
    for folder, _, files in os.walk(root / PACKAGE, followlinks=True):
        for path in (Path(folder) / name for name in files if name.endswith(".py")):
            parts = path.relative_to(root).with_suffix("").parts
            found[".".join(parts).removesuffix(".__init__")] = path
    return found


def statements(nodes: Iterable[ast.AST]) -> Iterator[ast.AST]:
    """Yield statements, and those inside them; expressions, which are most of a tree, hold none."""
    for node in nodes:
        yield node
        for part in ("body", "orelse", "finalbody", "handlers", "cases"):
            yield from statements(getattr(node, part, ()))


def imports(path: Path) -> Iterator[tuple[str, str | None]]:
    """Yield each import of a file: a module, and what is taken from it."""
    tree = ast.parse(path.read_text(encoding="utf-8"))
    for node in statements(node for node in tree.body if not _is_program(node)):
        if isinstance(node, ast.ImportFrom) and node.module:
            yield from ((node.module, alias.name) for alias in node.names)
        elif isinstance(node, ast.Import):
            yield from ((alias.name, None) for alias in node.names)


def _is_program(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and ast.unparse(node.test) == "__name__ == '__main__'"


def module_graph(root: Path) -> dict[str, set[str]]:
    """For each module of the package those that it imports."""
    known = modules(root)
    graph: dict[str, set[str]] = {}
    for name, path in known.items():
        named = (
            f"{module}.{part}" if f"{module}.{part}" in known else module for module, part in imports(path)
        )
        graph[name] = {target for target in named if target in known and target != name}
    return graph


def room(module: str) -> str:
    """The room of a module: its package within ``eops_traj``, or the module itself on the ground floor."""
    _, *parts = module.split(".")
    if parts and parts[0] == "collectors":
        return "/".join(parts[:2])
    return parts[0] if parts else PACKAGE


def room_graph(modules: Graph) -> dict[str, set[str]]:
    """For each room those that its modules import from."""
    rooms: dict[str, set[str]] = {room(module): set() for module in modules}
    for module, targets in modules.items():
        rooms[room(module)] |= {room(target) for target in targets} - {room(module)}
    return rooms


def circles(graph: Graph) -> list[list[str]]:
    """What is left of a graph once the ends are taken off: what imports nothing, or nothing imports."""
    left = {name: set(targets) for name, targets in graph.items()}
    while True:
        ends = {name for name, targets in left.items() if not targets}
        ends |= left.keys() - set().union(*left.values())
        if not ends:
            return [sorted(left)] if left else []
        left = {name: targets - ends for name, targets in left.items() if name not in ends}
