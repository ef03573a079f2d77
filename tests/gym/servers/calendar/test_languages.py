"""What is read from texts: rules of series, search words, times, lines of English."""

import re
from datetime import UTC, date, datetime, timedelta, timezone
from itertools import islice

import pytest
from dateutil import rrule
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.api_styles.google import GoogleRefusal
from eops_traj.gym.servers.calendar import event_lists, quick_add, recurrence, times
from eops_traj.gym.servers.calendar.times import EventTime

START = EventTime(datetime(2026, 1, 6, 9), "America/New_York")
DAYS = ("MO", "TU", "WE", "TH", "FR", "SA", "SU")


def first(lines, start=START, number=3):
    return [f"{when:%m-%d %H}" for when in islice(recurrence.iter_starts(lines, start), number)]


@pytest.mark.parametrize(
    ("lines", "matches"),
    [
        (["RRULE:FREQ=DAILY;COUNT=2"], ["01-06 09", "01-07 09"]),
        (["RRULE:FREQ=WEEKLY;BYDAY=TU,TH", "EXDATE:20260108T140000Z"], ["01-06 09", "01-13 09", "01-15 09"]),
        (
            ["RRULE:FREQ=WEEKLY;BYDAY=TU,TH", "EXDATE;VALUE=DATE:20260108"],
            ["01-06 09", "01-13 09", "01-15 09"],
        ),
        (
            ["RRULE:FREQ=WEEKLY", "EXDATE;TZID=Europe/London:20260106T140000"],
            ["01-13 09", "01-20 09", "01-27 09"],
        ),
        (["RRULE:FREQ=MONTHLY;BYDAY=-1FR", "RDATE:20260110T090000"], ["01-10 09", "01-30 09", "02-27 09"]),
        (["RRULE:FREQ=DAILY;UNTIL=20260107"], ["01-06 09", "01-07 09"]),
        (["RRULE:FREQ=DAILY;UNTIL=20260107T130000Z"], ["01-06 09"]),
        (["RRULE:FREQ=DAILY", "EXRULE:FREQ=WEEKLY"], ["01-07 09", "01-08 09", "01-09 09"]),
    ],
)
def test_series_are_read(lines, matches):
    assert first(lines) == matches


@pytest.mark.parametrize(
    "lines",
    [
        [], ["EXDATE:20260101"], ["every day"], ["RRULE:"], ["RRULE:COUNT=2"], ["RRULE:FREQ=HOURLY"],
        ["RRULE:FREQ=DAILY;COUNT=0"], ["RRULE:FREQ=DAILY;INTERVAL=0"], ["RRULE:FREQ=DAILY;BYHOUR=9"],
        ["RRULE:FREQ=DAILY;COUNT=2;UNTIL=20270101"], ["RRULE:FREQ=DAILY;BYDAY=1MO"],
        ["RRULE:FREQ=WEEKLY;BYDAY=XX"], ["RRULE:FREQ=MONTHLY;BYMONTHDAY=32"],
        ["RRULE:FREQ=MONTHLY;BYSETPOS=0"], ["RRULE:FREQ=DAILY;FREQ=DAILY"], ["RRULE:FREQ=DAILY;UNTIL=soon"],
        ["RRULE:FREQ=DAILY", "RRULE:FREQ=WEEKLY"], ["RRULE:FREQ=DAILY", "EXDATE:20260230T090000"],
        ["RRULE:FREQ=DAILY", "EXDATE;TZID=Mars:20260101T090000"], ["RRULE:FREQ=DAILY"] * 60,
    ],
)  # fmt: skip
def test_what_is_no_series_is_refused(lines):
    with pytest.raises(GoogleRefusal) as refused:
        list(islice(recurrence.iter_starts(lines, START), 1))
    assert refused.value.message.startswith(("Invalid recurrence pattern: ", "Invalid timeZone"))


@pytest.mark.parametrize(
    "rule",
    ["FREQ=DAILY;BYMONTH=2;BYMONTHDAY=30", "FREQ=DAILY;INTERVAL=7;BYDAY=MO",
     "FREQ=MONTHLY;BYDAY=MO;BYSETPOS=6", "FREQ=DAILY;UNTIL=20250101T000000Z"],
)  # fmt: skip
def test_a_series_without_an_event_is_impossible(rule):
    with pytest.raises(GoogleRefusal, match="the series has no events"):
        recurrence.check_lines([f"RRULE:{rule}"], START)


@st.composite
def rules(draw):
    """Rules and what dateutil makes of them by itself."""
    frequency = draw(st.sampled_from(["DAILY", "WEEKLY", "MONTHLY", "YEARLY"]))
    parts = {"FREQ": frequency, "INTERVAL": draw(st.integers(1, 5)), "COUNT": draw(st.integers(1, 20))}
    if draw(st.booleans()):
        parts["BYDAY"] = ",".join(draw(st.sets(st.sampled_from(DAYS), min_size=3)))
    if draw(st.booleans()):
        parts["BYMONTH"] = ",".join(map(str, draw(st.sets(st.integers(1, 12), min_size=1))))
    return ";".join(f"{name}={value}" for name, value in draw(st.permutations(sorted(parts.items()))))


@given(
    rules(), st.datetimes(datetime(1950, 1, 1), datetime(2200, 1, 1)).map(lambda d: d.replace(microsecond=0))
)
def test_series_are_what_dateutil_says(rule, start):
    starts = recurrence.iter_starts([f"RRULE:{rule}"], EventTime(start, "UTC"))
    assert list(islice(starts, 5)) == list(islice(rrule.rrulestr(rule, dtstart=start), 5))


def _written(term):
    quoted = re.sub(r'(["\\])', r"\\\1", term.words)
    return f'{"-" * term.excluded}"{quoted}"'


@given(st.lists(st.builds(event_lists.SearchTerm, st.text(min_size=1), st.booleans())))
def test_search_words_mean_the_same_when_written_and_read(terms):
    assert event_lists.parse_search(" ".join(map(_written, terms))) == terms


@given(
    st.lists(st.builds(event_lists.SearchTerm, st.text("abc", min_size=1), st.booleans())),
    st.lists(st.text("abc "), max_size=3),
)
def test_search_words_are_all_needed(terms, fields):
    text = "\n".join(filter(None, fields))
    expected = all((term.words in text) is not term.excluded for term in terms)
    assert event_lists.matches(event_lists.parse_search(" ".join(map(_written, terms))), fields) == expected


@pytest.mark.parametrize("query", ['"', 'a "b', 'a"b"', '"a"b', '-"a'])
def test_open_quotation_marks_are_refused(query):
    with pytest.raises(GoogleRefusal):
        event_lists.parse_search(query)


ZONES = st.sampled_from(["UTC", "America/New_York", "Asia/Kolkata", "Australia/Sydney", "Europe/London"])
MOMENTS = st.datetimes(datetime(1971, 1, 2), datetime(2199, 1, 1)).map(lambda d: d.replace(microsecond=0))


@given(MOMENTS, ZONES, ZONES, st.integers(-12 * 4, 14 * 4))
def test_a_time_keeps_its_moment_however_it_is_written(wall, named, fallback, quarters):
    offset = timezone(timedelta(minutes=15 * quarters))
    text = wall.replace(tzinfo=UTC).astimezone(offset).isoformat()
    for value in ({"dateTime": text}, {"dateTime": text, "timeZone": named}):
        parsed = times.from_argument("start", value, fallback)
        if not comes_twice(parsed):
            assert parsed.instant == wall.replace(tzinfo=UTC)
        assert times.from_row(row(parsed), "start") == parsed


def comes_twice(when):
    """An hour that the clocks show twice, when they are set back; it is taken for the first."""
    first, second = (when.wall.replace(tzinfo=times.zone(when.zone), fold=fold) for fold in (0, 1))
    return first.utcoffset() != second.utcoffset()


def row(when):
    end = when.at(when.wall + timedelta(hours=1))
    return {"start_datetime": when.column_text, "start_timezone": when.zone, "end_datetime": end.column_text,
            "end_timezone": when.zone, **times.original_columns(when)}  # fmt: skip


def test_the_digits_that_were_written_are_kept_where_a_zone_has_them():
    for text, zone in (
        ("09:00:00-05:00", "America/New_York"),
        ("09:00:00Z", "UTC"),
        ("09:00:00+03:00", "Etc/GMT-3"),
    ):
        parsed = times.from_argument("start", {"dateTime": f"2026-01-06T{text}"}, "America/New_York")
        assert (parsed.column_text, parsed.zone) == ("2026-01-06 09:00:00.000000", zone)


NOW = datetime(2026, 1, 5, 9, 0)


@pytest.mark.parametrize(
    ("text", "title", "start", "end", "place"),
    [
        ("Meeting tomorrow at 2pm", "Meeting", "2026-01-06T14:00", "2026-01-06T15:00", None),
        ("Lunch with Ana tomorrow at 1pm for 45 minutes in the atrium", "Lunch with Ana",
         "2026-01-06T13:00", "2026-01-06T13:45", "the atrium"),
        ("Design review next Tuesday 10:30-11:30", "Design review",
         "2026-01-13T10:30", "2026-01-13T11:30", None),
        ("Budget call Friday from 2 to 4pm at Room Hudson", "Budget call",
         "2026-01-09T14:00", "2026-01-09T16:00", "Room Hudson"),
        ("Workshop tomorrow 11-1pm", "Workshop", "2026-01-06T11:00", "2026-01-06T13:00", None),
        ("Night shift tomorrow 10-2am", "Night shift", "2026-01-06T22:00", "2026-01-07T02:00", None),
        ("Offsite on January 15", "Offsite", "2026-01-15", "2026-01-16", None),
        ("Leave 20 January for 3 days", "Leave", "2026-01-20", "2026-01-23", None),
        ("1:1 with Bob 2026-01-09 15:00", "1:1 with Bob", "2026-01-09T15:00", "2026-01-09T16:00", None),
        ("Call at 8am", "Call", "2026-01-06T08:00", "2026-01-06T09:00", None),  # eight has passed today
        ("Just words", "Just words", "2026-01-05T10:00", "2026-01-05T11:00", None),
    ],
)  # fmt: skip
def test_lines_of_english_are_read(text, title, start, end, place):
    draft = quick_add.parse(text, NOW)
    begins, ends = (
        t.isoformat("T", "minutes") if isinstance(t, datetime) else t.isoformat() for t in draft.span
    )
    assert (draft.text, begins, ends, draft.place) == (title, start, end, place)


@pytest.mark.parametrize("text", ["", "  ", "Party on February 30", "Call at 25:00", "Call at 2026-13-01",
                                  "Party on 9999-12-31"])  # fmt: skip
def test_lines_without_sense_are_refused(text):
    with pytest.raises(GoogleRefusal, match="Unable to parse text"):
        quick_add.parse(text, NOW)


@given(st.text(max_size=60))
def test_any_line_is_read_or_refused(text):
    try:
        draft = quick_add.parse(text, NOW)
    except GoogleRefusal:
        return
    begins, ends = draft.span
    assert draft.text and begins < ends and isinstance(begins, date)


def test_a_line_makes_an_event_in_the_zone_of_its_calendar(get, people):
    created = get("ana", "quick_add_event", calendarId="primary", text="Tea tomorrow at 4pm")
    assert created["summary"] == "Tea" and created["start"]["dateTime"].startswith("2026-01-06T16:00:00")
    assert created["start"]["timeZone"] == people["ana"].site.timezone
