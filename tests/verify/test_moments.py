"""Tests of `eops_traj.verify.moments`."""

from datetime import datetime
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.verify.moments import moments, named_zone

NEW_YORK = ZoneInfo("America/New_York")


def test_each_time_with_its_zone_is_found_as_it_stands():
    text = '{"a": "2026-01-09T10:00:00-05:00", "b": ["2026-01-09t15:30z", "2026-07-01 09:00:00.000+02:00"]}'
    assert dict(moments(text)) == {
        "2026-01-09T10:00:00-05:00": "2026-01-09 15:00z",
        "2026-01-09t15:30z": "2026-01-09 15:30z",
        "2026-07-01 09:00:00.000+02:00": "2026-07-01 07:00z",
    }


def test_those_without_a_zone_need_one():
    text = '"2026-01-09T10:00:00", "2026-01-09", "2026-07-09T10:00"'
    assert not list(moments(text))
    assert [moment for _, moment in moments(text, NEW_YORK)] == [
        "2026-01-09 15:00z", "2026-01-09 05:00z", "2026-07-09 14:00z",
    ]  # fmt: skip


@pytest.mark.parametrize(
    "text", ["2026-13-09T10:00:00Z", "2026-02-30", "12026-01-09", "2026-01-09-b", "0001-01-01T00:00+14:00"]
)
def test_what_is_no_time_is_left_out(text):
    assert not list(moments(text, NEW_YORK))


@given(st.datetimes(timezones=st.timezones(), min_value=datetime(1970, 1, 2), max_value=datetime(2100, 1, 1)))
def test_a_moment_is_the_same_by_any_clock(moment):
    utc = moment.astimezone(ZoneInfo("UTC")).replace(second=0, microsecond=0)
    minute = utc.astimezone(NEW_YORK).isoformat()
    assert dict(moments(minute)) == {minute: f"{utc:%Y-%m-%d %H:%M}z"}


@pytest.mark.parametrize(
    "told", [{}, ["x"], None, {"timeZone": 5}, {"timeZone": "Mars/Base"}, {"timeZone": "../x"}]
)
def test_a_zone_is_named_or_not(told):
    assert named_zone(told) is None
    assert named_zone({"timeZone": "America/New_York"}) == NEW_YORK
