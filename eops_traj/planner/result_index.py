"""The results of the steps so far, and every place at which a value stands in them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eops_traj.plan import decode
from eops_traj.plan.ast import Key
from eops_traj.planner.identifier_kinds import kind
from eops_traj.schema import ToolCall


@dataclass(frozen=True)
class Place:
    """Where a value stands: the step whose result holds it, and the keys that lead to it."""

    step: int
    keys: tuple[Key, ...]
    kind: str | None
    """The kind of record that the value identifies, where its field tells."""
    echo: bool
    """Whether the call passed the value itself, so that its result did not teach it."""

    @property
    def name(self) -> str:
        """The innermost field's name; empty where the result is the value itself."""
        return last_name(self.keys)

    @property
    def record(self) -> object:
        """The record that it belongs to: the element of a list, or the whole result."""
        within = max((n for n, key in enumerate(self.keys, 1) if isinstance(key, int)), default=0)
        return self.step, self.keys[:within]


@dataclass
class Results:
    """Results as data by the number of their step, and the places of every text and number in them."""

    data: dict[int, Any] = field(default_factory=dict)
    texts: dict[str, list[Place]] = field(default_factory=dict)
    numbers: dict[float, list[Place]] = field(default_factory=dict)

    def add(self, step: int, call: ToolCall, given: Any) -> None:
        """Take in the result of a call that is a plan's step; ``given`` are its arguments."""
        self.data[step] = decode(call.result or "")
        passed = {str(value) for _, value in leaves(given)}
        for keys, value in leaves(self.data[step]):
            place = Place(step, keys, kind(call.server, last_name(keys)), str(value) in passed)
            if isinstance(value, str):
                self.texts.setdefault(value, []).append(place)
            else:
                self.numbers.setdefault(value, []).append(place)

    def places(self, value: Any) -> list[Place]:
        """Every place of exactly this value, a text or a number."""
        if isinstance(value, str):
            return self.texts.get(value, [])
        return [place for place in self.numbers.get(value, []) if type(self.at(place)) is type(value)]

    def at(self, place: Place) -> Any:
        """What stands at a place."""
        found = self.data[place.step]
        for key in place.keys:
            found = found[key]
        return found


def leaves(value: Any, keys: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Any]]:
    """The texts and numbers inside a value, with the keys that lead to each."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*keys, key))
    elif isinstance(value, list):
        for place, inner in enumerate(value):
            yield from leaves(inner, (*keys, place))
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
        yield keys, value


def last_name(keys: tuple[Key, ...]) -> str:
    """The innermost field's name; empty where there is none."""
    return next((key for key in reversed(keys) if isinstance(key, str)), "")
