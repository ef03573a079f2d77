"""Calls whose arguments could not be read: nothing was called, and the model did not write ``{}``.

A format either has a place for the written text, or leaves the conversation out: to show such a call with
empty arguments would teach one that nobody made.
"""

import json
from typing import Any

from eops_traj.llm.tool_arguments import is_unreadable
from eops_traj.schema import Episode, ToolCall, Turn

UNREAD = "conversations left out, with a call whose arguments could not be read"
UNREAD_DECISIONS = "decisions left out, at or after a call whose arguments could not be read"
"""What formats count that have no place for the written text."""


def made_arguments(call: ToolCall) -> Any:
    """Return the arguments that a call was made with; what was written where they could not be read."""
    return call.raw if is_unreadable(call) else json.loads(call.arguments)


def written_arguments(call: ToolCall) -> Any:
    """Return what was written where it was no plain JSON, salvaged or not, else the arguments."""
    return json.loads(call.arguments) if call.raw is None else call.raw


def is_read(turn: Turn) -> bool:
    """Check whether the arguments of every call of a reply could be read."""
    return not any(map(is_unreadable, turn.tool_calls))


def all_read(episode: Episode) -> bool:
    """Check whether the arguments of every call of an episode could be read."""
    return all(map(is_read, episode.turns))
