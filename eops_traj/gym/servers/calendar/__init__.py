"""Calendars: events and their series, guests, sharing, free and busy times, settings, channels."""

from eops_traj.gym.server import Identity, Server
from eops_traj.gym.servers.calendar.errors import CalendarResponses

SERVER = Server(
    name="calendar",
    gym_name="gym-calendar",
    port=8003,
    package=__name__,
    responses=CalendarResponses(),
    identity=Identity(
        "x-access-token",
        # a suspended account keeps its token; its role lets strict servers refuse what it would write
        "SELECT *, iif(is_active, 'member', 'suspended') AS role FROM users WHERE static_token = :value"
        " OR (:value IS NULL AND rowid = (SELECT min(rowid) FROM users))",
        required=False,
    ),
    converted_types=frozenset({"BOOLEAN"}),
    time_format="%Y-%m-%d %H:%M:%S.%f",
)
