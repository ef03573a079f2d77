"""Random draws of the seed: choices, counts, times."""

from datetime import date, datetime, timedelta
from random import Random

from eops_traj.gym.engine import clock

NOW = clock.START.replace(tzinfo=None)
TODAY = NOW.date()
OPENED = datetime(2023, 2, 6, 8, 0, 0)
"""The time when the records begin."""


def pick(rng: Random, chances: dict[str, int]) -> str:
    """Draw one of the keys, by its weight."""
    return rng.choices(list(chances), list(chances.values()))[0]


def chance(rng: Random, percent: int) -> bool:
    """Draw True so often in a hundred."""
    return rng.randrange(100) < percent


def portions(rng: Random, total: int, count: int, least: int = 1, spread: float = 1.6) -> list[int]:
    """Distribute `total` things to `count` owners: everyone gets the least, a few get many (fewer, the larger
    the `spread`)."""
    shares = [least] * count
    weights = [rng.paretovariate(spread) for _ in range(count)]
    for owner in rng.choices(range(count), weights, k=total - least * count):
        shares[owner] += 1
    return shares


def moment(rng: Random, start: datetime, end: datetime) -> datetime:
    """Draw a second between two moments, or return the first where the second is not later."""
    return start + timedelta(seconds=rng.randint(0, max(0, int((end - start).total_seconds()))))


def day(rng: Random, start: date, end: date) -> date:
    """Draw a day between two days, both included."""
    return start + timedelta(days=rng.randint(0, (end - start).days))


def stamps(rng: Random, created: datetime | None = None) -> dict[str, str]:
    """Draw the times when a record was created and, now and then later, changed."""
    created = created or moment(rng, OPENED, datetime(2024, 6, 28, 17, 0, 0))
    changed = moment(rng, created, NOW) if chance(rng, 35) else created
    return {"sys_created_on": str(created), "sys_updated_on": str(changed)}
