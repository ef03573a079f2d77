"""Where a wrong value came from: another record that was seen, the request, or nowhere."""

import re

from eops_traj.causes.calls import PlacedCall, placed_calls
from eops_traj.schema import Episode

ANOTHER_RECORD = "another record"
REQUEST = "the request, misread"
POLICY = "the policy, misread"
INVENTED = "invented"
THE_TOOL = "filled in by the tool"
"""No call passed it: what follows from another error."""


def origin_of(episode: Episode, value: str, before: PlacedCall, policy: str = "") -> str | None:
    """Tell where a value came from that a call passed; None for one too short to be told.

    A result shown before the call comes first, then the request, then the policy.
    """
    if len(value) < 2 and not value.isdigit():
        return None
    for shown in placed_calls(episode):
        if shown.turn >= before.turn:
            break
        if _stands(value, shown.call.result or ""):
            return f"{ANOTHER_RECORD}, shown by {shown.call.name} in turn {shown.turn}"
    if _stands(value, episode.user_prompt):
        return REQUEST
    return POLICY if _stands(value, policy) else INVENTED


def _stands(value: str, text: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(value)}(?!\w)", text, re.IGNORECASE) is not None
