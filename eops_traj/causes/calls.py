"""The calls of an episode with their places: its turn, and its place in that turn, both from 0."""

import json
from collections import defaultdict
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from eops_traj.schema import Episode, ToolCall
from eops_traj.tool_effects import is_write, succeeded
from eops_traj.verify.row_matching import named_arguments, plain_form, plain_name


@dataclass(frozen=True)
class PlacedCall:
    """A call, and where it stands."""

    turn: int
    place: int
    call: ToolCall

    @property
    def writes(self) -> bool:
        """Whether it changed something, or has a name that says so."""
        return bool(self.call.changes) or is_write(self.call.name)

    @property
    def done(self) -> bool:
        """Whether the tool did it."""
        return succeeded(self.call)

    @property
    def adds(self) -> bool:
        """Whether it made a record."""
        return any(change.operation == "insert" for change in self.call.changes)

    def given(self, inside: str = "") -> list[tuple[str, str]]:
        """Return its arguments as plain names and plain values; ``inside`` an object or list of this name."""
        return _plain(self.call.arguments, inside) if inside else self._given

    def shown(self, inside: str = "") -> list[tuple[str, str]]:
        """Return the fields of its result likewise; none where that is no JSON."""
        return _plain(self.call.result or "", inside) if inside else self._shown

    @cached_property
    def _given(self) -> list[tuple[str, str]]:
        return _plain(self.call.arguments, "")

    @cached_property
    def _shown(self) -> list[tuple[str, str]]:
        return _plain(self.call.result or "", "")


def row_keys(call: ToolCall) -> list[str]:
    """Return the values of the keys of the rows that a call changed."""
    return [str(value) for change in call.changes for value in json.loads(change.key).values()]


@dataclass(frozen=True)
class PlacedCalls:
    """The calls of an episode, found by what they are and by what they pass."""

    episode: Episode

    @cached_property
    def all(self) -> tuple[PlacedCall, ...]:
        """Every call in order."""
        return tuple(placed_calls(self.episode))

    def of(self, call: ToolCall) -> PlacedCall:
        """Return a call of the episode with its place."""
        return self._by_identity[id(call)]

    def passing(self, values: Iterable[str]) -> list[PlacedCall]:
        """Return the writes that came through and pass one of these plain values, in order."""
        found = {id(one): one for value in set(values) for one in self._by_value.get(value, ())}
        return sorted(found.values(), key=lambda one: (one.turn, one.place))

    @cached_property
    def idle_writes(self) -> list[PlacedCall]:
        """The writes that came through and changed nothing, or what the same call had changed before."""
        made: set[tuple[str, str]] = set()
        idle = []
        for one in self.all:
            same = (one.call.name, one.call.arguments)
            if one.writes and one.done and (not one.call.changes or (same in made and not one.adds)):
                idle.append(one)
            made.add(same)
        return idle

    @property
    def last(self) -> int | None:
        """The last turn of the episode."""
        return len(self.episode.turns) - 1 if self.episode.turns else None

    @cached_property
    def _by_identity(self) -> dict[int, PlacedCall]:
        return {id(one.call): one for one in self.all}

    @cached_property
    def _by_value(self) -> dict[str, list[PlacedCall]]:
        found: dict[str, list[PlacedCall]] = defaultdict(list)
        for one in self.all:
            for value in {value for _, value in one.given()} if one.writes and one.done else ():
                found[value].append(one)
        return found


def placed_calls(episode: Episode) -> Iterator[PlacedCall]:
    """Yield the calls of an episode in order."""
    for turn, reply in enumerate(episode.turns):
        for place, call in enumerate(reply.tool_calls):
            yield PlacedCall(turn, place, call)


def _plain(text: str, inside: str) -> list[tuple[str, str]]:
    try:
        whole = json.loads(text)
    except ValueError:
        return []
    parts = _inside(whole, inside) if inside else [whole]
    fields = [field for part in parts for field in named_arguments(part)]
    return [(plain_name(name), plain_form(value)) for name, value in fields if value is not None]


def _inside(value: Any, name: str) -> Iterator[Any]:
    """Yield the objects and lists of a name, wherever they stand."""
    for key, inner in value.items() if isinstance(value, dict) else ():
        if plain_name(key) == name and isinstance(inner, dict | list):
            yield inner
        else:
            yield from _inside(inner, name)
    for inner in value if isinstance(value, list) else ():
        yield from _inside(inner, name)


def refused_for_good(episode: Episode) -> list[PlacedCall]:
    """Return the writes that were refused and never came through: no later call of the tool did.

    A read that failed is none of them: what it was for shows in the write that lacks it.
    """
    calls = list(placed_calls(episode))
    later: set[str] = set()
    refused: dict[str, PlacedCall] = {}
    for one in reversed(calls):
        if one.done:
            later.add(one.call.name)
        elif one.writes and one.call.name not in later:
            refused[one.call.name] = one
    return sorted(refused.values(), key=lambda one: (one.turn, one.place))
