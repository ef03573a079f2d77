"""The values that a format does not hold: each episode compared, field by field, with how it is read back.

Every value is in one of three places. The format holds it, where a reader who knows nothing of us gets it
back; or it is only under our own key (:mod:`eops_traj.interchange.extension_key`); or it is lost. Nothing
here is a claim about a format: it is counted on the given episodes.
"""

import dataclasses
import functools
import json
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.interchange.extension_key import NESTED, PARTS

LOSS = "loss.json"
"""The report's name in the folder of an export."""
EMPTY: tuple[Any, ...] = (None, "", (), "{}", b"")
"""Empty values, whose absence is no loss."""

Compared = tuple[str, Any, Any, Any]
"""A field, its value in the episode, the value that a stranger reads, and the value that we read."""


@dataclass
class Losses:
    """Counts of values, by field, over the episodes that were compared."""

    episodes: int = 0
    absent: int = 0
    values: Counter[str] = field(default_factory=Counter)
    extension: Counter[str] = field(default_factory=Counter)
    lost: Counter[str] = field(default_factory=Counter)

    def add(self, whole: EpisodeBundle, bare: EpisodeBundle, back: EpisodeBundle) -> None:
        """Compare an episode with how a stranger reads it, and how we do."""
        self.episodes += 1
        for name, value, stranger, ours in _compared(whole, bare, back):
            self.values[name] += value not in EMPTY
            if ours != value:
                self.lost[name] += 1
            elif stranger != value:
                self.extension[name] += 1

    def add_absent(self) -> None:
        """Count an episode of which the format holds nothing at all."""
        self.episodes += 1
        self.absent += 1

    def rows(self) -> list[dict[str, Any]]:
        """Return the fields that the format does not hold of every episode, those that are lost first."""
        names = [name for name in self.values if self.extension[name] or self.lost[name]]
        rows = [
            {
                "field": name,
                "values": max(self.values[name], self.extension[name] + self.lost[name]),
                "extension": self.extension[name],
                "lost": self.lost[name],
            }
            for name in names
        ]
        return sorted(rows, key=lambda row: -row["lost"])

    def held(self) -> list[str]:
        """Return the fields with values that the format holds whole."""
        out = self.extension | self.lost
        return [name for name, n in self.values.items() if n and not out[name]]

    def report(self, format_: str) -> dict[str, Any]:
        """Return the report as JSON."""
        head = {"format": format_, "episodes": self.episodes, "absent": self.absent}
        return {**head, "held": self.held(), "fields": self.rows()}

    def save(self, path: Path, format_: str) -> None:
        """Write the report."""
        path.write_text(json.dumps(self.report(format_), indent=2) + "\n", encoding="utf-8")


def _compared(whole: EpisodeBundle, bare: EpisodeBundle, back: EpisodeBundle) -> Iterator[Compared]:
    """Yield every field of an episode and its records, down to its calls."""
    for part in PARTS:
        yield from _fields(part, getattr(whole, part), getattr(bare, part), getattr(back, part))
    readings = (bare.episode.turns, back.episode.turns)
    yield "episode.turns", len(whole.episode.turns), len(readings[0]), len(readings[1])
    for index, turn in enumerate(whole.episode.turns):
        stranger, ours = (_at(turns, index) for turns in readings)
        yield from _fields("turn", turn, stranger, ours)
        calls = [read.tool_calls if read else () for read in (stranger, ours)]
        yield "turn.tool_calls", len(turn.tool_calls), len(calls[0]), len(calls[1])
        for place, call in enumerate(turn.tool_calls):
            yield from _fields("call", call, *(_at(others, place) for others in calls))


def _fields(level: str, whole: Any, *readings: Any) -> Iterator[Compared]:
    cls: Any = type(whole)
    for name in _names(cls):
        stranger, ours = (getattr(read, name, None) for read in readings)
        yield f"{level}.{name}", getattr(whole, name), stranger, ours


@functools.cache
def _names(cls: Any) -> tuple[str, ...]:
    return tuple(f.name for f in dataclasses.fields(cls) if f.name not in NESTED)


def _at(records: Sequence[Any], index: int) -> Any:
    """Return the record at an index, or None where there are fewer."""
    return records[index] if index < len(records) else None
