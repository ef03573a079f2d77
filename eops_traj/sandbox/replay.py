"""Replay: the calls of recorded turns made again in a fresh session, each seen to come out as it did.

Sessions of ours tell the time and draw ids by the number of a call, so that the same calls from the same seed
give the same bytes. Servers that tell the wall's time cannot be replayed once a result has held it.
"""

import json
from collections.abc import Iterable

from eops_traj.errors import InputError
from eops_traj.gym import registry
from eops_traj.sandbox.session import Session, ToolResult
from eops_traj.sandbox.stored_change import stored_change
from eops_traj.schema import ToolCall, Turn


class Diverged(InputError):
    """A recorded call that came out otherwise: the session is not where the episode was."""


def replay(session: Session, turns: Iterable[Turn]) -> None:
    """Make the calls of recorded turns in a session that stands at its seed.

    Calls that never reached a tool are left out, as they were then. Raises Diverged where a result, or the
    rows that a call changed, are not the recorded ones.
    """
    for number, turn in enumerate(turns):
        for call in turn.tool_calls:
            if reached(call):
                _check(number, call, session, session.call_tool(call.name, json.loads(call.arguments)))


def reached(call: ToolCall) -> bool:
    """Whether a call got to a tool server; one that did not parse, or whose tool is not shown, did not."""
    return call.envelope is not None and call.error is None


def _check(number: int, call: ToolCall, session: Session, result: ToolResult) -> None:
    if (result.text, result.is_error) != (call.result, call.is_error):
        raise Diverged(
            f"turn {number}: {call.name} now answers {result.text[:80]!r}, not {str(call.result)[:80]!r}"
        )
    if call.changes and result.changes:
        server = registry.server(str(session.owner(call.name)))
        if tuple(stored_change(server, change) for change in result.changes) != call.changes:
            raise Diverged(f"turn {number}: {call.name} now changes other rows")
