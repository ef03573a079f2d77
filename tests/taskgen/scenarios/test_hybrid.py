"""Families over several servers: what one system says decides what is written in another."""

import re

import pytest

from eops_traj.taskgen.draft import Draft, play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import Family, asides, families
from tests.taskgen.scenarios.played import wordings

COMPANY = 3
AT_A_SLOT = [one for one in families(["hybrid"]) if "pick_slot" in one.play.__code__.co_names]


def draft(name: str) -> Draft:
    family = next(one for one in families(["hybrid"]) if one.name == name)
    for draw in range(6):
        try:
            return play([family], COMPANY, f"draft:{draw}")
        except NoMatch:
            continue
    pytest.fail(f"{name} fits nothing in company {COMPANY}")


@pytest.mark.parametrize(
    "name",
    [
        "seat_the_group", "open_calendar_to_reports", "tell_the_managers", "tell_waiting_customers",
        "write_to_guests", "papers_for_guests", "gather_reports", "seat_reports", "chat_with_workers",
    ],
)  # fmt: skip
def test_addresses_of_a_set_stand_neither_in_request_nor_plan(name: str) -> None:
    made = draft(name)
    hidden = made.scene.traits["hidden"]
    assert hidden
    assert not [value for value in hidden if value in made.request or value in str(made.scene.plan())]


def test_a_mail_is_archived_or_starred_by_the_state_of_its_ticket() -> None:
    plan = str(draft("file_mail_by_state").scene.plan())
    assert plan.count("when $1.status") == 2
    assert plan.index('removeLabelIds=["INBOX"]') < plan.index('addLabelIds=["STARRED"]')


def test_a_reminder_is_computed_from_the_end_of_the_contract() -> None:
    assert "shift($" in str(draft("remind_of_renewal").scene.plan())


def test_asides_belong_to_the_work_and_hold_no_slots() -> None:
    assert len(asides("hybrid")) >= 40
    assert all(5 <= len(aside.split()) <= 24 and "{" not in aside for aside in asides("hybrid"))


@pytest.mark.parametrize("family", AT_A_SLOT, ids=lambda family: family.name)
def test_no_wording_limits_the_meeting_whose_day_and_length_are_told(family: Family) -> None:
    """The slot is on any of fourteen days, and from half an hour to an hour long."""
    asked, _ = wordings(family)
    limit = re.compile(r"\b(an|one|half an) hour\b|\bminutes\b|\bweek is over\b|\btomorrow\b")
    assert [wording for wording in asked if limit.search(wording)] == []
