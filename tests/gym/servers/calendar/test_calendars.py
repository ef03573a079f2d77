"""Calendars, the calendar list, settings, colours, channels."""

import apsw
import pytest


def test_a_new_calendar_belongs_to_its_maker(get, rows, people):
    created = get("ana", "create_calendar", summary="New")
    assert (created["summary"], created["timeZone"]) == ("New", "UTC")
    sql = "SELECT a.role, s.value FROM acls a JOIN scopes s ON s.id = a.scope_id WHERE a.calendar_id = ?"
    assert rows(sql, created["id"]) == [("owner", people["ana"].email)]


def test_a_calendar_goes_by_its_id_by_primary_and_by_an_address(get, calendar_of, people):
    names = (calendar_of("ana"), "primary", people["ana"].email)
    assert {get("ana", "get_calendar", calendarId=name)["id"] for name in names} == {calendar_of("ana")}


def test_nobody_has_two_main_calendars(rows, people):
    sql = "INSERT INTO calendars (calendar_id, user_id, summary, is_primary) VALUES ('x', ?, 'x', 1)"
    with pytest.raises(apsw.ConstraintError, match="UNIQUE"):
        rows(sql, people["ana"].user_name.replace(".", "_"))


def test_null_clears_in_an_update_and_counts_as_not_given_in_a_patch(get):
    calendar = get("ana", "create_calendar", summary="New", description="d")["id"]
    assert (
        get("ana", "patch_calendar", calendarId=calendar, description=None, location="x")["description"]
        == "d"
    )
    assert "description" not in get("ana", "update_calendar", calendarId=calendar, description=None)


def test_deleting_and_clearing(get, rows):
    calendar = get("ana", "create_calendar", summary="New")["id"]
    day = {"start": {"date": "2026-05-09"}, "end": {"date": "2026-05-10"}}
    for rules in ([], ["RRULE:FREQ=DAILY"]):
        get("ana", "create_event", calendarId=calendar, **day, recurrence=rules)
    series = rows("SELECT count(*) FROM recurring_events")
    assert get("ana", "clear_calendar", calendarId=calendar) == "Operation completed successfully"
    assert rows("SELECT count(*) FROM events WHERE calendar_id = ?", calendar) == [(0,)]
    assert rows("SELECT count(*) FROM recurring_events") == [(series[0][0] - 1,)]
    get("ana", "delete_calendar", calendarId=calendar)
    assert rows("SELECT 1 FROM calendars WHERE calendar_id = ?", calendar) == []


def test_the_list_is_ordered_by_id_and_leaves_out_the_hidden_and_the_removed(get):
    names = {get("ana", "create_calendar", summary=s)["id"]: s for s in ("Shown", "Hidden", "Removed")}
    ids = {summary: calendar for calendar, summary in names.items()}
    get("ana", "update_calendar_in_list", calendarId=ids["Hidden"], hidden=True)
    get("ana", "remove_calendar_from_list", calendarId=ids["Removed"])

    def listed(**more):
        ids_listed = [entry["id"] for entry in get("ana", "get_calendar_list", **more)["items"]]
        assert ids_listed == sorted(ids_listed)
        return {names[calendar] for calendar in ids_listed if calendar in names}

    assert listed() == {"Shown"}
    assert listed(showHidden=True) == {"Shown", "Hidden"}
    assert listed(showDeleted=True) == {"Shown", "Removed"}
    get("ana", "add_calendar_to_list", id=ids["Removed"])
    assert listed() == {"Shown", "Removed"}


def test_the_list_knows_what_you_are(get, people):
    entries = get("boss", "get_calendar_list", minAccessRole="owner")["items"]
    assert entries and {entry["accessRole"] for entry in entries} == {"owner"}
    assert get("boss", "get_calendar_list", maxResults=0)["items"] == []
    [main] = [e for e in entries if e["primary"]]
    assert main["summary"] == people["boss"].name


def test_a_list_syncs(get, ask):
    token = get("ana", "get_calendar_list")["nextSyncToken"]
    assert get("ana", "get_calendar_list", syncToken=token)["items"] == []
    created = get("ana", "create_calendar", summary="New")["id"]
    assert [e["id"] for e in get("ana", "get_calendar_list", syncToken=token)["items"]] == [created]
    reply = ask("ana", "get_calendar_list", syncToken=token, minAccessRole="owner")
    assert reply.text.endswith("minAccessRole query parameter cannot be specified together with syncToken")


def test_what_is_hidden_is_not_selected(get):
    result = get("ana", "update_calendar_in_list", calendarId="primary", hidden=True, selected=True)
    assert (result["hidden"], result["selected"]) == (True, False)
    result = get("ana", "update_calendar_in_list", calendarId="primary", hidden=False)
    assert (result["hidden"], result["selected"]) == (False, True)


def test_colours_by_number_and_by_shade_agree(get, ask):
    entry = {"calendarId": "primary"}
    assert get("ana", "update_calendar_in_list", **entry, colorId="5")["backgroundColor"] == "#ff7537"
    shades = {"backgroundColor": "#16A765", "foregroundColor": "#1d1d1d"}
    assert get("ana", "update_calendar_in_list", **entry, **shades, colorRgbFormat=True)["colorId"] == "8"
    assert "must set colorRgbFormat=true" in ask("ana", "update_calendar_in_list", **entry, **shades).text
    reply = ask("ana", "update_calendar_in_list", **entry, colorId="25")
    assert reply.text == "HTTP 400: Invalid calendar colorId: '25'. Check available colorId with GET /colors"


def test_a_replacement_resets_what_is_not_given(get):
    arguments = {
        "summaryOverride": "Me",
        "defaultReminders": [{"method": "email", "minutes": 5}],
        "colorId": "3",
    }
    before = get("ana", "update_calendar_in_list", calendarId="primary", **arguments)
    assert (before["summary"], before["defaultReminders"]) == ("Me", arguments["defaultReminders"])
    after = get("ana", "replace_calendar_in_list", calendarId="primary", colorId="4")
    assert not {"summaryOverride", "defaultReminders", "notificationSettings"} & after.keys()
    assert after["colorId"] == "4" and "conferenceProperties" in after


def test_a_main_calendar_stays_on_the_list(ask):
    reply = ask("ana", "remove_calendar_from_list", calendarId="primary")
    assert reply.text == "HTTP 400: Cannot remove primary calendar from calendar list"


def test_settings_and_colours(get, people):
    zone = people["ana"].site.timezone
    assert get("ana", "get_settings", settingId="timezone")["value"] == zone
    settings = get("ana", "list_settings")
    assert settings["kind"] == "calendar#settings" and zone in [s["value"] for s in settings["items"]]
    palette = get("ana", "get_colors")
    assert (len(palette["calendar"]), len(palette["event"])) == (24, 11)


@pytest.mark.parametrize(
    ("name", "more", "uri"),
    [
        ("watch_events", {"calendarId": "board-calendar", "eventTypes": "default"},
         "/calendars/board-calendar/events?eventTypes=default"),
        ("watch_acl", {"calendarId": "board-calendar"}, "/calendars/board-calendar/acl"),
        ("watch_calendar_list", {}, "/users/me/calendarList"),
        ("watch_settings", {}, "/settings"),
    ],
)  # fmt: skip
def test_a_channel_stays_open_as_long_as_asked(get, ask, name, more, uri):
    arguments = {"id": "c", "type": "web_hook", "address": "https://x.org/h", "token": "t", **more}
    opened = get("chief", name, **arguments, params={"ttl": "60"})
    assert (opened["kind"], opened["resourceUri"]) == ("api#channel", uri)
    assert opened["expiration"] == "2026-01-05T09:01:01.000Z"
    assert ask("chief", name, **arguments).text == "HTTP 400: Channel with Id c already exists"
    reply = ask("chief", name, **arguments | {"id": "d", "address": "http://x.org"})
    assert reply.text == "HTTP 400: Invalid 'address': must be an https URL"
    reply = ask("chief", name, **arguments | {"id": "d"}, params={"ttl": "soon"})
    assert reply.text == "HTTP 400: params.ttl must be an integer string representing seconds"
