"""The language of ``fields``: which parts of a resource to show, such as ``kind,user(displayName),a/b``."""

import re
from typing import Any

from eops_traj.gym.api_styles.google import GoogleRefusal, error

Tree = dict[str, "Tree"]
_LONGEST = 200


def select(value: Any, text: str) -> Any:
    """The parts of a value that ``fields`` names; ``*`` is all of them."""
    tokens = re.findall(r"[\w*]+|\S", text)
    tree, place = _list(tokens, 0) if len(tokens) <= _LONGEST else ({}, 0)
    if place != len(tokens):
        raise _wrong(text)
    return _selected(value, tree)


def _list(tokens: list[str], place: int) -> tuple[Tree, int]:
    tree: Tree = {}
    while True:
        name, inner, place = _item(tokens, place)
        tree.setdefault(name, {}).update(inner)
        if tokens[place : place + 1] != [","]:
            return tree, place
        place += 1


def _item(tokens: list[str], place: int) -> tuple[str, Tree, int]:
    name, mark = (*tokens[place : place + 2], "", "")[:2]
    if not re.fullmatch(r"[\w*]+", name):
        raise _wrong(name)
    if mark == "(":
        inner, place = _list(tokens, place + 2)
        if tokens[place : place + 1] != [")"]:
            raise _wrong(name)
        return name, inner, place + 1
    if mark in ("/", "."):
        below, inner, place = _item(tokens, place + 2)
        return name, {below: inner}, place
    return name, {}, place + 1


def _selected(value: Any, tree: Tree) -> Any:
    if not tree or "*" in tree:
        return value
    if isinstance(value, list):
        return [_selected(item, tree) for item in value]
    if not isinstance(value, dict) or (strays := sorted(tree.keys() - value.keys())):
        raise _wrong(next(iter(tree)) if not isinstance(value, dict) else strays[0])
    return {name: _selected(value[name], inner) for name, inner in tree.items()}


def _wrong(text: str) -> GoogleRefusal:
    return error("INVALID_ARGUMENT", f"Invalid field selection {text}", "invalidParameter", "fields")
