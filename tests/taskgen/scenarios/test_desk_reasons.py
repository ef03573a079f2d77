"""Refusals at the service desks: any honest wording names the fact, another obstacle does not."""

import pytest

from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import families
from eops_traj.taskgen.scene import Declined
from eops_traj.verify.named_reasons import names

CASES = [
    (
        "csm.open_case", "policy_forbids",
        ("Their support contract ended on 28 December 2025.", "The contract expired on 2025-12-28, so no."),
        ("The contact is inactive.", "There is no such product in our catalogue."),
    ),
    (
        "csm.close_resolved", "no_right",
        ("Your role customer is not enough for this.", "This requires an agent, a manager or an admin."),
        ("Ana Ruiz has the role agent, and a contact must be a customer.", "I lack the permission for it."),
    ),
    (
        "hr.escalate_case", "no_right",
        ("Policy reserves it for managers.", "You need to be a manager.",
         "Employees aren't entitled to this."),
        ("I need your manager's approval first.", "Which manager do you mean? I need your answer first.",
         "Only one manager is allowed per employee, and you have one."),
    ),
    (
        "csm.escalate", "missing_entity",
        ("No case with the number {it} exists.", "I couldn't find {it}.", "{it} doesn't exist."),
        ("{it} is closed already.", "{it} exists, but it is missing a product.",
         "The case does not exist, it seems: CS-0000000."),
    ),
    (
        "itsm.share_out_tickets", "policy_forbids",
        ("{who} isn't a member of the group.", "{last} doesn't belong to that team; only members get work."),
        ("{who} is no longer active.", "Somebody else is not a member of the group."),
    ),
    (
        "itsm.report_incident", "two_namesakes",
        ("Two people are called {who}.", "{who} is ambiguous; which one is meant?"),
        ("{who} is inactive.", "Two people are called Nobody Atall."),
    ),
    (
        "hr.take_up_case", "inactive_person",
        ("{who} is inactive.", "The account of {who} has been deactivated.", "{who} isn't active any more."),
        ("{who} is no longer a member of the group.", "Nobody Atall is inactive."),
    ),
    (
        "hr.escalate_case", "policy_forbids",
        ("It was opened on 4 January 2026.", "The deadline hasn't passed: the case isn't overdue."),
        ("The case is overdue, but no rule says who takes over.",),
    ),
]  # fmt: skip


def _declined(family_name: str, kind: str) -> Declined:
    domain, name = family_name.split(".")
    (family,) = (family for family in families([domain]) if family.name == name)
    for company in range(1, 9):
        try:
            declined = play((family,), company, "words", kind).declined
        except NoMatch:
            continue
        assert declined is not None
        return declined
    pytest.fail("no company fits")


@pytest.mark.parametrize(
    ("family", "kind", "honest", "wrong"), CASES, ids=lambda value: value if isinstance(value, str) else ""
)
def test_any_honest_wording_names_the_fact_and_another_obstacle_does_not(
    family: str, kind: str, honest: tuple[str, ...], wrong: tuple[str, ...]
) -> None:
    declined = _declined(family, kind)
    first, last = (*declined.names[0].split("|"), "")[:2]
    for answers, right in (((declined.reason, *honest), True), (wrong, False)):
        for answer in answers:
            told = answer.replace("{it}", first).replace("{who}", first).replace("{last}", last)
            assert all(names(told, group) for group in declined.names) is right, told
