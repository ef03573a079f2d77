"""Where the value of an argument is from: the place in an earlier result that taught it, if one did."""

import re
from collections.abc import Set
from dataclasses import dataclass, field
from math import inf
from typing import Any

from eops_traj.plan import Ref
from eops_traj.planner.identifier_kinds import is_key, kind, plain
from eops_traj.planner.mentioned_values import Told, is_moment, is_stamp, is_word
from eops_traj.planner.result_index import Place, Results
from eops_traj.planner.result_paths import SPOKEN, SURE, Ways

_UNRELATED, _ECHO, _RENAMED = 3, 2, 1
"""The doubt in a field of another name, in a result that only repeats its call, in a name spelt otherwise."""
_SHORTEST = 6
"""The shortest text that is told from others by itself."""


@dataclass(frozen=True)
class Wanted:
    """A value that a call passes: under which name, to which server; or inside of a longer text."""

    value: Any
    name: str = ""
    server: str | None = None

    @property
    def kind(self) -> str | None:
        """The kind of record that it identifies, where its name tells."""
        return kind(self.server, self.name)


@dataclass
class Sources:
    """Finds where values are from, and keeps what was found: a value comes from one place throughout."""

    told: Told
    results: Results
    ways: Ways
    own: set[Any] = field(default_factory=set)
    """Values that the agent worded itself."""
    taken: dict[Any, Place] = field(default_factory=dict)
    """Where each value was last taken from, and where under a name."""

    def ref(self, wanted: Wanted, beside: Set[object] = frozenset()) -> Ref | None:
        """The reference to where a value is from, which is kept; None where nothing taught it."""
        place = self.place(wanted, beside)
        if place is None:
            return None
        self.taken[wanted.value] = self.taken[wanted.value, plain(wanted.name)] = place
        return self.ways.to(place).ref

    def place(self, wanted: Wanted, beside: Set[object] = frozenset()) -> Place | None:
        """Where a value is from, if it was learnt; ``beside`` are records that the same call is about.

        Of several places it is the least doubtful; of those one in an element that the request names, one in
        such a record, the one it was taken from before, the latest.
        """
        if self._is_told(wanted) or (not wanted.kind and wanted.value in self.own):
            return None
        before = self.taken.get((wanted.value, plain(wanted.name)))
        bearable, ranked = self._bearable(wanted), []
        for place in self.results.places(wanted.value):
            way = self.ways.to(place)
            if self._is_possible(place, wanted) and way.doubt <= bearable:
                doubt = way.doubt + (0 if place == before else _strangeness(place, wanted))
                near = not way.is_named, place.record not in beside, place != before
                nearness = (*near, -place.step, len(place.keys))
                ranked.append((doubt, *nearness, str(way.ref), place))
        return min(ranked, key=lambda found: found[:-1])[-1] if ranked else None

    def is_quotable(self, value: str) -> bool:
        """Whether a value is looked for inside of texts: a name, an address, an id of some length."""
        if len(value) < _SHORTEST or is_moment(value):
            return False
        return is_unique(value) or any(is_key(place.name) for place in self.results.places(value))

    def _bearable(self, wanted: Wanted) -> float:
        """How doubtful a way may be: for what can be put together from the request, not at all.

        What identifies nothing (a zone, a title) may be found anywhere, and so in any element by chance.
        """
        if self.told.implies(wanted.value):
            return SURE
        code = isinstance(wanted.value, str) and re.search(r"[@\d]", wanted.value)
        return inf if wanted.kind or not wanted.name or is_key(wanted.name) or code else SPOKEN

    def _is_told(self, wanted: Wanted) -> bool:
        number = not isinstance(wanted.value, str) or wanted.value.isdecimal()
        identifies = number and wanted.kind is not None
        return self.told.identifies(wanted.value) if identifies else self.told.by_anyone(wanted.value)

    def _is_possible(self, place: Place, wanted: Wanted) -> bool:
        """Whether a place can be the one that is meant, and its value did not come from elsewhere itself."""
        if place.echo and self.taken.get(wanted.value, place) != place:
            return False
        if not wanted.name and is_key(place.name):  # an id inside of a text
            return True
        word = isinstance(wanted.value, str) and is_word(wanted.value)
        word = word and not (wanted.kind or is_key(wanted.name))
        return is_unique(wanted.value) or (not word and _is_related(place, wanted))


def is_unique(value: Any) -> bool:
    """Whether a text stands for one thing wherever it stands: a name, an address, an id; not a mere word."""
    if not isinstance(value, str) or value.isdecimal():
        return False
    if is_word(value) or is_moment(value):
        return is_stamp(value)
    return "@" in value or " " in value.strip() or len(value) >= _SHORTEST


def _strangeness(place: Place, wanted: Wanted) -> int:
    """How doubtful a place is by its name and by what its result was for."""
    renamed = _RENAMED * (place.name != wanted.name)
    return renamed + _UNRELATED * (not _is_related(place, wanted)) + _ECHO * place.echo


def _is_related(place: Place, wanted: Wanted) -> bool:
    """Whether a place is named as the argument is, or identifies the same kind of record."""
    if wanted.kind and place.kind:
        return wanted.kind == place.kind
    return plain(place.name) == plain(wanted.name) or bool(wanted.kind and place.name == "id")
