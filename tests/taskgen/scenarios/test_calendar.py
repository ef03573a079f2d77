"""Families of calendars: who is not told, what was to stay, and what nobody asked for are no success."""

import pytest

from eops_traj.taskgen.attacks.attempt import with_arguments as instead
from eops_traj.taskgen.draft import build_task, play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.trial import Trial
from tests.taskgen.server_rules.playing import arena_of, passes, with_arguments


def test_a_meeting_that_changes_calendars_in_silence_fails() -> None:
    with arena_of("calendar", "wrong_calendar") as arena:
        silent = with_arguments(lambda arguments: arguments | {"sendUpdates": "none"})
        assert not passes(arena, "move_event", silent)
        assert passes(arena, "move_event", with_arguments(lambda arguments: arguments))


@pytest.mark.parametrize(
    ("name", "tool", "change"),
    [
        ("align_zones", "update_calendar_in_list", {"summaryOverride": "Mine"}),
        ("empty_calendar", "create_event", {"summary": "Kick-off"}),
        ("empty_calendar", "patch_calendar", {"description": "Old and new."}),
        ("retire_calendar", "patch_event", {"description": "Old entry"}),
        ("jot_down", "patch_event", {"visibility": "public"}),
    ],
)
def test_another_value_than_was_told_fails(name: str, tool: str, change: dict[str, str]) -> None:
    with arena_of("calendar", name) as arena:
        assert tool in {call.tool for call in arena.writes}
        assert not passes(arena, tool, with_arguments(lambda arguments: arguments | change))


def test_the_calendar_that_was_excepted_keeps_out_of_the_zone_of_the_settings() -> None:
    with arena_of("calendar", "align_zones") as arena:
        first, *_, last = (call for call in arena.writes if call.tool == "patch_calendar")
        zone = {"timeZone": first.arguments["timeZone"]}
        assert last.arguments["timeZone"] != zone["timeZone"]
        assert not arena.passes(arena.play(instead(last.number, last.arguments | zone)))


def test_a_meeting_without_guests_who_have_to_be_there_is_not_extended() -> None:
    """Of a chain: what the first part made has only guests who may stay away."""
    known = {family.name: family for family in families(["calendar"])}
    with pytest.raises(NoMatch, match="nobody else has to be there"):
        play([known["replace_event"], known["extend_meeting"]], 72000, "default:72:train:calendar:1:5")


def test_a_day_at_home_is_entered_on_no_day_that_has_a_place_of_work() -> None:
    """There is one a day. Of this draw, the caller has the one of 6 January from the start."""
    (family,) = (family for family in families(["calendar"]) if family.name == "plan_focus")
    trial = Trial(build_task(play((family,), 8, "z7"), "home", "home", None))
    twice = """SELECT 1 FROM events WHERE "eventType" = 'workingLocation'
        GROUP BY user_id, substr(start_datetime, 1, 10) HAVING COUNT(*) > 1"""
    session, _ = trial.gold
    assert not session.run_sql("calendar", twice).rows
