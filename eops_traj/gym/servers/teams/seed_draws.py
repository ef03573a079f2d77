"""Random draws of the seed (times, ids), and the form of a person in the records of others."""

import json
from datetime import datetime, timedelta
from random import Random
from typing import Any
from uuid import UUID

from eops_traj.gym.engine import clock
from eops_traj.gym.tools.call import Row

NOW = clock.START.replace(tzinfo=None)
ORG, TENANT = "corvane-001", "5c0de7a1-90b4-4e0f-8a35-71c2d64f9be3"
SITE = "https://teams.microsoft.com/l"


def chance(rng: Random, percent: int) -> bool:
    """Draw True so often in a hundred."""
    return rng.randrange(100) < percent


def random_uuid(rng: Random) -> str:
    """Draw a random UUID."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def random_hex(rng: Random, digits: int = 32) -> str:
    """Draw random hex digits."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def ago(rng: Random, most: int, least: int = 1) -> datetime:
    """Draw a moment in working hours, so many days ago."""
    day = NOW.replace(hour=0) - timedelta(days=rng.randint(least, most))
    return day + timedelta(seconds=rng.randint(7 * 3600, 18 * 3600))


def iso(when: datetime) -> str:
    """Format a moment as the service writes it."""
    return f"{when:%Y-%m-%dT%H:%M:%S}Z"


def stamps(rng: Random, created: str = "created_at", changed: str = "updated_at", most: int = 700) -> Row:
    """Draw the times when a record was created and, now and then later, changed."""
    first = ago(rng, most, 30)
    later = ago(rng, max(31, (NOW - first).days), 2) if chance(rng, 30) else first
    return {created: iso(first)} | ({changed: iso(max(first, later))} if changed else {})


def to_json(value: Any) -> str:
    """Return a list or an object as JSON."""
    return json.dumps(value)


def identity(user: Row) -> Row:
    """Return a person as the sender of a message or a party to a call."""
    return {"id": user["user_id"], "displayName": user["display_name"], "userIdentityType": "aadUser"}


def sender(user: Row) -> str:
    """Return a person as the sender, in JSON, where an application or a device could stand instead."""
    return to_json({"application": None, "device": None, "user": identity(user)})
