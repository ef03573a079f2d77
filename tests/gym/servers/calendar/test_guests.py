"""Guests: what they see on their own calendar, and what they may do there."""

import pytest


@pytest.fixture
def invitation(meet, people):
    """An event of ana's, with ben."""

    def make(**arguments):
        return meet(attendees=[{"email": people["ben"].email}], **arguments)

    return make


def answer(get, who, event, status):
    entry = {"email": event["attendees"][0]["email"], "responseStatus": status, "comment": "so it is"}
    return get(who, "patch_event", calendarId="primary", eventId=event["id"], attendees=[entry])


def test_an_invitation_shows_on_the_guests_main_calendar(invitation, get):
    event = invitation()
    day = {"timeMin": "2026-05-09T00:00:00Z", "timeMax": "2026-05-10T00:00:00Z"}
    items = get("ben", "list_events", calendarId="primary", **day)["items"]
    assert [item["id"] for item in items] == [event["id"]]
    assert items[0]["attendees"][0]["self"] and not items[0]["organizer"]["self"]


def test_a_guest_answers(invitation, get, ask, rows):
    event = invitation()
    result = answer(get, "ben", event, "tentative")["attendees"][0]
    assert (result["responseStatus"], result["comment"]) == ("tentative", "so it is")
    assert rows("SELECT count(*) FROM attendees WHERE event_id = ?", event["id"]) == [(1,)]


@pytest.mark.parametrize("arguments", [{"summary": "Mine"}, {"attendees": [], "location": "x"}])
def test_a_guest_changes_nothing_else(invitation, ask, calendar_of, arguments):
    event = invitation()
    reply = ask("ben", "patch_event", calendarId="primary", eventId=event["id"], **arguments)
    expected = "lacks required roles ['writer', 'owner'] for update event on calendar"
    assert reply.text.startswith("HTTP 403: User ") and f"{expected} '{calendar_of('ana')}'" in reply.text


def test_unless_guests_may(invitation, get):
    event = invitation(guestsCanModify=True)
    assert (
        get("ben", "patch_event", calendarId="primary", eventId=event["id"], summary="Ours")["summary"]
        == "Ours"
    )


def test_a_guest_who_may_change_it_takes_themselves_off(invitation, get, ask):
    event = invitation(guestsCanModify=True)
    one = {"calendarId": "primary", "eventId": event["id"]}
    assert "attendees" not in get("ben", "patch_event", **one, attendees=[])
    assert ask("ben", "get_event", **one).text == f"HTTP 404: Event not found: {event['id']}"


def test_one_event_of_a_series_is_answered_alone(invitation, get):
    event = invitation(recurrence=["RRULE:FREQ=DAILY;COUNT=3"])
    instances = get("ben", "get_event_instances", calendarId="primary", eventId=event["id"])["items"]
    answer(get, "ben", instances[1], "declined")
    result = get("ana", "get_event_instances", calendarId="primary", eventId=event["id"])["items"]
    assert [item["attendees"][0]["responseStatus"] for item in result] == [
        "needsAction",
        "declined",
        "needsAction",
    ]


def test_to_delete_an_invitation_is_to_decline_it(invitation, get):
    event = invitation()
    get("ben", "delete_event", calendarId="primary", eventId=event["id"])
    result = get("ana", "get_event", calendarId="primary", eventId=event["id"])
    assert result["attendees"][0]["responseStatus"] == "declined"


def test_declined_invitations_are_hidden(invitation, get):
    event = invitation()
    answer(get, "ben", event, "declined")
    day = {"calendarId": "primary", "timeMin": "2026-05-09T00:00:00Z", "timeMax": "2026-05-10T00:00:00Z"}
    assert get("ben", "list_events", **day)["items"] == []
    assert len(get("ben", "list_events", **day, showHiddenInvitations=True)["items"]) == 1


def test_guests_see_one_another_only_if_they_may(meet, get, people):
    guests = [{"email": people["ben"].email}, {"email": "x@y.example"}]
    event = meet(attendees=guests, guestsCanSeeOtherGuests=False)
    seen = get("ben", "get_event", calendarId="primary", eventId=event["id"])
    assert ([g["email"] for g in seen["attendees"]], seen["attendeesOmitted"]) == (
        [people["ben"].email],
        True,
    )
    assert len(get("ana", "get_event", calendarId="primary", eventId=event["id"])["attendees"]) == 2


def test_what_stands_on_anothers_calendar_is_not_moved_away(invitation, ask, get):
    event, other = invitation(), get("ben", "create_calendar", summary="Other")["id"]
    reply = ask("ben", "move_event", calendarId="primary", eventId=event["id"], destination=other)
    assert reply.text.startswith("HTTP 403: ")
