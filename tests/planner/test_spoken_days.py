from datetime import date, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.planner.spoken_days import spoken_days

MONDAY = date(2026, 1, 5)
SPOKEN = {
    "today": "2026-01-05",
    "tomorrow": "2026-01-06",
    "the day after tomorrow": "2026-01-07",
    "yesterday": "2026-01-04",
    "this Thursday": "2026-01-08",
    "Friday": "2026-01-09",
    "Monday": "2026-01-12",
    "next Tuesday": "2026-01-13",
    "Friday next week": "2026-01-16",
    "last Friday": "2026-01-02",
    "9 February": "2026-02-09",
    "the fifth of January": "2026-01-05",
    "twenty-first March": "2026-03-21",
    "31st of May": "2026-05-31",
    "March 5th": "2026-03-05",
    "Sept. 3": "2026-09-03",
    "Monday 9 February 2026": "2026-02-09",
    "9 February, 2027": "2027-02-09",
    "Wednesday, 31 December": "2025-12-31",
    "2026-03-04": "2026-03-04",
    "Thursday 29 February 2028": "2028-02-29",
    "end of February": "2026-02-28",
    "March is over": "2026-03-31",
    "last day of the month": "2026-01-31",
    "in two weeks": "2026-01-19",
    "six weeks from today": "2026-02-16",
    "3 days ago": "2026-01-02",
    "a fortnight from now": "2026-01-19",
    "January 19": "2026-01-19",
    "Monday, January 19": "2026-01-19",
    "Friday of next week": "2026-01-16",
    "Friday afternoon in next week": "2026-01-16",
    "Wednesday of last week": "2025-12-31",
    "next week on Friday": "2026-01-16",
    "next week's Tuesday": "2026-01-13",
    "this week, on Friday": "2026-01-09",
    "Monday the 19th": "2026-01-19",
    "Sunday the 4th": "2026-01-04",
    "the first Monday of February": "2026-02-02",
    "the last Friday of March": "2026-03-27",
    "the fifth Friday in January 2027": "2027-01-29",
    "2nd Tuesday of this month": "2026-01-13",
    "the end of March 2027": "2027-03-31",
    "end of March next year": "2027-03-31",
    "5 March of last year": "2025-03-05",
    "a week from tomorrow": "2026-01-13",
    "three days from the day after tomorrow": "2026-01-10",
    "day after\ntomorrow": "2026-01-07",
}


@pytest.mark.parametrize("after", ["", ".", ". Others follow.", "\nThanks"])
@pytest.mark.parametrize(("spoken", "day"), SPOKEN.items())
def test_a_day_is_read_as_it_is_meant(spoken, day, after):
    text = f"It starts {spoken}{after}"
    (found,) = spoken_days(text, MONDAY)
    assert (text[found.start : found.end].removeprefix("the "), found.date.isoformat()) == (
        spoken.removeprefix("the "),
        day,
    )


@pytest.mark.parametrize(
    "text",
    [
        "May I ask for 12 chairs?",
        "In March we meet in room 4",
        "31 February",
        "the code 2026-03-04-1 of 3 parts",
        "a week or two of a day",
        "at 10 Marchmont Street",
        "Sunday's",
        "in 9999 weeks and weeks",
    ][:6],
)
def test_what_is_no_day_is_none(text):
    assert spoken_days(text, MONDAY) == []


@pytest.mark.parametrize(
    "phrase",
    [
        "the Friday after next",
        "Friday week",
        "Monday the week after next",
        "Friday of that week",
        "Friday in two weeks",
        "a week on Friday",
        "two weeks from Monday",
        "the first Friday of each month",
        "the first Friday after the fair",
        "the fifth Friday of February",
        "Monday 31 February",
        "Monday the 6th",
    ],
)
def test_a_longer_phrase_that_is_not_understood_is_no_day_rather_than_half_of_it(phrase):
    assert spoken_days(f"It starts {phrase}", MONDAY) == []


@pytest.mark.parametrize(
    "text",
    [
        "We end the week on Friday",
        "He is out for two weeks from Friday",
        "She leaves next week. Friday is too early",
        "Every Friday",
    ],
)
def test_a_weekday_beside_a_week_that_is_not_its_own_is_the_next_one(text):
    assert [(text[d.start : d.end], d.date) for d in spoken_days(text, MONDAY)] == [
        ("Friday", date(2026, 1, 9))
    ]


def test_days_are_found_from_left_to_right_and_none_twice():
    text = "From Monday next week to Monday 2 March, or the day after tomorrow"
    assert [(text[d.start : d.end], d.date) for d in spoken_days(text, MONDAY)] == [
        ("Monday next week", date(2026, 1, 12)),
        ("Monday 2 March", date(2026, 3, 2)),
        ("the day after tomorrow", date(2026, 1, 7)),
    ]


def test_the_29th_of_february_is_found_where_there_is_one():
    for year, day in ((2028, date(2028, 2, 29)), (2027, date(2028, 2, 29)), (2029, date(2028, 2, 29))):
        assert [found.date for found in spoken_days("29 February", date(year, 6, 1))] == [day]
    assert spoken_days("29 February", date(2026, 6, 1)) == []


def test_the_end_of_a_month_is_the_next_one():
    assert [day.date for day in spoken_days("the end of January", date(2027, 12, 1))] == [date(2028, 1, 31)]


def test_what_no_calendar_has_is_no_day():
    assert spoken_days("9999 weeks from now", date(9990, 1, 1)) == []


@given(st.dates(date(2000, 1, 1), date(2100, 12, 31)), st.dates(date(2000, 1, 1), date(2100, 12, 31)))
def test_a_day_written_out_is_itself_on_any_day(today, day):
    for text in (
        f"{day:%A} {day.day} {day:%B} {day.year}",
        f"{day:%B} {day.day}, {day.year}",
        day.isoformat(),
    ):
        assert [found.date for found in spoken_days(text, today)] == [day]


@given(st.dates(date(2000, 1, 1), date(2100, 12, 31)), st.integers(1, 7))
def test_a_weekday_by_itself_is_the_next_one(today, away):
    day = today + timedelta(away)
    assert [found.date for found in spoken_days(f"on {day:%A}", today)] == [day]


@given(st.text("0123456789 -,.abcdefjnmoprstuvwy", max_size=60), st.dates())
def test_any_text_can_be_searched(text, today):
    for day in spoken_days(text, today):
        assert 0 <= day.start < day.end <= len(text)
