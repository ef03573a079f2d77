"""The rows of an export as they are read back, and the checks of each row.

A check is a function that returns in words what is wrong with a row, or None. Its docstring is data: the
certificate repeats it.
"""

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from eops_traj.hashing import canonical_json, digest
from eops_traj.messages import Message, calls
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.schema import Episode
from eops_traj.tasks.splits import split_name
from eops_traj.workers.engine import Engine

MESSAGES = ("messages", "prompt", "completion", "chosen", "rejected")
"""The columns that hold messages, whatever the format."""
TOGETHER = 256
"""Rows of which a worker is asked for the secrets at once."""


@dataclass(frozen=True)
class Row:
    """One row as the files of a format give it back; ``messages`` is the conversation that it holds."""

    place: str
    record: Any
    messages: list[Message]
    tools: list[dict[str, Any]]


@dataclass(frozen=True)
class ExpectedRow:
    """The content that the row of an episode must give back."""

    episode_id: str
    calls: str
    nulls: int
    facts: Mapping[str, str] = field(default_factory=dict)
    """What the certificate counts rows by: the episode's split, outcome, domain and feasibility."""

    @classmethod
    def of(cls, episode: Episode, calls: Sequence[tuple[str, Any]]) -> "ExpectedRow":
        """Return what a row must give back of an episode, with the names and arguments of its calls."""
        null_count = sum(nulls(arguments) for _, arguments in calls)
        return cls(episode.episode_id, digest(calls), null_count, facts_of(episode))


FEASIBLE = {True: "yes", False: "no", None: "unknown"}


def facts_of(episode: Episode) -> dict[str, str]:
    """Return what the certificate counts an episode's rows by."""
    return {
        "split": split_name(episode.split),
        "outcome": episode.outcome,
        "domain": episode.domain,
        "feasible": FEASIBLE[episode.feasible],
    }


@dataclass(frozen=True)
class CheckedRow:
    """A row as it was read back, in every form that the checks need."""

    row: Row
    loaded: Row | str | None
    """As ``load_dataset`` gives it, or why it cannot; None for a format that it does not read."""
    expected: ExpectedRow
    leak: str | None
    """The problem with its loss mask, if any."""
    secrets: Sequence[str]
    """The kinds of secrets in it."""

    @property
    def as_read(self) -> Row:
        """The row as whoever trains on it gets it: from ``load_dataset`` where that reads it."""
        return self.row if self.loaded is None or isinstance(self.loaded, str) else self.loaded


Check = Callable[[CheckedRow], str | None]
"""A function that returns what is wrong with a row, in words, or None; its docstring says what it asks."""


def tool_calls_round_trip(checked: CheckedRow) -> str | None:
    """Every call of the episode comes back from the row, same name, same arguments, same order."""
    same = digest(calls(checked.row.messages)) == checked.expected.calls
    return None if same else "its tool calls differ from the episode's"


def no_null_filled_arguments(checked: CheckedRow) -> str | None:
    """No argument is null that the model did not write as null, as the row's reader gets it."""
    count = sum(nulls(arguments) for _, arguments in calls(checked.as_read.messages))
    if count == checked.expected.nulls:
        return None
    return f"{count} nulls in its arguments, {checked.expected.nulls} in the episode's"


def reads_as_written(checked: CheckedRow) -> str | None:
    """What ``load_dataset`` gives equals what the file holds, to the last digit."""
    if checked.loaded is None or isinstance(checked.loaded, str):
        return f"load_dataset cannot read it: {checked.loaded}"
    # a column that a row has not is null in a table, so the two are the same
    loaded, written = _without_nulls(checked.loaded.record), _without_nulls(checked.row.record)
    same = canonical_json(loaded) == canonical_json(written)
    return None if same else "load_dataset alters it (numbers with more than ten decimals, for one)"


def _without_nulls(record: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in record.items() if value is not None}


def loss_mask(checked: CheckedRow) -> str | None:
    """Loss falls on the tokens of the assistant, all of them and no others."""
    return checked.leak


def no_secrets(checked: CheckedRow) -> str | None:
    """Nothing in the row has the shape of a key, token or password: as it stands, decoded, or broken up."""
    return ", ".join(checked.secrets) or None


def secrets_of(contents: Iterable[Any], engine: Engine) -> Iterator[list[str]]:
    """Yield the kinds of secrets in what is searched of each row (`eops_traj.export.base.Exporter.searched`).

    They come in the order of the rows; most of what the checks take is to look for them.
    """
    return engine.map(secret_kinds, contents, TOGETHER)


CHECKS: dict[str, Check] = {
    "tool_calls_round_trip": tool_calls_round_trip,
    "no_null_filled_arguments": no_null_filled_arguments,
    "reads_as_written": reads_as_written,
    "loss_mask": loss_mask,
    "no_secrets": no_secrets,
}
"""The checks of conversations, by the name in the certificate."""


def nulls(value: Any) -> int:
    """Count the nulls in a JSON value."""
    if isinstance(value, dict):
        return sum(nulls(inner) for inner in value.values())
    return sum(nulls(inner) for inner in value) if isinstance(value, list) else int(value is None)
