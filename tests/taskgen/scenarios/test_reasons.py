"""What refusals have to name: the reason in whatever words, and not another reason."""

import pytest

from eops_traj.taskgen.draft import play
from eops_traj.taskgen.errors import NoMatch
from eops_traj.taskgen.family import Family, families
from eops_traj.taskgen.scene import Declined
from eops_traj.verify.named_reasons import names

CASES = {
    ("email", "give_delegate", "no_right"): (
        "The service answered 'Delegation denied'; only an admin can create delegates.",
        "The mailbox is closed, because its owner no longer works here.",
    ),
    ("email", "retire_alias", "inactive_person"): (
        None,
        "Only an administrator may do this in the mailbox of a colleague.",
    ),
    ("email", "end_private_forwarding", "no_right"): (
        "You would need the role of an administrator; access to that mailbox was denied.",
        "The mailbox is closed, since its owner has left.",
    ),
    ("email", "report_phishing", "missing_entity"): (
        "Your spam folder is empty: I found no such mail.",
        "I have to decline: no link of a mail in spam is passed on. Nothing was changed.",
    ),
    ("csm", "merge_double", "policy_forbids"): (
        "Only one of the two cases is open; CS-0000123 was resolved already.",
        "More than one person is named Ana Ruiz. Could you tell me which one you mean?",
    ),
    ("csm", "call_off", "out_of_scope"): (
        "There is no deletion of cases here, I can only cancel them.",
        "No message on the case failed; those that were sent are not deleted.",
    ),
    ("email", "sign_with_newest", "policy_forbids"): (
        "None of the certificates can be used, as all of them are out of date.",
        "A certificate whose expiry lies in the past is not added.",
    ),
    ("email", "set_forwarding", "out_of_scope"): (
        "Rule 7.1: company mail is not forwarded outside, so I left forwarding as it is.",
        "The copy of forwarded mail must not go into the trash.",
    ),
    ("email", "throw_away", "conflicting_demands"): (
        "I can't both move them to the trash and keep them in the inbox.",
        "Invoices must never be permanently deleted.",
    ),
    ("email", "go_away", "policy_forbids"): (
        "The text says you are in hospital; vacation replies must not state a reason.",
        "The last day lies before the first.",
    ),
    ("email", "programs", "out_of_scope"): (None, "IMAP can't be set up and closed at once."),
    ("drive", "open_project_drive", "conflicting_demands"): (
        "You can't organize a drive alone; the rules demand two organizers.",
        "Only a manager may open shared drives.",
    ),
    ("drive", "follow_changes", "impossible_date"): (
        "Channels are limited to seven days, so I opened none.",
        "Channels go to addresses under corvane.example only.",
    ),
    ("drive", "send_for_review", "impossible_date"): (
        "The review date is more than 12 months away.",
        "The reviewer has left the company.",
    ),
    ("hybrid", "resolve_and_review", "impossible_date"): (
        "April has only 30 days, so I left the ticket alone.",
        "Your colleague is busy at that time.",
    ),
    ("hybrid", "write_about_escalation", "out_of_scope"): (
        "I can't mail credentials to a customer.",
        "The contact is no longer active.",
    ),
    ("hybrid", "manager_as_delegate", "no_right"): (
        "Only administrators are allowed to add a delegate to somebody else's mailbox.",
        "I have to decline: you lack the permission for it.",
    ),
    ("hr", "merge_skills", "policy_forbids"): (
        "A rule that is in force still uses that skill, so I left everything as it is.",
        "An assignment rule names a group or people, not both.",
    ),
}  # fmt: skip
"""A reason in words that are not the plan's (None where it has a name), and another reason of the family."""


@pytest.mark.parametrize("case", CASES, ids="-".join)
def test_a_refusal_names_its_reason_and_no_other(case: tuple[str, str, str]) -> None:
    domain, name, kind = case
    family = next(family for family in families([domain]) if family.name == name)
    declined = next(filter(None, (decline(family, company, kind) for company in range(8))))
    right, wrong = CASES[case]
    for answer in filter(None, (right, declined.reason)):
        assert all(names(answer, group) for group in declined.names), answer
    assert not all(names(wrong, group) for group in declined.names)


def decline(family: Family, company: int, kind: str) -> Declined | None:
    """Play a family on a company; None where nothing fits."""
    try:
        return play((family,), company, f"reasons:{company}", kind).declined
    except NoMatch:
        return None
