"""The company that the Calendar server starts with: its people, rooms, teams and events."""

from collections.abc import Iterable, Iterator
from random import Random

from eops_traj.gym.company.company import company
from eops_traj.gym.engine.templates import Row
from eops_traj.gym.servers.calendar import seed_directory
from eops_traj.gym.servers.calendar.seed_events import TABLES
from eops_traj.gym.servers.calendar.seed_meetings import build_agenda


def seed(rng: Random) -> Iterator[tuple[str, Iterable[Row]]]:
    """Yield tables by name with their rows, parents first. Pure: the same ``rng``, the same rows."""
    corvane = company(rng)
    calendars = list(seed_directory.calendars(rng, corvane))
    planned = build_agenda(rng, corvane)
    yield "colors", seed_directory.colors()
    yield "users", seed_directory.users(rng, corvane)
    yield "scopes", seed_directory.scopes(corvane)
    yield "calendars", calendars
    yield "acls", seed_directory.rules(corvane, calendars)
    yield "settings", seed_directory.settings(rng, corvane)
    yield "watch_channels", seed_directory.channels(corvane)
    for table in TABLES:
        yield table, planned.rows[table]
