"""Lists of events: what they show, in which order, page by page."""

import json
from base64 import b64encode
from datetime import datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.registry import server
from tests.gym.servers.calendar.conftest import at

DAY = {"timeMin": "2026-05-09T00:00:00Z", "timeMax": "2026-05-10T00:00:00Z"}


@pytest.fixture
def titles(get):
    def call(who="ana", /, **arguments):
        page = get(who, "list_events", **{"calendarId": "primary", **DAY, **arguments})
        return [item["summary"] for item in page["items"]]

    return call


@pytest.fixture
def three(meet):
    """Three events of a day: at eight, at nine, at eleven."""
    for hour, title in (("11", "Lunch"), ("08", "Breakfast"), ("09", "Budget talk")):
        times = {"start": at(f"2026-05-09T{hour}:00:00Z"), "end": at(f"2026-05-09T{hour}:30:00Z")}
        meet(summary=title, location='Hall "B"' if hour == "09" else None, **times)


def test_events_come_by_their_beginning_or_by_their_last_change(three, titles):
    assert titles() == ["Breakfast", "Budget talk", "Lunch"]
    assert titles(orderBy="updated") == ["Budget talk", "Breakfast", "Lunch"]


@pytest.mark.parametrize(
    ("times", "matches"),
    [
        ({"timeMin": "2026-05-09T08:30:00Z"}, ["Budget talk", "Lunch"]),  # what ends then is over
        ({"timeMin": "2026-05-09T08:29:59Z"}, ["Breakfast", "Budget talk", "Lunch"]),
        ({"timeMax": "2026-05-09T09:00:00Z"}, ["Breakfast"]),
        ({"timeMin": "2026-05-09T11:00:00+02:00", "timeMax": "2026-05-09T11:30:00+02:00"}, ["Budget talk"]),
    ],
)
def test_times_are_moments(three, titles, times, matches):
    assert titles(**times) == matches


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"timeMin": DAY["timeMax"], "timeMax": DAY["timeMin"]}, "The specified time range is empty."),
        ({"timeMin": "yesterday"}, "Invalid datetime format: yesterday"),
        ({"q": '"open'}, "Invalid value for q: cannot read '\"open'"),
        ({"q": "x", "iCalUID": "a@b.org"}, "iCalUID and q cannot be specified together"),
        ({"syncToken": "MjAyNg==", "q": "x"}, "q cannot be specified together with syncToken"),
        ({"pageToken": "!"}, "Invalid Value"),
        (
            {"eventTypes": "default,party"},
            "Invalid eventTypes value 'party'. Acceptable values are: 'default',",
        ),
        ({"privateExtendedProperty": "x"}, "Invalid value for privateExtendedProperty: 'x'"),
        ({"timeZone": "Mars"}, "Invalid timeZone 'Mars'; must be a valid IANA timezone name"),
    ],
)
def test_malformed_queries_are_refused(ask, arguments, message):
    reply = ask("ana", "list_events", calendarId="primary", **arguments)
    assert reply.text.startswith(f"HTTP 400: {message}")


def test_words_are_searched_in_all_fields(three, titles):
    assert titles(q='budget "hall \\"b\\""') == ["Budget talk"]
    assert titles(q="-budget") == ["Breakfast", "Lunch"]
    assert titles(q="budget lunch") == []


def test_pages_are_the_whole_and_the_last_one_has_the_token(three, get):
    seen, token = [], None
    while True:
        more = {"pageToken": token} if token else {}
        page = get("ana", "list_events", calendarId="primary", **DAY, maxResults=2, **more)
        seen += [item["summary"] for item in page["items"]]
        token = page.get("nextPageToken")
        assert ("nextSyncToken" in page) == (token is None)
        if token is None:
            break
    assert seen == ["Breakfast", "Budget talk", "Lunch"]


def test_a_sync_shows_what_has_changed_since(three, meet, get):
    token = get("ana", "list_events", calendarId="primary")["nextSyncToken"]
    assert get("ana", "list_events", calendarId="primary", syncToken=token)["items"] == []
    new = meet(summary="New")
    synced = get("ana", "list_events", calendarId="primary", syncToken=token)
    assert [item["id"] for item in synced["items"]] == [new["id"]]


@pytest.mark.parametrize("token", ["stale", b64encode(b"0001-01-01T00:00:00+14:00").decode()])
def test_a_stale_token_is_gone(ask, token):
    for name in ("list_events", "list_acl_rules"):
        reply = ask("ana", name, calendarId="primary", syncToken=token)
        assert reply.text == "HTTP 410: Sync token is no longer valid, a full sync is required."


def test_a_series_is_one_entry_or_each_of_its_events(meet, titles):
    meet(summary="Daily", recurrence=["RRULE:FREQ=DAILY;COUNT=9"])
    week = {"timeMin": "2026-05-11T00:00:00Z", "timeMax": "2026-05-14T00:00:00Z", "q": "daily"}
    assert titles(**week) == ["Daily"]
    assert titles(**week, singleEvents=True) == ["Daily"] * 3
    assert titles(**week | {"timeMin": "2026-06-08T00:00:00Z", "timeMax": "2026-06-11T00:00:00Z"}) == []


def test_what_was_called_off_shows_on_request(meet, get, titles):
    created = meet(summary="Off")
    get("ana", "patch_event", calendarId="primary", eventId=created["id"], status="cancelled")
    assert (titles(), titles(showDeleted=True)) == ([], ["Off"])


def test_types_and_properties_filter(meet, titles):
    meet(summary="Focus", eventType="focusTime")
    meet(summary="Marked", extendedProperties={"shared": {"k": "v=1"}})
    assert titles(eventTypes="focusTime, outOfOffice") == ["Focus"]
    assert titles(sharedExtendedProperty="k=v=1") == ["Marked"]
    assert titles(privateExtendedProperty="k=v=1") == []


def test_times_are_shown_in_the_zone_that_is_asked_for(three, get):
    zone = {"timeZone": "Asia/Tokyo", "singleEvents": True}
    page = get("ana", "list_events", calendarId="primary", **DAY, **zone)
    assert page["timeZone"] == "Asia/Tokyo"
    assert page["items"][0]["start"]["dateTime"] == "2026-05-09T17:00:00+09:00"


def test_a_long_guest_list_is_cut(meet, get):
    created = meet(attendees=[{"email": f"g{n}@x.example"} for n in range(5)])
    result = get("ana", "get_event", calendarId="primary", eventId=created["id"], maxAttendees=2)
    assert (len(result["attendees"]), result["attendeesOmitted"]) == (2, True)


RULES = st.sampled_from(
    ["FREQ=DAILY;COUNT=20", "FREQ=WEEKLY;BYDAY=MO,TH;COUNT=15", "FREQ=MONTHLY;BYDAY=-1SU;COUNT=5"]
)


@given(RULES, st.integers(15, 5000), st.integers(-10, 900), st.integers(1, 500), st.sampled_from([0, 3, 11]))
def test_a_span_of_time_shows_what_overlaps_it(rule, minutes, first, hours, off):
    """The events of a series within a span are those of all its events that overlap it."""
    gym, start = server("calendar"), datetime(2026, 5, 9, 10)
    database = gym.template().open()

    def call(name, **arguments):
        return json.loads(gym.call(database, name, {"calendarId": "primary", **arguments}).text)

    times = {"start": at(f"{start}Z"), "end": at(f"{start + timedelta(minutes=minutes)}Z")}
    created = call("create_event", summary="Strange title", **times, recurrence=[f"RRULE:{rule}"])["id"]
    call(
        "patch_event",
        eventId=call("get_event_instances", eventId=created)["items"][off % 5]["id"],
        location="x",
    )
    since, before = start + timedelta(hours=first), start + timedelta(hours=first + hours)
    expected = [
        one["id"]
        for one in call("get_event_instances", eventId=created, timeZone="UTC")["items"]
        if datetime.fromisoformat(one["start"]["dateTime"][:19]) < before
        and datetime.fromisoformat(one["end"]["dateTime"][:19]) > since
    ]
    span = {"timeMin": f"{since.isoformat()}Z", "timeMax": f"{before.isoformat()}Z"}
    result = call("list_events", **span, singleEvents=True, q="strange")["items"]
    assert [one["id"] for one in result] == expected
    database.close()
