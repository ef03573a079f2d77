"""The sources of arguments: the location in an earlier result from which a value was learnt, if any."""

import re
from collections.abc import Set
from dataclasses import dataclass, field
from math import inf
from typing import Any

from eops_traj.plan import Ref
from eops_traj.planner.identifier_kinds import is_identifier, normalized_name, record_kind
from eops_traj.planner.mentioned_values import (
    MentionedValues,
    is_moment,
    is_stamp,
    is_whole_number,
    is_word,
)
from eops_traj.planner.result_index import ResultIndex, ValueLocation
from eops_traj.planner.result_paths import SPOKEN, SURE, PathFinder

_UNRELATED, _ECHO, _RENAMED = 3, 2, 1
"""The doubt in a field of another name, in a result that only repeats its call, in a name spelt otherwise."""
_SHORTEST = 6
"""The shortest text that is distinct from others by itself."""


@dataclass(frozen=True)
class ArgumentValue:
    """A value that a call passes: its name and server; or a value inside a longer text."""

    value: Any
    name: str = ""
    server: str | None = None

    @property
    def kind(self) -> str | None:
        """The kind of record that it identifies, where its name shows it."""
        return record_kind(self.server, self.name)


@dataclass
class ValueSources:
    """A finder of the sources of values, which keeps them: a value has one source throughout."""

    mentioned: MentionedValues
    results: ResultIndex
    paths: PathFinder
    own_words: set[Any] = field(default_factory=set)
    """Values that the agent worded itself."""
    last_used: dict[Any, ValueLocation] = field(default_factory=dict)
    """Where each value was last found, by itself and under a name."""

    def reference(self, argument: ArgumentValue, beside: Set[object] = frozenset()) -> Ref | None:
        """Return the reference to a value's source, and keep the source; None where there is none."""
        location = self.locate(argument, beside)
        if location is None:
            return None
        for key in (argument.value, (argument.value, normalized_name(argument.name))):
            self.last_used[key] = location
        return self.paths.path_to(location).ref

    def locate(self, argument: ArgumentValue, beside: Set[object] = frozenset()) -> ValueLocation | None:
        """Return the location a value was learnt from, if any; ``beside`` are records that the call is about.

        Of several it is the least doubtful; of those one in an element that the request names, one in such a
        record, the one used before, the latest.
        """
        if self._is_mentioned(argument) or (not argument.kind and argument.value in self.own_words):
            return None
        previous = self.last_used.get((argument.value, normalized_name(argument.name)))
        bearable, ranked = self._bearable(argument), []
        for location in self.results.locations(argument.value):
            path = self.paths.path_to(location)
            if self._is_possible(location, argument) and path.doubt <= bearable:
                doubt = path.doubt + (0 if location == previous else _mismatch(location, argument))
                order = not path.is_named, location.record not in beside, location != previous
                nearness = (*order, -location.step, len(location.keys))
                ranked.append((doubt, *nearness, str(path.ref), location))
        return min(ranked, key=lambda entry: entry[:-1])[-1] if ranked else None

    def is_quotable(self, value: str) -> bool:
        """Check whether a value is looked for inside texts: a name, an address, an id of some length."""
        if len(value) < _SHORTEST or is_moment(value):
            return False
        return is_unique(value) or any(is_identifier(at.name) for at in self.results.locations(value))

    def _bearable(self, argument: ArgumentValue) -> float:
        """Return how doubtful a path may be: not at all for what can be composed from the request.

        What identifies nothing (a zone, a title) may be found anywhere, and so in any element by chance.
        """
        if self.mentioned.implies(argument.value):
            return SURE
        code = isinstance(argument.value, str) and re.search(r"[@\d]", argument.value)
        return inf if argument.kind or not argument.name or is_identifier(argument.name) or code else SPOKEN

    def _is_mentioned(self, argument: ArgumentValue) -> bool:
        number = not isinstance(argument.value, str) or is_whole_number(argument.value)
        identifies = number and argument.kind is not None
        return (
            self.mentioned.names_record(argument.value)
            if identifies
            else self.mentioned.is_mentioned(argument.value)
        )

    def _is_possible(self, location: ValueLocation, argument: ArgumentValue) -> bool:
        """Check whether a location can be the intended one, its value not being from elsewhere itself."""
        if location.echo and self.last_used.get(argument.value, location) != location:
            return False
        if not argument.name and is_identifier(location.name):  # an id inside of a text
            return True
        word = isinstance(argument.value, str) and is_word(argument.value)
        word = word and not (argument.kind or is_identifier(argument.name))
        return is_unique(argument.value) or (not word and _is_related(location, argument))


def is_unique(value: Any) -> bool:
    """Check whether a text stands for one thing everywhere: a name, an address, an id; not a mere word."""
    if not isinstance(value, str) or is_whole_number(value):
        return False
    if is_word(value) or is_moment(value):
        return is_stamp(value)
    return "@" in value or " " in value.strip() or len(value) >= _SHORTEST


def _mismatch(location: ValueLocation, argument: ArgumentValue) -> int:
    """Return how doubtful a location is by its name and by what its result was for."""
    renamed = _RENAMED * (location.name != argument.name)
    return renamed + _UNRELATED * (not _is_related(location, argument)) + _ECHO * location.echo


def _is_related(location: ValueLocation, argument: ArgumentValue) -> bool:
    """Check whether a location is named as the argument is, or identifies the same kind of record."""
    if argument.kind and location.kind:
        return argument.kind == location.kind
    return normalized_name(location.name) == normalized_name(argument.name) or bool(
        argument.kind and location.name == "id"
    )
