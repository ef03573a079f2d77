"""Small draws that the seed is made of: times, ids, and who a person is in the records of others."""

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
    """True so often in a hundred."""
    return rng.randrange(100) < percent


def uuid(rng: Random) -> str:
    """A random UUID."""
    return str(UUID(int=rng.getrandbits(128), version=4))


def hexed(rng: Random, digits: int = 32) -> str:
    """Random hex digits."""
    return f"{rng.getrandbits(4 * digits):0{digits}x}"


def ago(rng: Random, most: int, least: int = 1) -> datetime:
    """A moment in working hours, so many days back."""
    day = NOW.replace(hour=0) - timedelta(days=rng.randint(least, most))
    return day + timedelta(seconds=rng.randint(7 * 3600, 18 * 3600))


def iso(when: datetime) -> str:
    """The moment as the service writes it."""
    return f"{when:%Y-%m-%dT%H:%M:%S}Z"


def stamps(rng: Random, made: str = "created_at", changed: str = "updated_at", most: int = 700) -> Row:
    """When a record was made and, now and then later, changed."""
    first = ago(rng, most, 30)
    later = ago(rng, max(31, (NOW - first).days), 2) if chance(rng, 30) else first
    return {made: iso(first)} | ({changed: iso(max(first, later))} if changed else {})


def text(value: Any) -> str:
    """A list or an object as JSON."""
    return json.dumps(value)


def identity(user: Row) -> Row:
    """A person as the sender of a message or a party to a call."""
    return {"id": user["user_id"], "displayName": user["display_name"], "userIdentityType": "aadUser"}


def sender(user: Row) -> str:
    """The same where an application or a device could stand instead."""
    return text({"application": None, "device": None, "user": identity(user)})
