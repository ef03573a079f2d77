"""ULIDs: ids of 26 letters and digits that sort by the time they were made."""

from datetime import datetime

_DIGITS = "0123456789ABCDEFGHJKMNPQRSTVWXYZ"
_RANDOM = 80


def ulid(when: datetime, randomness: int) -> str:
    """The ULID of a time, of which milliseconds count, and of 80 random bits."""
    number = int(when.timestamp() * 1000) << _RANDOM | randomness & (1 << _RANDOM) - 1
    return "".join(_DIGITS[number >> shift & 31] for shift in range(125, -1, -5))
