"""Alternatives in a wording, ``move it[ today| by [noon|four]|]``: chosen at random, nested or empty."""

import re
from random import Random

from eops_traj.taskgen.errors import ScenarioError

_TOKEN = re.compile(r"[\[\]|]|[^\[\]|]+")
_INNERMOST = re.compile(r"\[([^\[\]|]*)(?:\|[^\[\]]*)?\]")


def vary(rng: Random, wording: str) -> str:
    """Return the wording with one of each group's alternatives. Raises ScenarioError for an open group."""
    tokens = _TOKEN.findall(wording)
    text, end = _alternative(rng, tokens, 0)
    if end < len(tokens):
        raise ScenarioError(f"{tokens[end]!r} outside of a group: {wording[:80]!r}")
    return text


def plainest(wording: str) -> str:
    """Return the wording with the first of each group's alternatives, as verifiers call what was asked."""
    while (inner := _INNERMOST.sub(r"\1", wording)) != wording:
        wording = inner
    return wording


def _alternative(rng: Random, tokens: list[str], at: int) -> tuple[str, int]:
    """Read texts and groups up to a bar, a closing bracket or the end."""
    pieces: list[str] = []
    while at < len(tokens) and tokens[at] not in "|]":
        if tokens[at] == "[":
            piece, at = _group(rng, tokens, at + 1)
        else:
            piece, at = tokens[at], at + 1
        pieces.append(piece)
    return "".join(pieces), at


def _group(rng: Random, tokens: list[str], at: int) -> tuple[str, int]:
    """Read a group after its bracket, and choose one of its alternatives."""
    alternatives: list[str] = []
    while True:
        text, at = _alternative(rng, tokens, at)
        alternatives.append(text)
        if at == len(tokens):
            raise ScenarioError(f"a group is left open: {''.join(tokens)[:80]!r}")
        at += 1
        if tokens[at - 1] == "]":
            return rng.choice(alternatives), at
