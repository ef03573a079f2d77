"""What an export is checked for, row by row, each row read back from the file that was written.

A check is a function that looks at a row and says in words what is wrong with it, or None.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from eops_traj.export.rows import Row
from eops_traj.hashing import canonical_json, digest
from eops_traj.messages import calls
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.schema import Episode


@dataclass(frozen=True)
class Expected:
    """What the row of an episode must give back."""

    episode_id: str
    calls: str
    nulls: int

    @classmethod
    def of(cls, episode: Episode, calls: Sequence[tuple[str, Any]]) -> "Expected":
        """Return what a row must give back of an episode, with the name and arguments of each of its calls."""
        return cls(episode.episode_id, digest(calls), sum(nulls(arguments) for _, arguments in calls))


@dataclass(frozen=True)
class Seen:
    """A row as it was read back, in every way that the checks need."""

    row: Row
    loaded: Row | str | None
    """As ``load_dataset`` gives it, or why it cannot; None for a format that it does not read."""
    expected: Expected
    leak: str | None
    """What is wrong with its loss mask."""

    @property
    def as_read(self) -> Row:
        """The row as whoever trains on it gets it: from ``load_dataset`` where that reads it."""
        return self.row if self.loaded is None or isinstance(self.loaded, str) else self.loaded


Check = Callable[[Seen], str | None]
"""What is wrong with a row, in words, or None; its docstring says what it asks."""


def tool_calls_round_trip(seen: Seen) -> str | None:
    """Every call of the episode comes back from the row, same name, same arguments, same order."""
    same = digest(calls(seen.row.messages)) == seen.expected.calls
    return None if same else "its tool calls differ from the episode's"


def no_null_filled_arguments(seen: Seen) -> str | None:
    """No argument is null that the model did not write as null, as the row's reader gets it."""
    found = sum(nulls(arguments) for _, arguments in calls(seen.as_read.messages))
    if found == seen.expected.nulls:
        return None
    return f"{found} nulls in its arguments, {seen.expected.nulls} in the episode's"


def reads_as_written(seen: Seen) -> str | None:
    """What ``load_dataset`` gives equals what the file holds, to the last digit."""
    if seen.loaded is None or isinstance(seen.loaded, str):
        return f"load_dataset cannot read it: {seen.loaded}"
    given = {name: value for name, value in seen.loaded.record.items() if value is not None}
    same = canonical_json(given) == canonical_json(seen.row.record)
    return None if same else "load_dataset alters it (numbers with more than ten decimals, for one)"


def loss_mask(seen: Seen) -> str | None:
    """Loss falls on the tokens of the assistant, all of them and no others."""
    return seen.leak


def no_secrets(seen: Seen) -> str | None:
    """Nothing in the row has the shape of a key or token (the patterns of detect-secrets)."""
    return ", ".join(secret_kinds(seen.row.record)) or None


CHECKS: dict[str, Check] = {
    "tool_calls_round_trip": tool_calls_round_trip,
    "no_null_filled_arguments": no_null_filled_arguments,
    "reads_as_written": reads_as_written,
    "loss_mask": loss_mask,
    "no_secrets": no_secrets,
}
"""What conversations are checked for, by the name in the certificate."""


def nulls(value: Any) -> int:
    """How many nulls there are in a JSON value."""
    if isinstance(value, dict):
        return sum(nulls(inner) for inner in value.values())
    return sum(nulls(inner) for inner in value) if isinstance(value, list) else int(value is None)
