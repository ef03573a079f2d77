import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.api_styles import google
from eops_traj.gym.api_styles.google import GoogleRefusal, GoogleResponses, error
from eops_traj.gym.tools.errors import Problem, Refusal


def test_an_error_has_the_body_of_the_api():
    body = json.loads(GoogleResponses().refusal("get_x", error("NOT_FOUND", "No x.", location="xId")))
    entry = {
        "message": "No x.", "domain": "global", "reason": "notFound",
        "location": "xId", "locationType": "parameter",
    }  # fmt: skip
    assert body == {"error": {"code": 404, "message": "No x.", "errors": [entry]}}


def test_a_refusal_of_a_directive_has_it_too():
    envelope = GoogleResponses()
    envelope.shows_status = True
    found = envelope.body(Refusal("no", "PERMISSION_DENIED"))["error"]
    assert (found["code"], found["status"], found["errors"][0]["reason"]) == (
        403,
        "PERMISSION_DENIED",
        "forbidden",
    )
    assert envelope.body(Refusal("odd", "SOMETHING_ELSE"))["error"]["code"] == 400


def test_every_problem_of_the_arguments_is_an_entry():
    problems = [
        Problem("missing", ("a",), "Field required", {}),
        Problem("int_type", ("b", 0), "no integer", "x"),
    ]
    found = GoogleResponses().body(GoogleRefusal("m", "INVALID_ARGUMENT", problems=problems))["error"]
    assert [(e["location"], e["reason"], e["message"]) for e in found["errors"]] == [
        ("a", "required", "Required parameter: a"),
        ("b.0", "invalidParameter", "Invalid value for b.0: no integer"),
    ]


@given(st.lists(st.integers(), max_size=30), st.integers(1, 7))
def test_the_pages_are_the_whole(rows, size):
    found, token = google.page(rows, size, None)
    seen = list(found)
    while token:
        found, token = google.page(rows, size, token)
        seen += found
    assert seen == rows


@pytest.mark.parametrize("token", ["!", "MTA?", "bm9wZQ", "é", "A" * 99, "-1", "٣", "MTIzNDU2Nzg5MDEy"])
def test_a_malformed_page_token_is_refused(token):
    with pytest.raises(GoogleRefusal) as refused:
        google.offset(token)
    assert (refused.value.code, refused.value.location) == ("INVALID_ARGUMENT", "pageToken")


def test_a_plain_number_is_a_page_token_too():
    assert google.offset("200") == google.offset(google.page_token(200)) == 200


def test_a_row_becomes_a_resource():
    row = {"id": "1", "web_view_link": None, "created_time": "2026-01-05 09:00:00", "secret": 1}
    assert google.resource(row, "secret", kind="x", size=None) == {
        "id": "1", "createdTime": "2026-01-05T09:00:00.000Z", "kind": "x",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("text", "stored"),
    [
        ("2026-01-05", "2026-01-05 00:00:00"),
        ("2026-01-05T09:30:00Z", "2026-01-05 09:30:00"),
        ("2026-01-05T09:30:00.123456789+02:00", "2026-01-05 07:30:00"),
        ("0012-01-05 09:30", "0012-01-05 09:30:00"),
    ],
)
def test_times_are_stored_in_utc(text, stored):
    assert google.parse_time(text, "t") == stored


@pytest.mark.parametrize(
    "text", ["", "soon", "2026-13-01", "2026-W01", "0001-01-01T00:00:00+10:00", "20260105"]
)
def test_a_time_that_is_none_is_refused(text):
    with pytest.raises(GoogleRefusal):
        google.parse_time(text, "t")
