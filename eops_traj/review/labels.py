"""Labels of readers: made from what they typed, checked against the episode, and the latest of each."""

import json
import uuid
from collections.abc import Iterable
from datetime import UTC, datetime

from eops_traj.causes.cause import KINDS
from eops_traj.errors import FormatError, InputError, UnknownName
from eops_traj.hashing import canonical_json
from eops_traj.schema import LABELS, Episode, Json, Label
from eops_traj.untrusted.json_text import parse_json

MOST_NOTE, MOST_NAME = 10_000, 80
"""Characters of a note, and of a reader's name."""


def make_label(
    episode: Episode,
    reader: str,
    value: str,
    *,
    turn: int | None = None,
    cause: str = "",
    note: str = "",
    better_call: str = "",
) -> Label:
    """Make a label of an episode or of a turn of it, from 0; what is empty is left out.

    Raises UnknownName for a value or a cause, InputError for a turn that is not there, for a note that is too
    long and for a better call that is no call.
    """
    if value not in LABELS:
        raise UnknownName("label", value, LABELS)
    if cause and cause not in KINDS:
        raise UnknownName("cause", cause, KINDS)
    if turn is not None and not 0 <= turn < len(episode.turns):
        raise InputError(
            f"the episode {episode.episode_id} has {len(episode.turns)} turns, not one {turn + 1}"
        )
    if len(note) > MOST_NOTE:
        raise InputError(f"a note has at most {MOST_NOTE:,} characters, not {len(note):,}")
    return Label(
        label_id=uuid.uuid4().hex[:24],
        episode_id=episode.episode_id,
        turn=turn,
        reader=check_reader(reader),
        value=value,
        cause=cause or None,
        note=note.strip() or None,
        better_call=parse_call(better_call, turn) if better_call.strip() else None,
        created_at=datetime.now(UTC).isoformat(timespec="microseconds"),
    )


def check_reader(name: str) -> str:
    """Return a reader's name without the blanks around it. Raises InputError for one that is no name."""
    name = name.strip()
    if not name or len(name) > MOST_NAME or not name.isprintable():
        raise InputError(f"a reader has a name of 1 to {MOST_NAME} characters, not {name[:MOST_NAME]!r}")
    return name


def parse_call(text: str, turn: int | None) -> Json:
    """Return a better call, ``{"name": ..., "arguments": {...}}``, as canonical JSON. Raises InputError."""
    if turn is None:
        raise InputError("a better call belongs to a turn, not to the episode")
    try:
        call = parse_json(text)
    except FormatError as error:
        raise InputError(f"the better call cannot be read: {error}") from None
    if not isinstance(call, dict) or set(call) != {"name", "arguments"}:
        raise InputError('a better call is an object: {"name": "TOOL", "arguments": {}}')
    if not isinstance(call["name"], str) or not call["name"] or not isinstance(call["arguments"], dict):
        raise InputError("a better call has the name of a tool, and arguments that are an object")
    return Json(canonical_json(call))


def latest(labels: Iterable[Label]) -> list[Label]:
    """Return what each reader said last of each episode and turn, in the order of the first time."""
    said: dict[tuple[str, int | None, str], Label] = {}
    for label in labels:
        said[label.episode_id, label.turn, label.reader] = label
    return list(said.values())


def better_call(label: Label) -> tuple[str, dict[str, object]] | None:
    """Return name and arguments of the call that a reader would have made; None where none is named."""
    if label.better_call is None:
        return None
    call = json.loads(label.better_call)
    return call["name"], call["arguments"]
