import json
from random import Random

import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.registry import server
from eops_traj.gym.servers.calendar.seed_directory import main_calendar, user_id


@pytest.fixture
def gym():
    return server("calendar")


@pytest.fixture
def database(gym):
    opened = gym.template().open()
    yield opened
    opened.close()


@pytest.fixture(scope="session")
def people():
    """Active people, by what the tests need: the chief executive, a manager of two people, and those two."""
    corvane = company(Random(0))
    chief, (boss, ana, ben) = corvane.person(1), _team(corvane)
    return {"chief": chief, "boss": boss, "ana": ana, "ben": ben}


def _team(corvane):
    for boss in corvane.people[1:]:
        reports = [p for p in corvane.people if p.manager == boss.number and p.active]
        if boss.active and len(reports) > 1:
            return boss, *reports[:2]
    raise AssertionError("nobody manages two people")


@pytest.fixture
def ask(gym, database, people):
    """Call a tool as somebody; the reply."""

    def call(who, name, /, **arguments):
        sql = "SELECT static_token FROM users WHERE user_id = ?"
        token = database.connection.execute(sql, (user_id(people[who]),)).get
        return gym.call(database, name, arguments, token)

    return call


@pytest.fixture
def get(ask):
    """The same where it succeeds: the answer's JSON."""

    def call(who, name, /, **arguments):
        reply = ask(who, name, **arguments)
        assert not reply.is_error, reply.text
        return json.loads(reply.text) if reply.text.startswith("{") else reply.text

    return call


@pytest.fixture
def calendar_of(people):
    return lambda who: main_calendar(user_id(people[who]))


@pytest.fixture
def meet(get):
    """An event on the main calendar of ana, on a quiet day: ten o'clock to half past, in UTC."""

    def make(**arguments):
        times = {"start": at("2026-05-09T10:00:00Z"), "end": at("2026-05-09T10:30:00Z")}
        return get(
            "ana", "create_event", **{"calendarId": "primary", "summary": "Talk", **times, **arguments}
        )

    return make


@pytest.fixture
def rows(database):
    """What a query finds."""
    return lambda sql, *values: list(database.connection.execute(sql, values))


def at(text, zone=None):
    """A time as the API takes it."""
    return {"dateTime": text} | ({"timeZone": zone} if zone else {})
