"""Labels of mail families: what is refused cannot be done, and the rules leave one way to do the rest."""

import re

import pytest

from eops_traj.taskgen.scenarios.email import programs
from tests.taskgen.scenarios.played import drafts


@pytest.mark.parametrize(("family", "draws"), [("programs", 32), ("new_signature", 8)])
def test_who_is_refused_the_mailbox_of_a_colleague_is_no_administrator(family: str, draws: int) -> None:
    """An administrator opens the mailboxes of others, to repair their settings."""
    twins = drafts("email", family, "out_of_scope", draws, 7000)
    assert len(twins) > 4 and "admin" not in {twin.scene.caller["role"] for twin in twins}


def test_programs_that_may_and_may_not_use_imap_are_a_contradiction() -> None:
    """To limit the folders of IMAP and to turn it off is no contradiction: one call does both."""
    assert [both for usual, both in programs._REACHED if not both.startswith(usual[:-1])] == []


def test_whoever_gives_up_a_label_says_that_new_mail_gets_none() -> None:
    """The rules let a filter be deleted or pointed elsewhere."""
    said = {draft.request for draft in drafts("email", "give_up_label", None, 8)}
    assert len(said) > 3 and not [
        words for words in said if not re.search("no label|without a label|sorted", words)
    ]


def test_drafts_of_this_year_are_not_in_the_way_of_a_new_one() -> None:
    said = {draft.request for draft in drafts("email", "clear_drafts", None, 12)}
    assert len(said) > 6 and not [words for words in said if "should remain to be finished" in words]


def test_whoever_shares_the_address_of_a_group_now_is_told_so_once() -> None:
    said = {draft.request for draft in drafts("email", "group_alias", None, 6)}
    assert len(said) > 3 and not [words for words in said if "now have an address now" in words]
