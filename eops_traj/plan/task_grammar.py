"""The grammar of plans that may call some tools: ``plan.lark``, with these in the place of any."""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from importlib.resources import files
from typing import Any

from eops_traj.plan.listed_values import takes_counts, takes_texts, written

CALL = 'TOOL "(" (argument (", " argument)*)? ")"'
"""The part of a line that names any tool and any arguments."""
FILLED = r"""/"\{\$([1-9]|row|item)([^"\\\n]|\\["\\\/bfnrt]|\\u[0-9a-fA-F]{4})*"/"""
"""A text that begins with a reference, which has to stand between the braces: the parser sees to that."""
ANY_MARKER = r'/"\[[a-z]+ [1-9][0-9]{0,2}(\.[1-9])?\]"/'


def grammar_of(tools: Mapping[str, Mapping[str, Sequence[Any]]], markers: Iterable[str] | None = None) -> str:
    """Return the grammar for tools, given by their arguments, each of these with the values it may have.

    In the place of such a value one of the markers may stand; None for any.
    """
    general = (files("eops_traj.plan") / "plan.lark").read_text(encoding="utf-8")
    kept = [line for line in general.splitlines() if not line.startswith(("argument:", "TOOL:"))]
    calls = " | ".join(_call(tool, number, bool(of)) for number, (tool, of) in enumerate(tools.items()))
    rules = [f"call: {calls}"] if tools else ['call: "require" "_without_tools"']
    for number, arguments in enumerate(tools.values()):
        if arguments:
            rules.append(f"argument_{number}: {' | '.join(_arguments(arguments))}")
    marker = ANY_MARKER if markers is None else _any(map(json.dumps, ("", *markers)))
    return "\n".join([*kept, *rules, f"MARKER: {marker}", f"FILLED: {FILLED}", ""]).replace(CALL, "call")


def _call(tool: str, number: int, has_arguments: bool) -> str:
    if not has_arguments:
        return _literal(f"{tool}()")
    return f'{_literal(f"{tool}(")} (argument_{number} (", " argument_{number})*)? ")"'


def _arguments(arguments: Mapping[str, Sequence[Any]]) -> Iterator[str]:
    """Yield the arguments: those of any value together, those with choices by themselves."""
    if free := [name for name, choices in arguments.items() if not choices]:
        yield f"({_any(f'{name}=' for name in free)}) value"
    for name, choices in arguments.items():
        if choices:
            others = [*(["FILLED"] if takes_texts(choices) else []), "ref", "function", "list"]
            others += ['"count(" ref ")"'] if takes_counts(choices) else []
            told = _any(written(("", *choices)))
            yield f"{_literal(f'{name}=')} ({' | '.join((told, 'MARKER', *others))})"


def _any(texts: Iterable[str]) -> str:
    return " | ".join(map(_literal, dict.fromkeys(texts)))


def _literal(text: str) -> str:
    return json.dumps(text, ensure_ascii=False)
