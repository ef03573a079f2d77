"""Replay: the calls of recorded turns made again in a fresh session, each checked to give the same result.

Sessions of ours tell the time and draw ids by the number of a call, so that the same calls from the same seed
give the same bytes. Servers that use the real time cannot be replayed once a result has held it.
"""

import json
from collections.abc import Iterable

from eops_traj.errors import InputError
from eops_traj.sandbox.session import Session, ToolResult
from eops_traj.schema import ToolCall, Turn


class Diverged(InputError):
    """A recorded call with another result: the session is not in the state of the episode."""


def replay(session: Session, turns: Iterable[Turn]) -> None:
    """Make the calls of recorded turns in a session that stands at its seed.

    Calls that never reached a tool are left out, as they were then. Raises Diverged where a result, or the
    rows that a call changed, are not the recorded ones.
    """
    for number, turn in enumerate(turns):
        for call in turn.tool_calls:
            if reached_tool(call):
                _check(number, call, session.call_tool(call.name, json.loads(call.arguments)))


def reached_tool(call: ToolCall) -> bool:
    """Check whether a call got to a tool server; one that did not parse, or of a hidden tool, did not."""
    return call.envelope is not None and call.error is None


def _check(number: int, call: ToolCall, result: ToolResult) -> None:
    if (result.text, result.is_error) != (call.result, call.is_error):
        raise Diverged(
            f"turn {number}: {call.name} now answers {result.text[:80]!r}, not {str(call.result)[:80]!r}"
        )
    if call.changes and result.changes and result.changes != call.changes:
        raise Diverged(f"turn {number}: {call.name} now changes other rows")
