"""Arguments linked to where their values are from: literals that an earlier result taught become references.

A value is learnt where an earlier result has exactly it and neither request nor policy names it. Words that
the tool's own schema lists, small change (flags, counts) and what the agent had worded by itself before stay
literals: a wrong reference is worse than none.
"""

import re
from collections.abc import Mapping
from typing import Any

from eops_traj.plan import Ref, Text
from eops_traj.planner.identifier_kinds import is_key
from eops_traj.planner.mentioned_values import Told, alone, is_moment
from eops_traj.planner.result_index import Results, last_name, leaves
from eops_traj.planner.result_paths import Ways
from eops_traj.planner.value_sources import Sources, Wanted
from eops_traj.schema import ToolCall

_SMALL = 10
"""Numbers below it are flags and counts, unless they identify something."""
_LISTED = re.compile(r"One of: ([^.]*)\.")


class Linker:
    """Links the steps of one episode, in order."""

    def __init__(self, told: Told, schemas: Mapping[str, Any]) -> None:
        """``schemas`` are those of the tools' arguments, by the tools' names."""
        self._schemas, self._results = schemas, Results()
        self._sources = Sources(told, self._results, Ways(self._results, told))

    def link(self, step: int, call: ToolCall, given: dict[str, Any]) -> dict[str, Any]:
        """The arguments of a step with references in them; its result is there for the steps after it."""
        choices = listed(self._schemas.get(call.name))
        about = self._about(call.server, given)
        linked = {
            name: _Arguments(call.server, choices, about, self._sources).linked(name, value)
            for name, value in given.items()
        }
        self._results.add(step, call, given)
        return linked

    def _about(self, server: str | None, given: Mapping[str, Any]) -> frozenset[object]:
        """The records that the identifiers among the arguments were read in."""
        named = ((last_name(keys), value) for keys, value in leaves(given))
        wanted = (Wanted(value, name, server) for name, value in named if is_key(name))
        return frozenset(place.record for w in wanted if (place := self._sources.place(w)) is not None)


class _Arguments:
    """The arguments of one call, on their way."""

    def __init__(
        self, server: str | None, choices: frozenset[str], about: frozenset[object], sources: Sources
    ) -> None:
        self._server, self._choices, self._about, self._sources = server, choices, about, sources

    def linked(self, name: str, value: Any) -> Any:
        """An argument with references in it."""
        if isinstance(value, dict):
            return {key: self.linked(key, inner) for key, inner in value.items()}
        if isinstance(value, list):
            return [self.linked(name, inner) for inner in value]
        if isinstance(value, bool) or value is None or value == "" or value in self._choices:
            return value
        found = self._scalar(Wanted(value, name, self._server))
        if not isinstance(found, Ref) and _is_worded(value):
            self._sources.own.add(value)
        return value if found is None else found

    def _scalar(self, wanted: Wanted) -> Ref | Text | None:
        value = wanted.value
        if not isinstance(value, str):
            return self._ref(wanted) if wanted.kind or abs(value) >= _SMALL else None
        if value.isdecimal() and wanted.kind:
            number = self._ref(Wanted(int(value), wanted.name, wanted.server))
            return self._ref(wanted) if number is None else Text((number,))
        return self._ref(wanted) or self._text(value)

    def _ref(self, wanted: Wanted) -> Ref | None:
        return self._sources.ref(wanted, self._about)

    def _text(self, literal: str) -> Text | None:
        """A text in which learnt values stand, the longest of them first; None where there are none."""
        sources, parts = self._sources, list[str | Ref]([literal])
        inside = [
            v for v in sources.results.texts if v in literal and v != literal and sources.is_quotable(v)
        ]
        for value in sorted(inside, key=lambda value: (-len(value), value)):
            if ref := self._ref(Wanted(value)):
                parts = [piece for part in parts for piece in _split(part, value, ref)]
        return Text(tuple(parts)) if len(parts) > 1 else None


def listed(schema: Any) -> frozenset[str]:
    """The words that a tool's schema lists as choices, in an enum or in words."""
    if isinstance(schema, Mapping):
        found = {v for v in schema.get("enum") or () if isinstance(v, str)}
        for told in _LISTED.findall(str(schema.get("description", ""))):
            found |= {word.strip() for word in told.split(",")}
        return frozenset(found).union(*map(listed, schema.values()))
    return frozenset[str]().union(*map(listed, schema)) if isinstance(schema, list) else frozenset()


def _is_worded(value: Any) -> bool:
    """Whether a literal is of the agent's own making: words, a time, a number; an address or id never is."""
    return not isinstance(value, str) or is_moment(value) or (" " in value and "@" not in value)


def _split(part: str | Ref, value: str, ref: Ref) -> list[str | Ref]:
    """A literal part with a reference wherever the value stands in it by itself."""
    if isinstance(part, Ref):
        return [part]
    pieces = alone(value).split(part)
    found: list[str | Ref] = [pieces[0]]
    for piece in pieces[1:]:
        found += [ref, piece]
    return [piece for piece in found if piece != ""]
