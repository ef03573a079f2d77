"""A reply shows a fact if it says it of the right record; lookalikes do not."""

import json

import pytest

from eops_traj.schema import Json, ToolCall
from eops_traj.verify.shown_facts import find_showing, plain, read_call

GONE = [[{"of": [[{"userid": "12"}, {"*": "mo.lee@corvane.example"}]], "says": {"active": "0"}}]]
TWO = [
    [
        {"of": [[{"userid": "12"}]], "says": {"name": "mo lee"}},
        {"of": [[{"userid": "77"}]], "says": {"name": "mo lee"}},
    ]
]
MISSING = [
    [{"tools": ["search_cases"], "asked": {"number": "cs-0001234"}, "lacks": [{"caseid": "88"}]}],
    [{"tools": ["search_cases"], "asked": {}, "lacks": [{"caseid": "88"}], "alone": True}],
]
MO = {"user_id": 12, "name": "Mo Lee", "active": 0}


def call(reply, name="get_user", error=False, **arguments):
    return ToolCall(
        id="c", name=name, arguments=Json(json.dumps(arguments)), result=json.dumps(reply), is_error=error
    )


def shows(ways, *calls):
    return find_showing(ways, [read_call(one) for one in calls]) is not None


@pytest.mark.parametrize(
    "seen",
    [
        call(MO),
        call({"users": [{"user_id": 11, "active": 1}, MO]}, name="list_users"),
        call({"active": False}, user_id=12),
        call([{"email": "mo.lee@corvane.example", "active": "false"}]),
        call({"user_id": 12, "account": {"active": 0}, "active": 0}),
    ],
)
def test_any_reply_that_says_it_of_the_record_shows_it(seen):
    assert shows(GONE, seen)


@pytest.mark.parametrize(
    "seen",
    [
        call({"user_id": 12, "name": "Mo Lee"}),  # the field is left out
        call({**MO, "active": 1}),
        call({**MO, "user_id": 13}),  # the record of another
        call({"user_id": 12, "active": 1, "reports": [{"user_id": 13, "active": 0}]}),
        call({"user_id": 13, "active": 0}, user_id=12),
        call({"user_id": 12, "manager": {"active": 0}}),
        call({"text": "user_id 12 active 0"}),
        call(MO, error=True),
    ],
)
def test_what_looks_like_it_does_not(seen):
    assert not shows(GONE, seen)


def test_of_two_namesakes_both_have_to_be_seen():
    one, other = call({"user_id": 12, "name": "Mo Lee"}), call({"user_id": 77, "name": "Mo Lee"})
    assert not shows(TWO, one) and not shows(TWO, other, other)
    assert shows(TWO, one, other) and shows(
        TWO, call([{"user_id": 12, "name": "Mo Lee"}, json.loads(other.result)])
    )


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (call([], name="search_cases", number="CS-0001234"), True),
        (call({"cases": [{"case_id": 5}]}, name="search_cases", number="cs-0001234"), True),
        (call([{"case_id": 88}, {"case_id": 5}], name="search_cases", number="CS-0001234"), False),
        (call([], name="search_cases", number="CS-0001235"), False),
        (call([], name="search_users", number="CS-0001234"), False),  # a list of something else
        (call([{"case_id": 5}, {"case_id": 6}], name="search_cases"), True),
        (call([{"case_id": 5}, {"case_id": 6}], name="search_cases", limit=50, active=1), True),
        (call([{"case_id": 5}, {"case_id": 6}], name="search_cases", timeZone="Asia/Tokyo"), True),
        (call([{"case_id": 5}, {"case_id": 6}], name="search_cases", maxAttendees=2), True),
        (call([{"case_id": 5}, {"case_id": 6}], name="search_cases", state="closed"), False),
        (call([{"subject": "x"}, {"subject": "y"}], name="search_cases", select="subject"), False),
    ],
)
def test_what_is_missing_shows_where_it_was_asked_for(seen, expected):
    assert shows(MISSING, seen) is expected


NIGHT = {
    "of": [[{"userid": "12"}]],
    "says": {"active": "0"},
    "tools": ["search"],
    "asked": {"q": "night shift"},
}


@pytest.mark.parametrize(
    ("asked", "expected"),
    [
        ({"q": "night shift"}, True),
        ({"q": "Shift, night!"}, True),
        ({"q": "the night shift of May"}, True),
        ({"q": "shift"}, True),
        ({"q": "night watch"}, False),
        ({"q": "?"}, False),
        ({"text": "night shift"}, False),
        ({}, False),
    ],
)
def test_what_a_search_found_counts_where_it_asked_for_that(asked, expected):
    assert shows([[NIGHT]], call(MO, name="search", **asked)) is expected
    assert not shows([[NIGHT]], call(MO, name="other", **asked))
    assert not shows([[NIGHT]], call({**MO, "active": 1}, name="search", **asked))


def test_an_id_is_asked_for_whole():
    ways = [[{"tools": ["find"], "asked": {"caseid": "a b"}, "lacks": [{"name": "x"}]}]]
    assert shows(ways, call([], name="find", case_id="A B"))
    assert not shows(ways, call([], name="find", case_id="a"))


@pytest.mark.parametrize(
    ("seen", "expected"),
    [
        (call([], name="find", q="plan"), True),
        (call({"error": "no such plan"}, name="find", error=True, q="plan"), True),
        (call([{"id": 1}], name="find", q="plan"), False),
        (call([], name="find", q="other"), False),
        (call({"error": "no"}, name="find", error=True, q="other"), False),
    ],
)
def test_where_nothing_is_to_be_found_a_refusal_shows_it_too(seen, expected):
    assert shows([[{"tools": ["find"], "asked": {"q": "plan"}, "lacks": []}]], seen) is expected


def test_a_refusal_does_not_show_that_one_record_of_others_is_missing():
    assert not shows(MISSING, call({"error": "no"}, name="search_cases", error=True, number="CS-0001234"))


def test_who_asks_for_another_record_does_not_see_that_this_one_is_missing():
    ways = [[{"tools": ["find"], "asked": {"q": "plan"}, "lacks": [{"id": "8", "owner": "mo lee"}]}]]
    assert shows(ways, call([], name="find", q="plan", owner="Mo Lee"))
    assert shows(ways, call([], name="find", q="plan", owner="Lee", state="open"))
    assert not shows(ways, call([], name="find", q="plan", owner="Ana Ruiz"))


def test_what_is_no_json_shows_nothing():
    told = ToolCall(
        id="c", name="search", arguments=Json('{"q": "night shift"}'), result="user_id 12: active 0"
    )
    assert not shows([[NIGHT]], told) and not shows(GONE, told)


def test_a_time_that_is_asked_for_has_to_hold_the_missing_one():
    ways = [
        [{"tools": ["list"], "asked": {}, "lacks": [{"id": "e"}], "alone": True, "at": "2026-01-09 10:00"}]
    ]
    day = {"timeMin": "2026-01-09T00:00:00", "timeMax": "2026-01-10T00:00:00"}
    assert shows(ways, call({"items": []}, name="list", **day))
    assert not shows(ways, call({"items": []}, name="list", **{**day, "timeMin": "2026-01-09T12:00:00"}))
    for first, last in (("2026-01-09T10:00:00", day["timeMax"]), (day["timeMin"], "2026-01-09T10:00:00")):
        assert shows(ways, call({"items": []}, name="list", timeMin=first, timeMax=last))


def test_times_of_arguments_and_of_the_reply_are_told_apart():
    seen = read_call(
        call({"start": "2026-01-09T10:00:00-05:00"}, name="list", timeMin="2026-01-08T00:00:00Z")
    )
    assert seen.shown_moments == {"2026-01-09 10:00": "2026-01-09 15:00z"}
    assert seen.asked_moments == {"2026-01-08": "2026-01-08 00:00z"}


def test_a_time_is_held_by_the_clocks_of_any_zone():
    """Ten o'clock in New York: three in the afternoon by UTC."""
    ways = [
        [{"tools": ["list"], "asked": {}, "lacks": [{"id": "e"}], "alone": True, "at": "2026-01-09 15:00z"}]
    ]

    def asked(first, last):
        return shows(ways, call({"items": []}, name="list", timeMin=first, timeMax=last))

    assert asked("2026-01-09T14:30:00Z", "2026-01-09T15:30:00.000Z")
    assert asked("2026-01-09T09:00:00-05:00", "2026-01-09T11:00:00-05:00")
    assert asked("2026-01-10T00:00:00+09:00", "2026-01-10T01:00:00+09:00")
    assert not asked("2026-01-09T09:00:00Z", "2026-01-09T11:00:00Z")  # ten o'clock by another clock
    assert not asked("2026-01-09T15:00:00-05:00", "2026-01-09T23:00:00-05:00")


@pytest.mark.parametrize(
    ("told", "named", "first", "last", "expected"),
    [
        ("America/New_York", None, "2026-01-08T00:00:00", "2026-01-08T23:59:00", True),
        ("America/New_York", None, "2026-01-08", "2026-01-09", True),  # days begin at midnight there
        ("America/New_York", None, "2026-01-09T00:00:00", "2026-01-09T23:59:00", False),
        ("Europe/London", None, "2026-01-08T00:00:00", "2026-01-08T23:59:00", False),
        ("Europe/London", "America/New_York", "2026-01-08T21:00:00", "2026-01-08T23:00:00", True),
        ("Europe/London", "America/New_York", "2026-01-09T02:00:00", "2026-01-09T04:00:00", False),
        ("America/New_York", None, "2026-01-08T21:00:00Z", "2026-01-08T23:00:00Z", False),  # it has its zone
        ("nowhere/at_all", None, "2026-01-08T21:00:00", "2026-01-08T23:00:00", False),
        (["America/New_York"], None, "2026-01-08T21:00:00", "2026-01-08T23:00:00", False),
    ],
)
def test_a_time_without_a_zone_is_in_that_of_the_call_or_the_calendar(told, named, first, last, expected):
    """Ten in the evening in New York: three in the morning of the next day by UTC."""
    ways = [
        [{"tools": ["list"], "asked": {}, "lacks": [{"id": "e"}], "alone": True, "at": "2026-01-09 03:00z"}]
    ]
    zone = {"timeZone": named} if named else {}
    seen = call({"timeZone": told, "items": []}, name="list", timeMin=first, timeMax=last, **zone)
    assert shows(ways, seen) is expected


def test_a_list_that_is_empty_but_for_settings_beside_it_is_empty():
    ways = [[{"tools": ["list_events"], "asked": {"q": "audit"}, "lacks": [{"id": "e"}]}]]
    reminders = {"defaultReminders": [{"method": "popup", "minutes": 10}]}
    event = {"id": "f", "summary": "Audit"}
    assert shows(ways, call({**reminders, "items": []}, name="list_events", q="audit"))
    assert shows(ways, call({**reminders, "items": [event]}, name="list_events", q="audit"))
    assert not shows(ways, call({**reminders, "items": [{"id": "e"}]}, name="list_events", q="audit"))
    other = {"settings": [{"method": "popup"}, {"method": "email"}], "items": []}  # a list of something
    assert not shows(ways, call(other, name="list_events", q="audit"))


def test_values_have_one_form():
    assert plain(True) == plain(1) == plain("true") and plain(None) == ""
    assert plain("2025-12-28T00:00:00Z") == plain("2025-12-28 00:00:00") == plain("2025-12-28")
    assert plain("2025-12-28T09:30:00.000Z") == "2025-12-28 09:30" != plain("2025-12-28")
