"""Link arguments to their sources: literals that an earlier result contained become references.

A value is learnt where an earlier result has exactly it and neither request nor policy names it. Words that
the tool's own schema lists, small numbers (flags, counts) and what the agent had worded by itself before stay
literals: a wrong reference is worse than none.
"""

import re
from collections.abc import Mapping
from typing import Any

from eops_traj.plan import Ref, Text
from eops_traj.planner.identifier_kinds import is_identifier
from eops_traj.planner.mentioned_values import MentionedValues, is_moment, is_whole_number, standalone_pattern
from eops_traj.planner.result_index import ResultIndex, last_name, leaves
from eops_traj.planner.result_paths import PathFinder
from eops_traj.planner.value_sources import ArgumentValue, ValueSources
from eops_traj.schema import ToolCall

_SMALL = 10
"""Numbers below it are flags and counts, unless they identify something."""
_LISTED = re.compile(r"One of: ([^.]*)\.")


class ReferenceLinker:
    """A linker of the steps of one episode, in order."""

    def __init__(self, mentioned: MentionedValues, schemas: Mapping[str, Any]) -> None:
        """Set up the linker; ``schemas`` are those of the tools' arguments, by the tools' names."""
        self._schemas, self._results = schemas, ResultIndex()
        self._sources = ValueSources(mentioned, self._results, PathFinder(self._results, mentioned))

    def link(self, step: int, call: ToolCall, arguments: dict[str, Any]) -> dict[str, Any]:
        """Link the arguments of a step, and index its result for the steps after it."""
        choices = listed_choices(self._schemas.get(call.name))
        about = self._about(call.server, arguments)
        linked = {
            name: _Arguments(call.server, choices, about, self._sources).linked(name, value)
            for name, value in arguments.items()
        }
        self._results.add(step, call, arguments)
        return linked

    def _about(self, server: str | None, arguments: Mapping[str, Any]) -> frozenset[object]:
        """Return the records from which the identifiers among the arguments were read."""
        named = ((last_name(keys), value) for keys, value in leaves(arguments))
        identifiers = (ArgumentValue(value, name, server) for name, value in named if is_identifier(name))
        return frozenset(
            at.record for value in identifiers if (at := self._sources.locate(value)) is not None
        )


class _Arguments:
    """The arguments of one call, while they are linked."""

    def __init__(
        self, server: str | None, choices: frozenset[str], about: frozenset[object], sources: ValueSources
    ) -> None:
        self._server, self._choices, self._about, self._sources = server, choices, about, sources

    def linked(self, name: str, value: Any) -> Any:
        """Replace the values in an argument by references."""
        if isinstance(value, dict):
            return {key: self.linked(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.linked(name, inner) for inner in value]
        if isinstance(value, bool) or value is None or value == "" or value in self._choices:
            return value
        reference = self._scalar(ArgumentValue(value, name, self._server))
        if not isinstance(reference, Ref) and _is_worded(value):
            self._sources.own_words.add(value)
        return value if reference is None else reference

    def _scalar(self, argument: ArgumentValue) -> Ref | Text | None:
        value = argument.value
        if not isinstance(value, str):
            return self._ref(argument) if argument.kind or abs(value) >= _SMALL else None
        if is_whole_number(value) and argument.kind:
            number = self._ref(ArgumentValue(int(value), argument.name, argument.server))
            return self._ref(argument) if number is None else Text((number,))
        return self._ref(argument) or self._text(value)

    def _ref(self, argument: ArgumentValue) -> Ref | None:
        return self._sources.reference(argument, self._about)

    def _text(self, literal: str) -> Text | None:
        """Return a text with the learnt values in it as references, the longest first; None without any."""
        sources, parts = self._sources, list[str | Ref]([literal])
        inside = [
            v for v in sources.results.texts if v in literal and v != literal and sources.is_quotable(v)
        ]
        for value in sorted(inside, key=lambda value: (-len(value), value)):
            if ref := self._ref(ArgumentValue(value)):
                parts = [piece for part in parts for piece in _split(part, value, ref)]
        return Text(tuple(parts)) if len(parts) > 1 else None


def listed_choices(schema: Any) -> frozenset[str]:
    """Return the words that a tool's schema lists as choices, in an enum or in words."""
    if isinstance(schema, Mapping):
        choices = {v for v in schema.get("enum") or () if isinstance(v, str)}
        for words in _LISTED.findall(str(schema.get("description", ""))):
            choices |= {word.strip() for word in words.split(",")}
        return frozenset(choices).union(*map(listed_choices, schema.values()))
    return frozenset[str]().union(*map(listed_choices, schema)) if isinstance(schema, list) else frozenset()


def _is_worded(value: Any) -> bool:
    """Check whether a literal is the agent's own: words, a time, a number; never an address or id."""
    return not isinstance(value, str) or is_moment(value) or (" " in value and "@" not in value)


def _split(part: str | Ref, value: str, ref: Ref) -> list[str | Ref]:
    """Split a literal part with a reference wherever the value stands in it by itself."""
    if isinstance(part, Ref):
        return [part]
    pieces = standalone_pattern(value).split(part)
    parts: list[str | Ref] = [pieces[0]]
    for piece in pieces[1:]:
        parts += [ref, piece]
    return [piece for piece in parts if piece != ""]
