"""When calendars are taken."""

import pytest

from tests.gym.servers.calendar.conftest import at

SPAN = {"timeMin": "2026-05-09T09:00:00Z", "timeMax": "2026-05-09T12:00:00Z"}


@pytest.fixture
def busy(get):
    def call(who, calendar="primary", **span):
        free_busy = get(who, "query_freebusy", **SPAN | span, items=[{"id": calendar}])["calendars"][calendar]
        return [(b["start"][11:16], b["end"][11:16]) for b in free_busy["busy"]]

    return call


@pytest.fixture
def event(meet):
    def make(start, end, **more):
        return meet(start=at(f"2026-05-09T{start}:00Z"), end=at(f"2026-05-09T{end}:00Z"), **more)

    return make


def test_times_are_joined_and_cut_to_the_span(event, busy):
    for start, end in (
        ("08:00", "09:30"),
        ("10:00", "10:30"),
        ("10:30", "11:00"),
        ("10:15", "10:20"),
        ("11:45", "13:00"),
    ):
        event(start, end)
    assert busy("ana") == [("09:00", "09:30"), ("10:00", "11:00"), ("11:45", "12:00")]


@pytest.mark.parametrize(
    "more", [{"transparency": "transparent"}, {"status": "tentative"}, {"status": "cancelled"}]
)
def test_what_takes_no_time(event, busy, more):
    event("10:00", "11:00", **more)
    assert busy("ana") == []


def test_invitations_take_time_unless_declined(event, busy, get, people):
    created = event("10:00", "11:00", attendees=[{"email": people["ben"].email}])
    assert busy("ben") == [("10:00", "11:00")]
    get("ben", "delete_event", calendarId="primary", eventId=created["id"])
    assert (busy("ben"), busy("ana")) == ([], [("10:00", "11:00")])


def test_a_colleague_sees_the_time_of_a_private_event_and_nothing_else(event, busy, get, people):
    event("10:00", "11:00", visibility="private")
    assert busy("ben", people["ana"].email) == [("10:00", "11:00")]
    result = get("ben", "list_events", calendarId=people["ana"].email, **SPAN)["items"]
    assert "Talk" not in [item["summary"] for item in result]


def test_some_show_their_colleagues_busy_times_only(busy, ask, people):
    busy("ben", people["chief"].email)
    assert ask("ben", "list_events", calendarId=people["chief"].email).text.startswith("HTTP 403: ")


def test_each_event_of_a_series_takes_time_but_not_one_that_is_called_off(event, busy, get):
    created = event("10:00", "11:00", recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    tomorrow = {"timeMin": "2026-05-10T00:00:00Z", "timeMax": "2026-05-11T00:00:00Z"}
    assert busy("ana", **tomorrow) == [("10:00", "11:00")]
    get("ana", "delete_event", calendarId="primary", eventId=f"{created['id']}_20260510T100000Z")
    assert busy("ana", **tomorrow) == []


def test_calendars_that_one_may_not_ask_about_are_errors_of_their_own(get):
    calendar = get("ana", "create_calendar", summary="Mine")["id"]
    calendars = get("ben", "query_freebusy", **SPAN, items=[{"id": calendar}, {"id": "nope"}])["calendars"]
    assert {c["errors"][0]["reason"] for c in calendars.values()} == {"notFound"}


@pytest.mark.parametrize(
    ("more", "message"),
    [
        ({"items": []}, "At least one calendar item is required"),
        ({"items": [{"id": "primary"}] * 51}, "Maximum 50 calendars allowed per query"),
        ({"timeMax": "2026-05-09T08:00:00Z"}, "Time range is invalid or too large (max 366 days)"),
        ({"timeMax": "2028-05-06T08:00:00Z"}, "Time range is invalid or too large (max 366 days)"),
        ({"timeMin": ""}, "Invalid datetime format: "),
    ],
)
def test_bad_questions_are_refused(ask, more, message):
    reply = ask("ana", "query_freebusy", **{**SPAN, "items": [{"id": "primary"}], **more})
    assert reply.text == f"HTTP 400: {message}"
