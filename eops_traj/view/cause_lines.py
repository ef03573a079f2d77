"""The causes of a failure as the page of an episode shows them: with links, and their parts of a query."""

import re
from collections.abc import Iterable, Sequence

from markupsafe import Markup, escape

from eops_traj.causes.cause import Cause

_SHOWN = re.compile(r"(shown by \S+ in )turn (\d+)$")
_PAIR = re.compile(r", (?=\w+=)")
_VALUE = r"(?:'(?:[^']|'')*'|\((?:[^()]|\([^()]*\))*\)|[^\s)]+)"
_CONDITION = (
    r"(?:\b\w+\.)?[\"`\[]?\b{}\b[\"`\]]?\s*(?:NOT\s+)?(?:=|==|<>|!=|>=|<=|<|>|\bIN\b|\bLIKE\b|\bIS\b)\s*"
)


def by_turn(causes: Sequence[Cause]) -> dict[int, list[Cause]]:
    """Return the causes of each turn, from 1; what shows in no turn is left out."""
    turns: dict[int, list[Cause]] = {}
    for cause in causes:
        if cause.evidence.turn is not None:
            turns.setdefault(cause.evidence.turn + 1, []).append(cause)
    return turns


def by_verdict(causes: Sequence[Cause]) -> dict[int, list[Cause]]:
    """Return the causes of each verdict, by its place from 0."""
    verdicts: dict[int, list[Cause]] = {}
    for cause in causes:
        if cause.evidence.verifier is not None:
            verdicts.setdefault(cause.evidence.verifier, []).append(cause)
    return verdicts


def link_turns(text: str) -> Markup:
    """Return words of a cause with the turns that they name linked."""
    parts, end = [], 0
    for found in _SHOWN.finditer(text):
        link = Markup('{0}<a href="#turn-{1}">turn {1}</a>').format(found[1], found[2])
        parts += [escape(text[end : found.start()]), link]
        end = found.end()
    return Markup("").join([*parts, escape(text[end:])])


def split_row(text: str | None) -> str:
    """Return ``a=1, b=2`` as a line for each column."""
    return _PAIR.sub("\n", text or "")


def mark_conditions(query: str, causes: Iterable[Cause]) -> Markup:
    """Return a query with its conditions on the columns of these causes marked."""
    names = {(cause.evidence.column or "").rpartition(".")[2] for cause in causes} - {""}
    if not names:
        return escape(query)
    pattern = "|".join(_CONDITION.format(re.escape(name)) + _VALUE for name in sorted(names))
    parts, end = [], 0
    for found in re.finditer(pattern, query, re.IGNORECASE):
        parts += [escape(query[end : found.start()]), Markup("<mark>{}</mark>").format(found[0])]
        end = found.end()
    return Markup("").join([*parts, escape(query[end:])])
