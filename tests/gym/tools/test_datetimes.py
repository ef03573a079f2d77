from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.engine.schema import Column
from eops_traj.gym.tools.arguments import Argument
from eops_traj.gym.tools.datetimes import normalize_datetimes, parse_datetime

COLUMN = Column("t", "made", "DATETIME", "Made.", False, False)
ARGUMENTS = (
    Argument("after", {}, column=COLUMN, target="made", operator=">"),
    Argument("before", {}, column=COLUMN, target="made", operator="<="),
    Argument("name", {}),
)
LAYOUT = "%Y-%m-%d %H:%M:%S"


@pytest.mark.parametrize(
    "text",
    ["2024-02-10T09:00:00Z", "2024-02-10 10:00:00.25+01:00", " 2024-02-10T09:00 ", "02/10/2024 09:00"],
)
def test_a_time_is_read_in_any_writing(text):
    assert normalize_datetimes(ARGUMENTS, {"after": text}, LAYOUT) == ({"after": "2024-02-10 09:00:00"}, [])


@pytest.mark.parametrize("text", ["", "soon", "2024-13-01", "0001-01-01T00:00:00+23:59", "7"])
def test_what_is_no_time_is_named(text):
    _, (problem,) = normalize_datetimes(ARGUMENTS, {"after": text}, LAYOUT)
    assert (problem.type, problem.loc, problem.input) == ("datetime_parsing", ("after",), text)


@pytest.mark.parametrize("year", ["0001", "0225", "0999"])
def test_a_year_has_four_digits_so_that_early_ones_come_first(year):
    values, _ = normalize_datetimes(ARGUMENTS, {"after": f"{year}-12-01"}, LAYOUT)
    assert values == {"after": f"{year}-12-01 00:00:00"} and values["after"] < "1000"


def test_a_range_that_holds_nothing_is_named():
    _, (problem,) = normalize_datetimes(ARGUMENTS, {"after": "2024-02-02", "before": "2024-02-01"}, LAYOUT)
    assert (problem.type, problem.msg) == ("inverted_range", "after must not be later than before")
    assert not normalize_datetimes(ARGUMENTS, {"after": "2024-02-01", "before": "2024-02-01"}, LAYOUT)[1]


@pytest.mark.parametrize(
    ("declared", "kept"),
    [("TIMESTAMP", "2024-02-10 00:00:00"), ("DATETIME(6)", "2024-02-10 00:00:00"), ("DATE", "02/10/2024")],
)
def test_times_of_every_type_come_in_one_writing(declared, kept):
    after = replace(ARGUMENTS[0], column=replace(COLUMN, declared=declared))
    before = replace(ARGUMENTS[1], column=after.column)
    assert normalize_datetimes((after, before), {"after": "02/10/2024"}, LAYOUT)[0] == {"after": kept}
    _, problems = normalize_datetimes(
        (after, before), {"after": "2024-02-02", "before": "2024-02-01"}, LAYOUT
    )
    assert bool(problems) == (declared != "DATE")


def test_other_columns_are_left_alone():
    assert (
        normalize_datetimes(ARGUMENTS, {"name": "2024-02-10", "after": None}, LAYOUT)[0]["name"]
        == "2024-02-10"
    )


@given(st.datetimes(min_value=datetime(1900, 1, 1)))
def test_what_is_written_is_read(moment):
    assert parse_datetime(moment.isoformat()) == moment.replace(tzinfo=UTC)


@given(st.text() | st.text("0123456789-/:T Z+.", max_size=25))
def test_any_text_is_a_time_of_utc_or_is_kept_and_named(text):
    time = parse_datetime(text)
    values, problems = normalize_datetimes(ARGUMENTS[:1], {"after": text}, LAYOUT)
    if time is None:
        assert values == {"after": text} and [(p.type, p.loc) for p in problems] == [
            ("datetime_parsing", ("after",))
        ]
    else:
        assert time.utcoffset() == timedelta(0) and not problems
        assert values["after"] == time.replace(tzinfo=None).isoformat(" ", "seconds")
