"""What refusals of Teams and calendars have to name: the reason in other words, and no other one."""

from functools import cache

import pytest

from eops_traj.taskgen.family import families
from eops_traj.taskgen.scene import Declined
from eops_traj.verify.named_reasons import names
from tests.taskgen.scenarios.test_reasons import decline

SAID = {
    ("teams", "welcome_joiner", "impossible_date"): "{} only has 30 days in 2026.",
    ("teams", "welcome_joiner", "no_right"): "Creating accounts requires an administrator role.",
    ("teams", "staff_up", "no_right"): "You're listed as a member of the team, not as an owner.",
    ("teams", "change_owner", "policy_forbids"): "{} has a contractor's account.",
    ("teams", "clear_accounts", "policy_forbids"): "{} still has an active account.",
    ("teams", "close_channels", "policy_forbids"): "Section 14 refuses requests to archive General.",
    ("teams", "close_channels", "conflicting_demands"): "An archived channel takes no messages.",
    ("teams", "rename_team", "conflicting_demands"): "It can't be renamed and keep the old name.",
    ("teams", "group_chat", "out_of_scope"): "I don't copy from a chat you are not in.",
    ("teams", "call_round", "policy_forbids"): "{} is asleep now: it is 04:00 in New York.",
    ("teams", "plan_webinar", "impossible_date"): "Its end is earlier than its start.",
    ("calendar", "move_meeting", "policy_forbids"): "That event is locked.",
    ("calendar", "merge_meetings", "two_namesakes"): "{} is ambiguous that day.",
    ("calendar", "first_free_time", "policy_forbids"): "There is no free slot for all of you that day.",
    ("calendar", "plan_meeting", "policy_forbids"): "{} isn't available at that time.",
    ("calendar", "go_on_leave", "no_right"): "Only they or their manager may enter leave.",
    ("calendar", "share_calendar", "policy_forbids"): "It can't have a second owner.",
    ("calendar", "open_channels", "impossible_date"): "Channels last a week at most.",
    ("calendar", "plan_focus", "impossible_date"): "That day is too far in the past.",
}
"""Reasons as somebody else would word them; ``{}`` stands for the first name that has to be named."""


@cache
def declined(domain: str, name: str, kind: str) -> Declined:
    """Play a family, perturbed in this way, on the first company that fits."""
    family = next(family for family in families([domain]) if family.name == name)
    return next(filter(None, (decline(family, company, kind) for company in range(8))))


def is_named(answer: str, reason: Declined) -> bool:
    """Check whether an answer names the reason."""
    return all(names(answer, group) for group in reason.names)


@pytest.mark.parametrize("case", SAID, ids="-".join)
def test_a_reason_may_be_worded_otherwise(case: tuple[str, str, str]) -> None:
    reason = declined(*case)
    assert is_named(SAID[case].format(reason.names[0].split("|")[0]), reason)
    assert not is_named("I can't do that: our policy forbids it (section 14). Nothing was changed.", reason)


@pytest.mark.parametrize(
    ("domain", "name"),
    [("teams", "close_channels"), ("teams", "rename_team"), ("teams", "change_owner"),
     ("teams", "clear_accounts"), ("calendar", "share_calendar"), ("calendar", "open_channels"),
     ("calendar", "merge_meetings"), ("calendar", "change_one_talk")],
)  # fmt: skip
def test_one_reason_of_a_family_does_not_pass_for_another(domain: str, name: str) -> None:
    family = next(family for family in families([domain]) if family.name == name)
    reasons = [declined(domain, name, kind) for kind in family.perturbations]
    for reason in reasons:
        named = [other for other in reasons if is_named(f"I have to decline: {other.reason}.", reason)]
        assert named == [reason]


@pytest.mark.parametrize(
    ("case", "right", "wrong"),
    [
        (("teams", "plan_webinar", "two_namesakes"),
         ("There are two {}s here.", "I found 2 {} entries.", "{} isn't a unique name.",
          "More than one {} is here."),
         "{} can't be in more than one team."),
        (("drive", "fetch_copies", "missing_entity"),
         ("In that drive, none is called {}.", "{} does not appear in that drive."),
         "I find {} in that drive already full, but it exists."),
        (("hr", "merge_skills", "missing_entity"),
         ("{} isn't among our skills.", "I couldn't see any skill called {}."), "{} is missing an owner."),
        (("email", "retire_alias", "no_right"),
         ("Access was refused: you aren't an admin.", "It requires an administrator."),
         "The admin wants a number first, and only one alias is allowed."),
    ],
)  # fmt: skip
def test_plain_words_name_a_reason_and_others_with_a_word_of_it_do_not(
    case: tuple[str, str, str], right: tuple[str, ...], wrong: str
) -> None:
    reason = declined(*case)
    name = reason.names[0].split("|")[0]
    assert [told for told in right if not is_named(told.format(name), reason)] == []
    assert not is_named(wrong.format(name), reason)
