"""A program's own record of its session, laid over what the gym recorded: the calls are the gym's."""

import json
from collections.abc import Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

from eops_traj.errors import EopsError, FormatError
from eops_traj.hashing import canonical_json
from eops_traj.instances import load
from eops_traj.schema import Json, ToolCall, Turn

OWN_CALLS = "own_calls"
"""What a reply's ``provider`` holds the calls under that were of no tool of the gym, or never reached it."""
MOST_BYTES = 64 * 1024 * 1024


class NoFit(EopsError):
    """A transcript that does not tell of the session that the gym recorded."""


def turns_told(paths: Iterable[Path], source: str, recorded: Sequence[ToolCall]) -> tuple[Turn, ...]:
    """Return the turns of the first transcript that tells of the recorded calls.

    Raises NoFit, or FormatError for one that cannot be read or is of an unknown version, where none does.
    """
    problem: EopsError = NoFit("there is no transcript")
    for path in paths:
        try:
            return told(_read(path, source), recorded)
        except (FormatError, NoFit) as error:
            problem = error
    raise problem


def told(turns: Iterable[Turn], recorded: Sequence[ToolCall]) -> tuple[Turn, ...]:
    """Return the turns with the recorded calls in the place of those that they tell of. Raises NoFit."""
    left = list(recorded)
    joined = tuple(_joined(turn, left) for turn in turns)
    if left:
        raise NoFit(f"it does not tell of {len(left)} of {len(recorded)} calls, {left[0].name} for one")
    if not joined:
        raise NoFit("it tells of no reply")
    return joined


def _read(path: Path, source: str) -> list[Turn]:
    if path.stat().st_size > MOST_BYTES:
        raise FormatError(f"{path.name}: larger than {MOST_BYTES // 2**20} MB")
    try:
        bundles = load("source", source).open({}, []).read(path)
    except (LookupError, ArithmeticError, RecursionError) as error:  # as with any file of others
        raise FormatError(f"{path.name}: {type(error).__name__}: {error}") from error
    return [turn for bundle in bundles for turn in bundle.episode.turns]


def _joined(turn: Turn, left: list[ToolCall]) -> Turn:
    """Return a turn with its calls as recorded, which are taken out of those left."""
    calls, own = list[ToolCall](), list[dict[str, Any]]()
    for call in turn.tool_calls:
        match = next((one for one in left if _is_same(call, one)), None)
        if match is None:
            own.append(_as_told(call))
        else:
            left.remove(match)
            calls.append(replace(match, id=call.id))
    provider = json.loads(turn.provider) | ({OWN_CALLS: own} if own else {})
    return replace(turn, tool_calls=tuple(calls), provider=Json(canonical_json(provider)))


def _is_same(told: ToolCall, recorded: ToolCall) -> bool:
    """Check whether a call is the recorded one; a client puts its name of our server before the tool's."""
    name = told.name == recorded.name or told.name.endswith((f"__{recorded.name}", f".{recorded.name}"))
    return name and told.arguments == recorded.arguments


def _as_told(call: ToolCall) -> dict[str, Any]:
    told = {"id": call.id, "name": call.name, "arguments": json.loads(call.arguments), "result": call.result}
    return told | ({"raw": call.raw} if call.raw is not None else {})
