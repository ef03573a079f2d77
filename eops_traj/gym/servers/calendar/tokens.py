"""Sync tokens: the moment up to which a client knows everything, in base64 as page tokens are."""

import base64
import binascii
from datetime import datetime

from eops_traj.gym.api_styles.google import error
from eops_traj.gym.servers.calendar.times import utc
from eops_traj.gym.tools.call import Call


def sync_token(call: Call) -> str:
    """The token of now."""
    return base64.b64encode(call.now.encode()).decode()


def moment(token: str) -> datetime:
    """The moment of a token; one that is none has gone stale."""
    try:
        return utc(base64.b64decode(token.encode(), validate=True).decode())
    except (binascii.Error, ValueError):
        why = "Sync token is no longer valid, a full sync is required."
        raise error("GONE", why, "fullSyncRequired") from None
