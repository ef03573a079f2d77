"""Single events: made, read, changed, moved, deleted."""

import pytest

from tests.gym.servers.calendar.conftest import at


def test_an_event_is_kept_by_the_clocks_of_its_calendar(get, rows, people):
    zone = people["ana"].site.timezone
    created = get(
        "ana",
        "create_event",
        calendarId="primary",
        start=at("2026-05-09T10:00:00"),
        end=at("2026-05-09T11:00:00"),
    )
    assert created["start"]["timeZone"] == zone
    [row] = rows(
        "SELECT start_datetime, start_timezone, originalStartTime_dateTime FROM events WHERE event_id = ?",
        created["id"],
    )
    assert row == ("2026-05-09 10:00:00.000000", zone, "2026-05-09 10:00:00.000000")


def test_what_is_made_has_the_defaults_and_its_maker(meet, people):
    created = meet()
    assert (created["status"], created["visibility"], created["transparency"]) == (
        "confirmed",
        "default",
        "opaque",
    )
    assert (created["eventType"], created["sequence"]) == ("default", 0)
    assert (created["organizer"]["email"], created["organizer"]["self"]) == (people["ana"].email, True)
    assert created["reminders"] == {"useDefault": False, "overrides": []}
    assert created["iCalUID"] == f"{created['id']}@calendar.google.com" and created["etag"].startswith('"')


def test_whole_days(meet):
    created = meet(start={"date": "2026-05-09"}, end={"date": "2026-05-11"})
    assert (created["start"], created["end"]) == ({"date": "2026-05-09"}, {"date": "2026-05-11"})


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"end": at("2026-05-09T10:00:00Z")}, "Event end time must be after start time"),
        ({"end": {"date": "2026-05-10"}}, "start and end must both be dates, or both be times"),
        ({"start": at("2026-05-09")}, "Invalid datetime format: 2026-05-09"),
        ({"start": at("2026-05-09T09:00:00", "Mars/North")},
         "Invalid timeZone 'Mars/North'; must be a valid IANA timezone name"),
        ({"start": {}}, "'start' must have either dateTime or date"),
        ({"start": {"date": "2026-02-30"}, "end": {"date": "2026-03-01"}}, "Invalid date format: 2026-02-30"),
        ({"colorId": "99"}, "Invalid event colorId: '99'. Check available colors with GET /colors"),
        ({"iCalUID": "x"}, "Invalid iCalUID format. Expected something like 'abcd123@google.com'."),
        ({"source": {"url": "ftp://x"}}, "Invalid 'url' in source: must be an https or http URL"),
        ({"attendees": [{"email": "nobody"}]}, "Invalid email format: nobody"),
        ({"reminders": {"overrides": [{"method": "popup", "minutes": n} for n in range(6)]}},
         "The maximum number of override reminders is 5"),
        ({"focusTimeProperties": {"chatStatus": "available"}},
         "Use focusTimeProperties only when eventType is set to 'focusTime'"),
        ({"originalStartTime": at("2026-05-09T11:00:00Z")},
         "originalStartTime.dateTime must match start.dateTime when both are provided"),
        ({"attachments": [{"fileUrl": "file:///x"}], "supportsAttachments": True},
         "Invalid 'fileUrl': must be an https URL file:///x"),
        ({"conferenceData": {"notes": "x"}, "conferenceDataVersion": 1},
         "conferenceData needs createRequest, or conferenceSolution and entryPoints"),
    ],
)  # fmt: skip
def test_what_an_event_cannot_be_is_refused(ask, arguments, message):
    times = {"start": at("2026-05-09T10:00:00Z"), "end": at("2026-05-09T10:30:00Z")}
    reply = ask("ana", "create_event", calendarId="primary", **{**times, **arguments})
    assert (reply.text, reply.changes) == (f"HTTP 400: {message}", ())


def test_everything_that_hangs_on_an_event_comes_back(meet):
    arguments = {
        "attachments": [{"fileUrl": "https://drive.corvane.example/a"}], "supportsAttachments": True,
        "extendedProperties": {"private": {"a": "1"}, "shared": {"b": "2"}},
        "reminders": {"useDefault": False, "overrides": [{"method": "email", "minutes": 30}]},
        "eventType": "workingLocation", "source": {"url": "https://x.org", "title": "X"},
        "workingLocationProperties": {"type": "officeLocation", "officeLocation": {"label": "HQ"}},
        "conferenceData": {
            "conferenceId": "c-1", "conferenceSolution": {"key": {"type": "addOn"}, "name": "Calls"},
            "entryPoints": [{"entryPointType": "video", "uri": "https://calls.example/1"}], "notes": "hello",
        },
        "conferenceDataVersion": 1,
    }  # fmt: skip
    created = meet(**arguments)
    for name in ("extendedProperties", "reminders", "workingLocationProperties", "conferenceData", "source"):
        assert created[name] == arguments[name], name
    assert created["attachments"][0]["fileUrl"] == "https://drive.corvane.example/a"


def test_a_requested_call_gets_a_link_and_a_request_counts_once(meet):
    request = {"conferenceData": {"createRequest": {"requestId": "r"}}, "conferenceDataVersion": 1}
    first, second = meet(**request), meet(**request)
    link = first["hangoutLink"]
    assert first["conferenceData"]["entryPoints"][0]["uri"] == link == f"https://meet.google.com/{link[-12:]}"
    assert second["conferenceData"]["createRequest"] == {"status": {"statusCode": "failure"}}


def test_files_and_calls_count_only_when_the_caller_knows_of_them(meet):
    created = meet(
        attachments=[{"fileUrl": "https://x.org"}], conferenceData={"createRequest": {"requestId": "r"}}
    )
    assert "attachments" not in created and "conferenceData" not in created


@pytest.mark.parametrize(
    ("tool", "arguments", "stays"),
    [
        ("update_event", {}, True),
        ("update_event", {"conferenceDataVersion": 1}, False),
        ("patch_event", {"conferenceDataVersion": 1}, True),
        ("patch_event", {"conferenceDataVersion": 1, "conferenceData": {}}, False),
        ("patch_event", {"conferenceData": {}}, True),
    ],
)
def test_a_call_and_its_link_go_and_stay_together(meet, get, tool, arguments, stays):
    request = {"conferenceData": {"createRequest": {"requestId": "r"}}, "conferenceDataVersion": 1}
    made = meet(**request)
    times = {"start": made["start"], "end": made["end"]}
    after = get("ana", tool, calendarId="primary", eventId=made["id"], **times, **arguments)
    kept = {name: after.get(name) for name in ("conferenceData", "hangoutLink")}
    assert kept == {name: made[name] if stays else None for name in kept}


def test_guests_from_outside_get_an_account(meet, rows):
    meet(attendees=[{"email": "Guest@Elsewhere.example"}])
    [row] = rows("SELECT name, is_verified FROM users WHERE email = 'Guest@Elsewhere.example'")
    assert row == ("Guest", 0)


def test_a_patch_changes_what_is_given(ask, meet, rows):
    created = meet(location="Here", attendees=[{"email": "a@b.example", "responseStatus": "accepted"}])
    reply = ask("ana", "patch_event", calendarId="primary", eventId=created["id"], summary="Tea")
    [change] = reply.changes
    assert change.after == {"summary": "Tea", "sequence": 1, "updated_at": "2026-01-05 09:00:02.000000"}


def test_who_stays_on_the_list_keeps_the_answer(meet, get, people):
    created = meet(
        attendees=[{"email": people["ben"].email, "responseStatus": "accepted"}, {"email": "x@y.example"}]
    )
    again = [{"email": people["ben"].email}, {"email": people["boss"].email}]
    result = get("ana", "patch_event", calendarId="primary", eventId=created["id"], attendees=again)[
        "attendees"
    ]
    assert [(g["email"], g["responseStatus"]) for g in result] == [
        (people["ben"].email, "accepted"), (people["boss"].email, "needsAction"),
    ]  # fmt: skip


def test_a_put_resets_what_is_not_given(meet, get):
    created = meet(
        location="Here", attendees=[{"email": "a@b.example"}], recurrence=["RRULE:FREQ=DAILY;COUNT=3"]
    )
    times = {"start": at("2026-05-09T12:00:00Z"), "end": at("2026-05-09T13:00:00Z")}
    result = get("ana", "update_event", calendarId="primary", eventId=created["id"], **times)
    assert not {"summary", "location", "attendees", "recurrence"} & result.keys()
    assert result["iCalUID"] == created["iCalUID"] and result["sequence"] == 1


def test_the_type_of_an_event_stays(meet, ask):
    created = meet()
    reply = ask("ana", "patch_event", calendarId="primary", eventId=created["id"], eventType="focusTime")
    assert (
        reply.text
        == "HTTP 400: EventType once set can not be modified. Expecting value: default. Got focusTime"
    )


def test_only_default_events_move(meet, ask, get, rows):
    calendar = get("ana", "create_calendar", summary="Other")["id"]
    created, focus = meet(), meet(eventType="focusTime")
    moved = get("ana", "move_event", calendarId="primary", eventId=created["id"], destination=calendar)
    assert moved["id"] == created["id"]
    assert rows("SELECT calendar_id FROM events WHERE event_id = ?", created["id"]) == [(calendar,)]
    reply = ask("ana", "move_event", calendarId="primary", eventId=focus["id"], destination=calendar)
    assert reply.text.startswith(
        "HTTP 400: Cannot move event of type 'focusTime'. Only default events can be moved."
    )


def test_an_import_is_a_private_copy_for_people_of_the_directory(get, ask, people):
    arguments = {
        "calendarId": "primary", "iCalUID": "talk@elsewhere.example", "start": {"date": "2026-05-09"},
        "end": {"date": "2026-05-10"}, "organizer": {"email": people["boss"].email},
    }  # fmt: skip
    created = get("ana", "import_event", **arguments)
    assert (created["privateCopy"], created["iCalUID"], created["organizer"]["email"]) == (
        True, "talk@elsewhere.example", people["boss"].email,
    )  # fmt: skip
    reply = ask("ana", "import_event", **arguments, attendees=[{"email": "x@y.example"}])
    assert reply.text.startswith("HTTP 400: Attendee email 'x@y.example' not found in database.")
    reply = ask("ana", "import_event", **arguments | {"organizer": {"email": "x@y.example"}})
    assert reply.text == "HTTP 400: Organizer email does not exist"
