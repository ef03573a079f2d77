"""Times in calls and replies, in UTC: so that one moment is the same by the clocks of any zone."""

import re
from collections.abc import Iterator
from datetime import UTC, datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo

_TIME = re.compile(
    r"\b\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d+)?)?(?:[Zz]|[+-]\d\d:\d\d)?)?(?![\w:.+-])"
)
"""A day, or a time with or without its zone, and nothing more in the same word."""


def moments(text: str, zone: tzinfo | None = None) -> Iterator[tuple[str, str]]:
    """Yield the times in a text, as they stand there, each with its minute in UTC.

    Those without a zone are in ``zone``; without that, and where they are no times, they are left out.
    """
    for time in _TIME.findall(text):
        try:
            moment = datetime.fromisoformat(time.upper())
            moment = moment if moment.tzinfo else moment.replace(tzinfo=zone)
            if moment.tzinfo:
                yield time, moment.astimezone(UTC).strftime("%Y-%m-%d %H:%Mz")
        except (ValueError, OverflowError):
            continue


def named_zone(told: Any) -> tzinfo | None:
    """Return the zone that the arguments of a calendar's tool, or its reply, name; None where they do not."""
    name = told.get("timeZone") if isinstance(told, dict) else None
    try:
        return ZoneInfo(name) if isinstance(name, str) else None
    except (KeyError, ValueError, OSError):
        return None
