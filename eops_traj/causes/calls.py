"""The calls of an episode with their places: its turn, and its place in that turn, both from 0."""

import json
from collections.abc import Iterator
from dataclasses import dataclass
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

    def given(self, inside: str = "") -> list[tuple[str, str]]:
        """Return its arguments as plain names and plain values; ``inside`` an object or list of this name."""
        return _plain(self.call.arguments, inside)

    def shown(self, inside: str = "") -> list[tuple[str, str]]:
        """Return the fields of its result likewise; none where that is no JSON."""
        return _plain(self.call.result or "", inside)


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
