"""Series: their events, those that are changed or called off, and what becomes of them."""

import json

import pytest

from tests.gym.servers.calendar.conftest import at

WEEKLY = {"recurrence": ["RRULE:FREQ=WEEKLY;COUNT=4"]}


def ids(answer):
    return [item["id"] for item in answer["items"]]


def test_a_series_is_one_row_and_its_events_are_computed(meet, get, rows):
    created = meet(**WEEKLY)
    assert created["recurrence"] == WEEKLY["recurrence"] and "recurringEventId" not in created
    instances = get("ana", "get_event_instances", calendarId="primary", eventId=created["id"])["items"]
    assert [item["start"]["dateTime"][:10] for item in instances] == [
        "2026-05-09", "2026-05-16", "2026-05-23", "2026-05-30",
    ]  # fmt: skip
    assert {item["recurringEventId"] for item in instances} == {created["id"]}
    assert rows("SELECT count(*) FROM events WHERE recurring_event_id = ?", created["id"]) == [(1,)]
    assert rows(
        "SELECT original_recurrence FROM recurring_events WHERE recurring_event_id = ?", created["id"]
    )


def test_a_series_keeps_its_hour_when_the_clocks_change(get):
    times = {n: at(f"2026-03-01T{t}:00:00", "America/New_York") for n, t in (("start", "09"), ("end", "10"))}
    created = get(
        "ana", "create_event", calendarId="primary", **times, recurrence=["RRULE:FREQ=WEEKLY;COUNT=3"]
    )
    instances = get("ana", "get_event_instances", calendarId="primary", eventId=created["id"])["items"]
    assert [item["start"]["dateTime"] for item in instances] == [
        "2026-03-01T09:00:00-05:00", "2026-03-08T09:00:00-04:00", "2026-03-15T09:00:00-04:00",
    ]  # fmt: skip


def test_one_event_of_a_series_is_changed_alone(meet, get, rows):
    created = meet(**WEEKLY, attendees=[{"email": "a@b.example"}])
    second = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[1]
    changed = get("ana", "patch_event", calendarId="primary", eventId=second, summary="Longer",
                  end=at("2026-05-16T12:00:00Z"))  # fmt: skip
    assert (changed["id"], changed["originalStartTime"]["dateTime"]) == (second, "2026-05-16T10:00:00+00:00")
    assert changed["attendees"][0]["email"] == "a@b.example"
    instances = get("ana", "get_event_instances", calendarId="primary", eventId=created["id"])["items"]
    assert [item["summary"] for item in instances] == ["Talk", "Longer", "Talk", "Talk"]
    assert rows("SELECT count(*) FROM events WHERE recurring_event_id = ?", created["id"]) == [(2,)]


def test_one_event_of_a_series_is_made_a_whole_day(meet, get):
    created = meet(**WEEKLY)
    second = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[1]
    one = {"calendarId": "primary", "eventId": second}
    days = {"start": {"date": "2026-05-16"}, "end": {"date": "2026-05-17"}}
    changed = get("ana", "patch_event", **one, **days)
    assert {name: changed[name] for name in days} == days
    assert changed["originalStartTime"]["dateTime"] == "2026-05-16T10:00:00+00:00"
    assert get("ana", "patch_event", **one, end={"date": "2026-05-18"})["end"] == {"date": "2026-05-18"}
    listed = get("ana", "get_event_instances", calendarId="primary", eventId=created["id"])["items"]
    assert ["date" in item["start"] for item in listed] == [False, True, False, False]


def test_one_event_of_a_series_that_is_put_from_midnight_to_midnight_stays_a_time(meet, get):
    created = meet(**WEEKLY)
    second = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[1]
    one = {"calendarId": "primary", "eventId": second}
    times = {"start": at("2026-05-16T00:00:00Z"), "end": at("2026-05-17T00:00:00Z")}
    assert "dateTime" in get("ana", "patch_event", **one, **times)["start"]
    assert "dateTime" in get("ana", "patch_event", **one, end=at("2026-05-17T02:00:00Z"))["start"]
    days = {"start": {"date": "2026-05-16"}, "end": {"date": "2026-05-17"}}
    assert get("ana", "patch_event", **one, **days)["start"] == days["start"]
    assert "dateTime" in get("ana", "patch_event", **one, **times)["start"]


def test_only_one_event_of_a_series_is_told_from_a_whole_day_by_its_zone(meet, get, rows):
    timed = meet(start=at("2026-05-09T00:00:00Z"), end=at("2026-05-10T00:00:00Z"))["id"]
    rows("UPDATE events SET end_timezone = NULL WHERE event_id = ?", timed)  # as seeds have them, too
    assert "dateTime" in get("ana", "get_event", calendarId="primary", eventId=timed)["start"]
    days = meet(start={"date": "2026-05-09"}, end={"date": "2026-05-10"})["id"]
    get("ana", "patch_event", calendarId="primary", eventId=days, end={"date": "2026-05-11"})
    assert rows("SELECT end_timezone IS NULL FROM events WHERE event_id = ?", days) == [(0,)]


def test_one_event_of_a_series_at_midnight_is_made_a_whole_day_too(meet, get):
    created = meet(start=at("2026-05-09T00:00:00Z"), end=at("2026-05-10T00:00:00Z"), **WEEKLY)
    second = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[1]
    days = {"start": {"date": "2026-05-16"}, "end": {"date": "2026-05-17"}}
    changed = get("ana", "patch_event", calendarId="primary", eventId=second, **days)
    assert changed["start"] == days["start"] and "dateTime" in changed["originalStartTime"]


def test_a_change_of_one_event_from_midnight_to_midnight_leaves_it_a_time(meet, get):
    created = meet(start=at("2026-05-09T00:00:00Z"), end=at("2026-05-10T00:00:00Z"), **WEEKLY)
    second = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[1]
    changed = get("ana", "patch_event", calendarId="primary", eventId=second, summary="Watch")
    assert changed["start"]["dateTime"] == "2026-05-16T00:00:00+00:00"


@pytest.mark.parametrize(
    ("end", "number"),
    [("COUNT=500", 499), ("UNTIL=20280131", 632), ("INTERVAL=2;COUNT=2600", 2599), ("INTERVAL=2", 365)],
)
def test_only_a_series_without_an_end_is_cut_short(meet, get, end, number):
    created = meet(recurrence=[f"RRULE:FREQ=DAILY;{end}", "EXRULE:FREQ=DAILY;COUNT=1"])
    listed, page = 0, {}
    while listed == 0 or page:
        answer = get("ana", "get_event_instances", calendarId="primary", eventId=created["id"],
                     maxResults=2500, **page)  # fmt: skip
        listed += len(answer["items"])
        page = {"pageToken": answer["nextPageToken"]} if "nextPageToken" in answer else {}
    assert listed == number


def test_one_event_of_a_series_is_called_off(meet, get):
    created = meet(**WEEKLY)
    arguments = {"calendarId": "primary", "eventId": created["id"]}
    first, *others = ids(get("ana", "get_event_instances", **arguments))
    get("ana", "delete_event", calendarId="primary", eventId=first)
    assert ids(get("ana", "get_event_instances", **arguments)) == others
    result = get("ana", "get_event_instances", **arguments, showDeleted=True)["items"]
    assert [item["status"] for item in result] == ["cancelled", "confirmed", "confirmed", "confirmed"]


def test_a_series_is_deleted_with_its_exceptions(meet, get, ask, rows):
    created = meet(**WEEKLY)
    first = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[0]
    get("ana", "patch_event", calendarId="primary", eventId=first, summary="Other")
    reply = ask("ana", "delete_event", calendarId="primary", eventId=created["id"])
    assert {(c.table, c.operation) for c in reply.changes} == {
        ("events", "delete"),
        ("recurring_events", "delete"),
    }
    assert rows("SELECT 1 FROM events WHERE event_id IN (?, ?)", created["id"], first) == []


def test_other_rules_forget_the_exceptions_to_the_old_ones(meet, get, rows):
    created = meet(**WEEKLY)
    first = ids(get("ana", "get_event_instances", calendarId="primary", eventId=created["id"]))[0]
    get("ana", "patch_event", calendarId="primary", eventId=first, summary="Other")
    get(
        "ana",
        "patch_event",
        calendarId="primary",
        eventId=created["id"],
        recurrence=["RRULE:FREQ=DAILY;COUNT=2"],
    )
    instances = get("ana", "get_event_instances", calendarId="primary", eventId=created["id"])["items"]
    assert [item["summary"] for item in instances] == ["Talk", "Talk"]


def test_an_event_becomes_a_series_and_one_again(meet, get, ask, rows):
    created = meet()
    arguments = {"calendarId": "primary", "eventId": created["id"]}
    assert (
        ask("ana", "get_event_instances", **arguments).text
        == f"HTTP 400: Event is not recurring: {created['id']}"
    )
    get("ana", "patch_event", **arguments, recurrence=["RRULE:FREQ=DAILY;COUNT=2"])
    assert len(get("ana", "get_event_instances", **arguments)["items"]) == 2
    get("ana", "patch_event", **arguments, recurrence=[])
    assert rows("SELECT recurrence, recurring_event_id FROM events WHERE event_id = ?", created["id"]) == [
        (None, None)
    ]
    assert rows("SELECT 1 FROM recurring_events WHERE recurring_event_id = ?", created["id"]) == []


def test_one_event_of_a_series_has_no_rules_of_its_own(meet, ask):
    created = meet(**WEEKLY)
    one = {"calendarId": "primary", "eventId": f"{created['id']}_20260509T100000Z"}
    reply = ask("ana", "patch_event", **one, recurrence=["RRULE:FREQ=DAILY"])
    assert reply.text == "HTTP 400: recurrence belongs to the series, not to one of its events"


def test_an_impossible_series_is_refused(ask):
    times = {"start": at("2026-05-09T10:00:00Z"), "end": at("2026-05-09T10:30:00Z")}
    rule = ["RRULE:FREQ=YEARLY;BYMONTH=2;BYMONTHDAY=30"]
    reply = ask("ana", "create_event", calendarId="primary", **times, recurrence=rule)
    assert reply.text == "HTTP 400: Invalid recurrence pattern: the series has no events"
    assert reply.changes == ()


def test_an_event_of_a_series_is_found_only_where_the_series_has_one(meet, ask):
    created = meet(**WEEKLY)
    for suffix in (
        "20260510T100000Z",
        "20260509T110000Z",
        "20260509",
        "20269999",
        "99991231",
        "20260603T100000Z",
    ):
        name = f"{created['id']}_{suffix}"
        reply = ask("ana", "get_event", calendarId="primary", eventId=name)
        assert reply.text == f"HTTP 404: Event not found: {name}"


RULES = "'[\"RRULE:FREQ=DAILY;COUNT=2\"]'"
WRITTEN_OUT = f"""
INSERT INTO users (user_id, email, name, static_token) VALUES ('u', 'u@x.org', 'U', 't');
INSERT INTO calendars (calendar_id, user_id, summary, is_primary) VALUES ('c', 'u', 'C', 1);
INSERT INTO recurring_events VALUES ('s', {RULES});
INSERT INTO events
    (event_id, calendar_id, user_id, recurring_event_id, recurrence, start_datetime, end_datetime)
VALUES ('e1', 'c', 'u', 's', {RULES}, '2026-05-09T10:00:00+00:00', '2026-05-09T11:00:00+00:00'),
    ('e2', 'c', 'u', 's', {RULES}, '2026-05-10T10:00:00+00:00', '2026-05-10T11:00:00+00:00');
"""


def test_rows_that_a_seed_wrote_for_every_event_are_taken_as_they_are(gym):
    database = gym.template(WRITTEN_OUT).open()
    reply = gym.call(database, "list_events", {"calendarId": "c", "singleEvents": True}, "t")
    assert ids(json.loads(reply.text)) == ["e1", "e2"]
