"""Labels of calendar families: what is refused cannot be done, and namesakes are not told apart."""

import re
from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

import pytest

from eops_traj.plan import Step
from eops_traj.taskgen.draft import Draft, play
from eops_traj.taskgen.family import families
from eops_traj.taskgen.scenarios.calendar import preparing
from tests.taskgen.scenarios.played import drafts, replies, texts, with_twins

_MEETINGS = ["refit_meeting", "invite_outsider", "merge_meetings", "call_off_mine", "block_the_way",
             "follow_up", "move_meeting", "extend_meeting", "prepare_before", "add_papers"]  # fmt: skip
_ORGANIZED = """SELECT o.event_id FROM events e JOIN events o ON o.summary = e.summary AND
    date(o.start_datetime) = date(e.start_datetime) WHERE e.event_id = ? AND o.organizer_email = ? AND
    o.calendar_id = o.organizer_id || '-primary'"""
_LISTED = """SELECT o.is_primary, o.deleted, (SELECT GROUP_CONCAT(scope_id || role) FROM acls WHERE
    calendar_id = o.calendar_id) FROM calendars c JOIN calendars o USING (user_id) WHERE c.calendar_id = ? AND
    coalesce(o.summary_override, o.summary) = coalesce(c.summary_override, c.summary)"""
_HELD = """SELECT o.recurrence, (SELECT GROUP_CONCAT(user_id) FROM attendees WHERE event_id = o.event_id)
    FROM events e JOIN events o USING (summary, calendar_id) WHERE e.event_id = ?"""


def _select(twin: Draft, sql: str, *values: Any) -> list[tuple[Any, ...]]:
    with twin.scene.start_state().open() as session:
        rows: list[tuple[Any, ...]] = session.database("calendar").connection.execute(sql, values).fetchall()
        return rows


def _changed(twin: Draft, table: str) -> Any:
    """Return the key of the one row of a table that the perturbation changed."""
    ((key,),) = [change.key for _, change in twin.scene.perturbed_rows if change.table == table]
    return key


def test_who_has_left_is_who_would_be_invited() -> None:
    branches = set()
    for usual, twin in with_twins("calendar", "deputy_instead", "inactive_person", 16):
        (meeting,) = replies(usual, "create_event")
        ((left,),) = _select(twin, "SELECT email FROM users WHERE user_id = ?", _changed(twin, "users"))
        assert left in [guest["email"] for guest in meeting["attendees"]]
        branches.add(tuple(map(bool, texts(usual, "create_event"))))
    assert branches == {(True, False), (False, True)}


@pytest.mark.parametrize("family", _MEETINGS)
def test_two_meetings_of_one_title_are_both_organized_by_who_asks(family: str) -> None:
    twins = drafts("calendar", family, "two_namesakes", 12)
    for twin in twins:
        both = _select(twin, _ORGANIZED, _changed(twin, "events"), twin.scene.caller["email"])
        assert len(both) == 2
    assert len(twins) > 2


@pytest.mark.parametrize("family", ["bring_back", "tidy_list", "wrong_calendar", "drop_leavers"])
def test_neither_of_two_calendars_of_one_title_is_the_main_one(family: str) -> None:
    twins = drafts("calendar", family, "two_namesakes", 6)
    for twin in twins:
        both = _select(twin, _LISTED, _changed(twin, "calendars"))
        assert len(both) == 2 and len(set(both)) == 1 and not both[0][0]
    assert len(twins) > 2


@pytest.mark.parametrize("family", ["end_series", "skip_closed_days", "shift_series"])
def test_two_series_of_one_title_are_with_the_same_person(family: str) -> None:
    twins = drafts("calendar", family, "two_namesakes", 6)
    for twin in twins:
        both = _select(twin, _HELD, _changed(twin, "events"))
        assert len(both) == 2 and len(set(both)) == 1 and None not in both[0]
    assert len(twins) > 2


def test_a_lock_does_not_stand_against_a_colour() -> None:
    known = {family.name: family for family in families(["calendar"])}
    assert known["mark_kind"].perturbations == ("no_right",)


def test_no_reason_for_papers_wants_the_guests_not_to_be_told() -> None:
    assert len(preparing._PAPERS) > 4 and not [why for why in preparing._PAPERS if "mail" in why]


def test_ids_of_imported_events_are_told_letter_for_letter() -> None:
    told = drafts("calendar", "take_over_events", None, 32, 7000)
    for draft in told:
        steps = [step for step in draft.scene.steps if isinstance(step, Step)]
        ids = [step.arguments["iCalUID"] for step in steps if step.tool == "import_event"]
        assert ids and [one for one in ids if one not in draft.request] == []
    assert len(told) > 20


def test_an_event_of_the_company_is_on_one_day_by_its_clock_and_by_that_of_who_asks() -> None:
    played = drafts("calendar", "near_gathering", None, 12, 7000)
    for draft in played:
        begins = replies(draft, "list_events")[0]["items"][0]["start"]["dateTime"]
        own = datetime.fromisoformat(begins).astimezone(ZoneInfo(draft.scene.caller["timezone"]))
        assert own.date().isoformat() == begins[:10]
    assert len(played) > 3


_MADE_LATER = """SELECT n.summary FROM events e JOIN events n USING (organizer_id, calendar_id) WHERE
    e.event_id = ? AND n.created_at > e.created_at AND n."eventType" = 'default' AND n.status = 'confirmed'"""


def test_of_all_that_somebody_organizes_what_was_made_last_is_put_off() -> None:
    played = drafts("calendar", "put_off_last", None, 12, 7000)
    for draft in played:
        (event,) = replies(draft, "patch_event")
        assert _select(draft, _MADE_LATER, event["id"]) == []
    assert len(played) > 3


@pytest.mark.parametrize(
    ("family", "draw", "broken"),
    [("block_the_way", 40, r"\bthe (a|an|half)\b"), ("enter_birthday", 0, ": my\\.")],
)
def test_what_is_filled_into_a_wording_reads_as_a_sentence(family: str, draw: int, broken: str) -> None:
    (known,) = (one for one in families(["calendar"]) if one.name == family)
    said = [play((known,), 5000, f"{family}:{n}").request for n in range(draw, draw + 6, 2)]
    assert not [words for words in said if re.search(broken, words)]
