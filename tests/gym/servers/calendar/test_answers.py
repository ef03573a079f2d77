"""What answers and refusals look like, and who calls."""

import json
from random import Random

import httpx
import pytest

from eops_traj.gym.company.company import company
from eops_traj.gym.servers.calendar.seed_directory import administrator
from tests.gym.servers.calendar.conftest import at
from tests.serving import served
from tests.waiting import PATIENCE


def test_a_result_is_indented_json(ask):
    reply = ask("ana", "get_calendar", calendarId="primary")
    assert reply.text == json.dumps(json.loads(reply.text), indent=2)
    assert reply.envelope == {"content": [{"type": "text", "text": reply.text}], "isError": False}


def test_no_result_is_a_sentence(ask, meet):
    reply = ask("ana", "delete_event", calendarId="primary", eventId=meet()["id"])
    assert reply.text == "Operation completed successfully"


@pytest.mark.parametrize(
    ("name", "arguments", "text"),
    [
        ("get_event", {"calendarId": "primary", "eventId": "x"}, "HTTP 404: Event not found: x"),
        ("get_calendar", {"calendarId": "x"}, "HTTP 404: Calendar not found: x"),
        ("delete_calendar", {"calendarId": "primary"}, "HTTP 400: Cannot delete primary calendar."),
        ("patch_calendar", {"calendarId": "primary"}, "HTTP 400: No fields provided for patch"),
        ("get_user_by_email", {"email": "x@y.org"}, "HTTP 404: User not found with email: x@y.org"),
        ("get_settings", {"settingId": "x"}, "HTTP 404: Setting x not found"),
        (
            "delete_event",
            {"calendarId": "primary", "eventId": "x", "sendUpdates": "x"},
            "HTTP 400: Invalid sendUpdates value 'x'. Acceptable values are: 'all', 'externalOnly', 'none'",
        ),
        (
            "create_event",
            {"calendarId": "primary", "start": {}, "attendees": [{}]},
            "HTTP 400: Validation errors:\n- end: is required\n- attendees[0].email: is required",
        ),
        ("no_such_tool", {}, "Unknown tool: no_such_tool"),
    ],
)
def test_refusals_are_plain_texts_that_no_flag_marks(ask, name, arguments, text):
    reply = ask("ana", name, **arguments)
    assert sorted(reply.text.splitlines()) == sorted(text.splitlines())
    assert (reply.is_error, reply.envelope["isError"], reply.changes) == (True, False, ())


def test_without_a_token_the_first_user_calls(gym, database):
    first = json.loads(gym.call(database, "get_calendar", {"calendarId": "primary"}).text)
    assert first["summary"] == administrator(company(Random(0))).name
    wrong = gym.call(database, "get_calendar", {"calendarId": "primary"}, "no token")
    assert wrong.text == "Tool execution failed: User not found for given access token"


def test_an_empty_database_has_nobody_to_call(gym):
    database = gym.template("SELECT 1;").open()
    reply = gym.call(database, "get_calendar", {"calendarId": "primary"})
    assert reply.text == "Tool execution failed: User not found"


def test_the_suspended_only_read_when_permissions_are_strict(gym, database, rows):
    [token, account] = rows("SELECT static_token, user_id FROM users WHERE NOT is_active LIMIT 1")[0]
    arguments = {
        "calendarId": "primary",
        "start": at("2026-05-09T10:00:00Z"),
        "end": at("2026-05-09T11:00:00Z"),
    }
    refused = gym.call(database, "create_event", arguments, token, strict_permissions=True)
    assert refused.text.startswith("HTTP 403: ")
    assert not gym.call(database, "create_event", arguments, token).is_error
    read = gym.call(database, "get_calendar", {"calendarId": "primary"}, token, strict_permissions=True)
    assert json.loads(read.text)["id"] == f"{account}-primary"


def test_no_flag_marks_them_over_http_either(gym):
    call = {"name": "get_event", "arguments": {"calendarId": "primary", "eventId": "x"}}
    message = {"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": call}
    accept = {"accept": "application/json, text/event-stream"}
    with served(gym) as urls:
        answer = httpx.post(f"{urls['calendar']}/mcp", json=message, headers=accept, timeout=PATIENCE)
    result = answer.json()["result"]
    assert (result["content"][0]["text"], result["isError"]) == ("HTTP 404: Event not found: x", False)
