"""An index of the results of the steps so far, and of every location at which a value occurs in them."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from typing import Any

from eops_traj.plan import decode
from eops_traj.plan.ast import Key
from eops_traj.planner.identifier_kinds import record_kind
from eops_traj.schema import ToolCall


@dataclass(frozen=True)
class ValueLocation:
    """The location of a value: the step whose result holds it, and the keys that lead to it."""

    step: int
    keys: tuple[Key, ...]
    kind: str | None
    """The kind of record that the value identifies, where its field tells."""
    echo: bool
    """True where the call passed the value itself, so that its result did not teach it."""

    @property
    def name(self) -> str:
        """The innermost field's name; empty where the result is the value itself."""
        return last_name(self.keys)

    @property
    def record(self) -> object:
        """The record that the value belongs to: the element of a list, or the whole result."""
        within = max((n for n, key in enumerate(self.keys, 1) if isinstance(key, int)), default=0)
        return self.step, self.keys[:within]


@dataclass
class ResultIndex:
    """Results as data by the number of their step, and the locations of every text and number in them."""

    data: dict[int, Any] = field(default_factory=dict)
    texts: dict[str, list[ValueLocation]] = field(default_factory=dict)
    numbers: dict[float, list[ValueLocation]] = field(default_factory=dict)

    def add(self, step: int, call: ToolCall, arguments: Any) -> None:
        """Index the result of a call that is a plan's step; ``arguments`` are the call's."""
        self.data[step] = decode(call.result or "")
        passed = {str(value) for _, value in leaves(arguments)}
        for keys, value in leaves(self.data[step]):
            location = ValueLocation(
                step, keys, record_kind(call.server, last_name(keys)), str(value) in passed
            )
            if isinstance(value, str):
                self.texts.setdefault(value, []).append(location)
            else:
                self.numbers.setdefault(value, []).append(location)

    def locations(self, value: Any) -> list[ValueLocation]:
        """Return every location of exactly this value, a text or a number."""
        if isinstance(value, str):
            return self.texts.get(value, [])
        return [
            location
            for location in self.numbers.get(value, [])
            if type(self.value_at(location)) is type(value)
        ]

    def value_at(self, location: ValueLocation) -> Any:
        """Return the value at a location."""
        value = self.data[location.step]
        for key in location.keys:
            value = value[key]
        return value


def leaves(value: Any, keys: tuple[Key, ...] = ()) -> Iterator[tuple[tuple[Key, ...], Any]]:
    """Yield the texts and numbers inside a value, with the keys that lead to each."""
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from leaves(inner, (*keys, key))
    elif isinstance(value, list):
        for index, inner in enumerate(value):
            yield from leaves(inner, (*keys, index))
    elif isinstance(value, str | int | float) and not isinstance(value, bool) and value != "":
        yield keys, value


def last_name(keys: tuple[Key, ...]) -> str:
    """Return the innermost field's name; empty where there is none."""
    return next((key for key in reversed(keys) if isinstance(key, str)), "")
