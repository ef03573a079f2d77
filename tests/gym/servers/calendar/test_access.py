"""Who may do what: roles, rules and private events."""

import pytest

from tests.gym.servers.calendar.conftest import at

TIMES = {"start": at("2026-05-09T10:00:00Z"), "end": at("2026-05-09T10:30:00Z")}


@pytest.fixture
def shared_with_ben(get, people):
    """A new calendar of ana's, on which ben is something; its id and that of the rule."""

    def make(role):
        calendar = get("ana", "create_calendar", summary="Shared")["id"]
        scope = {"type": "user", "value": people["ben"].email}
        return calendar, get("ana", "insert_acl_rule", calendarId=calendar, scope=scope, role=role)["id"]

    return make


@pytest.mark.parametrize(
    ("role", "reads", "writes"),
    [("none", 0, 0), ("freeBusyReader", 0, 0), ("reader", 1, 0), ("writer", 1, 1), ("owner", 1, 1)],
)
def test_a_role_opens_what_it_says(shared_with_ben, ask, role, reads, writes):
    calendar, _ = shared_with_ben(role)
    assert ask("ben", "list_events", calendarId=calendar).is_error == (not reads)
    assert ask("ben", "create_event", calendarId=calendar, **TIMES).is_error == (not writes)
    shared = ask("ben", "insert_acl_rule", calendarId=calendar, scope={"type": "default"}, role="reader")
    assert shared.is_error == (role != "owner")


def test_the_refusal_names_the_roles_that_do(shared_with_ben, ask, people):
    calendar, _ = shared_with_ben("reader")
    reply = ask("ben", "create_event", calendarId=calendar, **TIMES)
    who = people["ben"].user_name.replace(".", "_")
    expected = f"lacks required roles ['writer', 'owner'] for create events on calendar '{calendar}'"
    assert reply.text == f"HTTP 403: User '{who}' {expected}"


def test_a_writer_does_not_delete_what_others_made(shared_with_ben, get, ask):
    calendar, _ = shared_with_ben("writer")
    hers = get("ana", "create_event", calendarId=calendar, **TIMES)
    his = get("ben", "create_event", calendarId=calendar, **TIMES)
    assert ask("ben", "delete_event", calendarId=calendar, eventId=hers["id"]).text.startswith("HTTP 403: ")
    assert not ask("ben", "patch_event", calendarId=calendar, eventId=hers["id"], summary="x").is_error
    assert not ask("ben", "delete_event", calendarId=calendar, eventId=his["id"]).is_error


def test_who_writes_on_anothers_main_calendar_writes_in_their_name(get, people, calendar_of):
    scope = {"type": "user", "value": people["ben"].email}
    get("ana", "insert_acl_rule", calendarId="primary", scope=scope, role="writer")
    created = get("ben", "create_event", calendarId=calendar_of("ana"), **TIMES)
    assert (created["creator"]["email"], created["organizer"]["email"]) == (
        people["ben"].email,
        people["ana"].email,
    )


@pytest.mark.parametrize(
    ("visibility", "seen"), [("default", 1), ("public", 1), ("private", 0), ("confidential", 0)]
)
def test_private_events_are_for_those_they_concern(shared_with_ben, get, ask, visibility, seen):
    calendar, _ = shared_with_ben("writer")
    event = get("ana", "create_event", calendarId=calendar, **TIMES, visibility=visibility)
    assert len(get("ben", "list_events", calendarId=calendar)["items"]) == seen
    assert ask("ben", "get_event", calendarId=calendar, eventId=event["id"]).is_error == (not seen)


@pytest.mark.parametrize("visibility", ["private", "confidential"])
def test_who_makes_an_event_of_another_private_is_answered_once_more(shared_with_ben, get, ask, visibility):
    calendar, _ = shared_with_ben("writer")
    event = {
        "calendarId": calendar,
        "eventId": get("ana", "create_event", calendarId=calendar, **TIMES)["id"],
    }
    changed = get("ben", "patch_event", **event, visibility=visibility, summary="Talk")
    assert (changed["visibility"], changed["summary"]) == (visibility, "Talk")
    assert get("ana", "get_event", **event)["visibility"] == visibility
    assert ask("ben", "get_event", **event).text == f"HTTP 404: Event not found: {event['eventId']}"


def test_an_owner_moves_a_private_event_to_where_they_only_write(shared_with_ben, get, people):
    ours, _ = shared_with_ben("owner")
    hers, _ = shared_with_ben("writer")
    event = get("ana", "create_event", calendarId=ours, **TIMES, visibility="private")["id"]
    moved = get("ben", "move_event", calendarId=ours, eventId=event, destination=hers)
    assert moved["id"] == event
    assert get("ana", "get_event", calendarId=hers, eventId=event)["visibility"] == "private"


def test_a_guest_of_a_private_event_sees_it(shared_with_ben, get, people):
    calendar, _ = shared_with_ben("reader")
    guests = [{"email": people["ben"].email}]
    get("ana", "create_event", calendarId=calendar, **TIMES, visibility="private", attendees=guests)
    assert len(get("ben", "list_events", calendarId=calendar)["items"]) == 1


def test_who_is_let_in_already_gets_the_new_role(shared_with_ben, get, rows, people):
    calendar, rule = shared_with_ben("reader")
    scope = {"type": "user", "value": people["ben"].email.upper()}
    again = get("ana", "insert_acl_rule", calendarId=calendar, scope=scope, role="writer")
    assert (again["id"], again["role"]) == (rule, "writer")
    assert rows("SELECT count(*) FROM acls WHERE calendar_id = ?", calendar) == [(2,)]


def test_sql_sees_the_rule_that_the_answer_shows(shared_with_ben, rows, people):
    _, rule = shared_with_ben("reader")
    sql = "SELECT a.role, s.type, s.value FROM acls a JOIN scopes s ON s.id = a.scope_id WHERE a.id = ?"
    assert rows(sql, rule) == [("reader", "user", people["ben"].email)]


def test_a_rule_is_changed_without_touching_the_scope_of_others(shared_with_ben, get, rows, people):
    calendar, rule = shared_with_ben("reader")
    before = rows("SELECT * FROM scopes WHERE value = ?", people["ben"].email)
    scope = {"type": "user", "value": people["boss"].email}
    changed = get("ana", "patch_acl_rule", calendarId=calendar, ruleId=rule, scope=scope)
    assert (changed["scope"], changed["role"]) == (scope, "reader")
    assert rows("SELECT * FROM scopes WHERE value = ?", people["ben"].email) == before


def test_the_owner_stays(shared_with_ben, ask, get):
    calendar, _ = shared_with_ben("owner")
    [own] = [r for r in get("ben", "list_acl_rules", calendarId=calendar)["items"] if r["role"] == "owner"][
        :1
    ]
    for name, more in (("delete_acl_rule", {}), ("patch_acl_rule", {"role": "reader"})):
        reply = ask("ben", name, calendarId=calendar, ruleId=own["id"], **more)
        assert reply.text == f"HTTP 403: The owner's access to calendar '{calendar}' cannot be changed"


@pytest.mark.parametrize(
    ("scope", "message"),
    [
        (
            {"type": "user", "value": "nobody@corvane.example"},
            "Scope (user, nobody@corvane.example) not found",
        ),
        (
            {"type": "group", "value": "nobody@corvane.example"},
            "Scope (group, nobody@corvane.example) not found",
        ),
        ({"type": "user", "value": "nobody"}, "scope.value must be a valid email address for type 'user'"),
        (
            {"type": "domain", "value": "no domain"},
            "scope.value must be a valid domain name for type 'domain'",
        ),
        ({"type": "default", "value": "x"}, "scope.value must be omitted for type 'default'"),
        ({"type": "user"}, "scope.value is required for type 'user'"),
        (
            {"type": "planet", "value": "x"},
            "Invalid scope.type value 'planet'. Acceptable values are: 'default', ",
        ),
    ],
)
def test_a_scope_that_is_none_is_refused(ask, scope, message):
    reply = ask("ana", "insert_acl_rule", calendarId="primary", scope=scope, role="reader")
    assert reply.text.startswith(f"HTTP 400: {message}")


def test_rules_come_page_by_page_the_oldest_first(shared_with_ben, get):
    calendar, rule = shared_with_ben("reader")
    first = get("ana", "list_acl_rules", calendarId=calendar, maxResults=1)
    assert first["nextPageToken"] == "MQ" and first["items"][0]["role"] == "owner"
    second = get("ana", "list_acl_rules", calendarId=calendar, maxResults=1, pageToken="MQ==")
    assert [r["id"] for r in second["items"]] == [rule] and "nextSyncToken" in second


def test_a_domain_and_everybody_are_scopes_too(get, ask):
    calendar = get("ana", "create_calendar", summary="Open")["id"]
    for scope in ({"type": "domain", "value": "corvane.example"}, {"type": "default"}):
        rule = get("ana", "insert_acl_rule", calendarId=calendar, scope=scope, role="reader")
        assert rule["scope"] == scope and not ask("ben", "get_calendar", calendarId=calendar).is_error
        get("ana", "delete_acl_rule", calendarId=calendar, ruleId=rule["id"])
        assert ask("ben", "get_calendar", calendarId=calendar).is_error


def test_channels_that_watch_the_rules_are_told(shared_with_ben, get, rows):
    calendar, rule = shared_with_ben("reader")
    get("ana", "watch_acl", calendarId=calendar, id="w", type="web_hook", address="https://x.org/h")
    get("ana", "patch_acl_rule", calendarId=calendar, ruleId=rule, role="writer")
    get("ana", "patch_acl_rule", calendarId=calendar, ruleId=rule, role="reader", sendNotifications=False)
    assert rows("SELECT notification_count FROM watch_channels WHERE id = 'w'") == [(1,)]
