"""Where a wrong value came from: another record that was seen, the request, or nowhere."""

import re

from eops_traj.causes.calls import PlacedCall, PlacedCalls
from eops_traj.messages import said_later
from eops_traj.verify.row_matching import plain_name

ANOTHER_RECORD = "another record"
REQUEST = "the request, misread"
POLICY = "the policy, misread"
INVENTED = "invented"
THE_TOOL = "filled in by the tool"
"""No call passed it: what follows from another error."""


def origin_of(
    calls: PlacedCalls, column: str, value: str, before: PlacedCall, policy: str = ""
) -> str | None:
    """Tell where a value came from that a call passed for a column; None for a mere word.

    A result shown before the call comes first, then what the user had said by then, then the policy. A plain
    word, such as one of a few choices, is another record's only where that had it in a field of the same
    name, and nobody's invention: the tools list it.
    """
    telling = any(c.isdigit() for c in value) or len(value) >= _LONG
    for shown in calls.all:
        if shown.turn >= before.turn:
            break
        same_field = not shown.writes and (plain_name(column.split(".")[-1]), value) in shown.shown()
        if same_field or (telling and stands(value, shown.call.result or "")):
            return f"{ANOTHER_RECORD}, shown by {shown.call.name} in turn {shown.turn + 1}"
    later = (said_later(calls.episode, turn) for turn in calls.episode.turns[: before.turn + 1])
    if any(stands(value, said) for said in (calls.episode.user_prompt, *later)):
        return REQUEST
    if not telling:
        return None
    return POLICY if stands(value, policy) else INVENTED


_LONG = 12
"""Characters of a text that does not stand somewhere else by chance."""


def stands(value: str, text: str) -> bool:
    """Check whether a text has a value as a word of its own, in any case."""
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
