# ruff: noqa: E501 - tables of what is written and what it gives
"""What each function of the plan language gives, and what it says where it has no value."""

from pathlib import Path
from typing import Any

import pytest

from eops_traj.plan import Unresolved, parse_value, resolve
from eops_traj.plan.functions import FUNCTIONS

RESULTS: dict[int, Any] = {
    1: {
        "start": "2026-01-05T14:30:00Z", "local": "2026-03-29 01:30:00", "day": "2026-02-28", "zone": "Europe/Berlin",
        "offset": "2026-01-05T14:30:00.250+01:00", "rows": [{"n": 2, "who": "Ana"}, {"n": 5, "who": "Bo"}],
        "mixed": [True, None, 1.0, {"é": "ü"}], "whole": 4.0, "half": 4.5, "gone": None, "level": "high", "flag": True,
        "busy": [{"start": "2026-01-05T10:00:00Z", "end": "2026-01-05T10:40:00Z"},
                 {"start": {"dateTime": "2026-01-05T09:00:00Z"}, "end": {"dateTime": "2026-01-05T09:50:00Z"}}],
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ('map($1.level, {"low": 4, "high": 1})', 1),
        ('map($1.flag, {"true": "yes"})', "yes"),
        ('map("other", {"low": 4}, 3)', 3),
        ('map($1.whole, {"4": "four", "4.0": "no"})', "four"), ('map($1.half, {"4.5": "half", "4": "no"})', "half"),
        ('map(false, {"False": "no", "false": "off"})', "off"), ('map($1.gone, {"None": "no", "null": "nobody"})', "nobody"),
        ("either($2.id, $1.gone, $1.level)", "high"),
        ('each($1.rows[*], {"name": $item.who, "all": $1.level})', [{"name": "Ana", "all": "high"}, {"name": "Bo", "all": "high"}]),
        ("concat($1.rows[*].n, [9])", [2, 5, 9]),
        ("add($1.rows[0].n, 3, 1)", 6), ("subtract(2, 5)", -3), ("sum($1.rows[*].n)", 7), ("add(\"2\", 1)", 3),
        ('join($1.mixed, "|")', 'true|null|1.0|{"é": "ü"}'), ('"{$1.mixed}"', '[true, null, 1.0, {"é": "ü"}]'),
        ("length($1.flag)", 4), ("length($1.mixed[3])", 10), ('part($1.mixed[3], "\\"", 3)', "ü"),
        ('join($1.rows[*].who, " and ")', "Ana and Bo"), ('length("{$1.level} up")', 7),
        ('part("ana@corvane.example", "@", 0)', "ana"), ("count($1.rows)", 2), ("count($1.rows[*n > 2])", 1),
        ('shift($1.start, "-2 days")', "2026-01-03T14:30:00Z"), ("shift($1.start, 45)", "2026-01-05T15:15:00Z"),
        ('shift($1.day, "1 day")', "2026-03-01"), ('shift($1.local, "1 week")', "2026-04-05 01:30:00"),
        ('shift($1.offset, "90 minutes")', "2026-01-05T16:00:00.250+01:00"),
        ("date($1.start)", "2026-01-05"), ('date("2026-01-05T23:30:00Z", $1.zone)', "2026-01-06"),
        ("clock($1.start, $1.zone)", "15:30"), ("weekday($1.day)", "Saturday"),
        ('at($1.day, "14:30", $1.zone)', "2026-02-28T14:30:00+01:00"),
        ('at("2026-07-01", "14:30", $1.zone)', "2026-07-01T14:30:00+02:00"), ('at($1.day, "09:00")', "2026-02-28T09:00:00+00:00"),
        ('utc("2026-07-01T14:30:00", $1.zone)', "2026-07-01T12:30:00Z"), ("utc($1.offset)", "2026-01-05T13:30:00Z"),
        ('date("2026-01-05", "America/Denver")', "2026-01-05"), ('weekday($1.day, "America/Denver")', "Saturday"),
        ("minutes($1.start, $1.offset)", -60),
        ('free($1.busy, "2026-01-05T09:00:00Z", "2026-01-05T12:00:00Z", "10 minutes")', "2026-01-05T09:50:00Z"),
        ('free($1.busy, "2026-01-05T09:00:00Z", "2026-01-05T12:00:00Z", 11)', "2026-01-05T10:40:00Z"),
        ('free($1.busy, "2026-01-05T09:00:00Z", "2026-01-05T12:00:00Z", 11, "30 minutes")', "2026-01-05T11:00:00Z"),
        ('free($1.busy, "2026-01-05T09:00:00Z", "2026-01-05T11:00:00Z", "30 minutes")', None),
    ],
)  # fmt: skip
def test_it_gives(text: str, value: Any) -> None:
    assert resolve(parse_value(text), RESULTS) == value


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ('map($1.level, {"low": 4})', "no entry for 'high', only low"),
        ("either($2.id, $1.gone)", "none of $2.id, $1.gone is there"),
        ("sum($1.level)", "a list is wanted, not 'high'"),
        ("add($1.level, 1)", "'high' is no number"),
        ("add($1.flag, 1)", "True is no number"),
        ('shift($1.level, "1 day")', "a date or a time is like"),
        ('shift($1.day, "1 month")', "a span is like"),
        ('at($1.day, "14:30", "Mars")', "a zone is like"),
        ('part($1.level, "@", 3)', "has no part 3"),
        ("each($1.level, $item)", "each: a list is wanted"),
        ('free($1.busy, "2026-01-05", "2026-01-06", 11, 0)', "longer than nothing, not 0"),
        ('free($1.busy, "2026-01-05", "2026-01-06", 11, "-1 hour")', "longer than nothing, not '-1 hour'"),
        ('free($1.busy, "2026-01-05", "2026-01-06", -11)', "longer than nothing, not -11"),
    ],
)
def test_it_says_what_is_wrong(text: str, wrong: str) -> None:
    with pytest.raises(Unresolved, match=None) as error:
        resolve(parse_value(text), RESULTS)
    assert wrong in str(error.value)


@pytest.mark.parametrize("name", FUNCTIONS)
def test_every_function_is_on_the_page(name: str) -> None:
    assert f"`{name}(" in Path("docs/plans.md").read_text()
