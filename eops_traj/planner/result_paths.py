"""The way to a place: a reference whose elements of lists are told by what is known of them, not by number.

A list comes in another order tomorrow. So an element is told by a value that the request names, by a flag, by
a value that another result has, or by two words of the policy; only then by its place.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import combinations
from typing import Any

from eops_traj.plan import Match, Ref, Unresolved, resolve_ref
from eops_traj.plan.ast import Key
from eops_traj.planner.identifier_kinds import plain
from eops_traj.planner.mentioned_values import Told, is_moment, is_word
from eops_traj.planner.result_index import Place, Results

SURE, KNOWN, SPOKEN, FIRST, CHANCE = 0, 1, 2, 4, 8
"""How doubtful an element is: told by a name or alone, by another result, by words, first, any."""
_FIELD = re.compile(r"[A-Za-z_][\w-]*")
_MARK = re.compile(r"primary|default|main|current|self|own", re.IGNORECASE)
_WIDEST = 16


@dataclass(frozen=True)
class Way:
    """A reference, and how doubtful it is that it leads to what is meant."""

    ref: Ref
    doubt: int

    @property
    def is_named(self) -> bool:
        """Whether it leads by an element that the request names."""
        return self.doubt == SURE and any(isinstance(part, Match) for part in self.ref.path)


@dataclass
class Ways:
    """Finds the way to places in results."""

    results: Results
    told: Told
    _found: dict[Place, Way] = field(default_factory=dict)

    def to(self, place: Place) -> Way:
        """The reference to a place; it finds exactly what stands there."""
        if place not in self._found:
            self._found[place] = self._way(place)
        return self._found[place]

    def _way(self, place: Place) -> Way:
        path: list[Key | Match] = []
        doubt, at = 0, self.results.data[place.step]
        for key in place.keys:
            part, more = self._into(at, key, place) if isinstance(key, int) else (key, self._odd(key))
            path, doubt, at = [*path, part], doubt + more, at[key]
        ref = Ref(place.step, tuple(path))
        try:
            exact = resolve_ref(ref, self.results.data) == at
        except Unresolved:
            exact = False
        return Way(ref, doubt) if exact else Way(Ref(place.step, place.keys), doubt + CHANCE)

    def _odd(self, key: str) -> int:
        """The doubt in a key that is data (an address) and not a field's name."""
        return SURE if _FIELD.fullmatch(key) or self.told.by_anyone(key) else FIRST

    def _into(self, elements: list[Any], at: int, place: Place) -> tuple[Key | Match, int]:
        """How to tell an element of a list, and how doubtful that is."""
        if len(elements) == 1:
            return 0, SURE
        wanted = self.results.at(place)  # what is looked for tells nothing
        rows = [dict(_fields(element)) for element in elements]
        fields = {name: value for name, value in rows[at].items() if value != wanted}
        for names, doubt in self._choices(fields, place.step):
            if _tells(rows, at, names, key=doubt > SURE):
                return Match(tuple((n, self._said(n, fields[n], place.step)) for n in names)), doubt
        return at, CHANCE if at else FIRST

    def _choices(self, fields: Mapping[str, Any], step: int) -> Iterator[tuple[tuple[str, ...], int]]:
        """The fields that may tell an element from the others, the surest first."""
        named = [n for n, v in fields.items() if self._is_named(v)]
        marks = [n for n, v in fields.items() if v is True and _MARK.search(n)]
        known = [n for n, v in fields.items() if n not in named and self._known(n, v, step)]
        spoken = [n for n, v in fields.items() if self._is_spoken(v)]
        for doubt, names in ((SURE, [*named, *marks]), (KNOWN, known), (SPOKEN, spoken)):
            yield from (((name,), doubt) for name in names)
        several = list(dict.fromkeys([*named, *known, *spoken]))[:_WIDEST]
        yield from ((pair, SPOKEN) for pair in combinations(several, 2))

    def _is_named(self, value: Any) -> bool:
        """Whether the request names a value that is more than a word: a name, an address, a number."""
        return (
            isinstance(value, str)
            and not is_word(value)
            and not is_moment(value)
            and self.told.by_request(value)
        )

    def _is_spoken(self, value: Any) -> bool:
        return isinstance(value, str) and is_word(value) and self.told.by_anyone(value)

    def _known(self, name: str, value: Any, step: int) -> Ref | None:
        """Where an earlier result taught this value under the same name, if that is told well enough."""
        if isinstance(value, bool) or not isinstance(value, str | int):
            return None
        if isinstance(value, str) and (is_word(value) or is_moment(value) or self.told.by_anyone(value)):
            return None
        last = name.split(".")
        places = (p for p in reversed(self.results.places(value)) if p.step < step and not p.echo)
        meant = (p for p in places if _ends_in(p, last) and (p.kind or isinstance(value, str)))
        ways = (self.to(place) for place in meant)
        return next((way.ref for way in ways if way.doubt <= SPOKEN), None)

    def _said(self, name: str, value: Any, step: int) -> Any:
        """A value as the match says it."""
        return self._known(name, value, step) or value


def _ends_in(place: Place, names: list[str]) -> bool:
    """Whether a place stands under these names, the innermost last."""
    keys = [plain(key) for key in place.keys if isinstance(key, str)]
    return keys[-len(names) :] == [plain(name) for name in names]


def _fields(element: Any, within: str = "") -> Iterator[tuple[str, Any]]:
    """The single values of an element by their names, those one level down by a dotted one."""
    if not isinstance(element, Mapping):
        return
    for name, value in element.items():
        if not _FIELD.fullmatch(name):
            continue
        if isinstance(value, str | int | bool) and value != "":
            yield f"{within}{name}", value
        elif not within:
            yield from _fields(value, f"{name}.")


def _tells(rows: list[dict[str, Any]], at: int, names: tuple[str, ...], *, key: bool) -> bool:
    """Whether fields tell an element from all others; as a key does, if they have to tell every one."""
    values = [tuple(row.get(name) for name in names) for row in rows]
    return len(set(values)) == len(values) if key else values.count(values[at]) == 1
