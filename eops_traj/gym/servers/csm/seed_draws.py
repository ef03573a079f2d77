"""Small draws that the seed is made of."""

from datetime import date, datetime, timedelta
from random import Random

from eops_traj.gym.engine import clock

NOW = clock.START.replace(tzinfo=None)
TODAY = NOW.date()
OPENED = datetime(2023, 2, 6, 8, 0, 0)
"""When the records begin."""


def pick(rng: Random, chances: dict[str, int]) -> str:
    """One of the keys, by its weight."""
    return rng.choices(list(chances), list(chances.values()))[0]


def chance(rng: Random, percent: int) -> bool:
    """True so often in a hundred."""
    return rng.randrange(100) < percent


def portions(rng: Random, total: int, count: int, least: int = 1, spread: float = 1.6) -> list[int]:
    """How `total` things fall to `count` owners: everyone gets the least, a few get many (fewer, the larger
    the `spread`)."""
    found = [least] * count
    weights = [rng.paretovariate(spread) for _ in range(count)]
    for place in rng.choices(range(count), weights, k=total - least * count):
        found[place] += 1
    return found


def moment(rng: Random, start: datetime, end: datetime) -> datetime:
    """A second between two moments, or the first where the second is not later."""
    return start + timedelta(seconds=rng.randint(0, max(0, int((end - start).total_seconds()))))


def day(rng: Random, start: date, end: date) -> date:
    """A day between two days, both included."""
    return start + timedelta(days=rng.randint(0, (end - start).days))


def stamps(rng: Random, created: datetime | None = None) -> dict[str, str]:
    """When a record was made and, now and then later, changed."""
    made = created or moment(rng, OPENED, datetime(2024, 6, 28, 17, 0, 0))
    changed = moment(rng, made, NOW) if chance(rng, 35) else made
    return {"sys_created_on": str(made), "sys_updated_on": str(changed)}
