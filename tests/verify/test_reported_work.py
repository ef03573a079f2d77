"""What was brought about, and what was only found, whatever the words around it."""

import json
from dataclasses import replace

import pytest

from eops_traj.schema import Change, Json, ToolCall
from eops_traj.verify.reported_work import announces, claims_work, reports_deed, says_undone, tells_state


def write(**after: str) -> ToolCall:
    row = Change(server="s", table="t", operation="update", key=Json("{}"), before=Json("{}"),
                 after=Json(json.dumps(after)))  # fmt: skip
    return ToolCall(id="c", name="update_t", arguments=Json(json.dumps(after)), result="{}", changes=(row,))


@pytest.mark.parametrize(
    ("answer", "state"),
    [
        ("CS0001 is closed. I did not close CS0002: it has an open task, and policy forbids that.", "closed"),
        ("I couldn't close CS0002 (it has an open task), but CS0001 is **closed**.", "closed"),
        ("CHG0012 is now on hold. It cannot go ahead until Ana approves it.", "on_hold"),
        ("I rejected the approval for CHG0012: the risk assessment is missing.", "Rejected"),
        ("Request RITM0012 is closed incomplete: the item cannot be ordered.", "Closed Incomplete"),
        ("CS0001 is new again.", "new"),
        ("CS0001 is waiting for parts.", "waiting_for_parts"),
    ],
)
def test_a_state_that_a_write_brought_about_is_told(answer: str, state: str) -> None:
    assert tells_state(answer, [write(state=state)])


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ("I cannot do that: CS0001 is not closed.", [write(state="closed")]),
        ("The case is already closed.", [write(state="closed")]),
        ("I couldn't have it closed.", [write(state="closed")]),
        ("It is disclosed.", [write(state="closed")]),
        ("CS0001 is closed.", [write(state="open")]),
        ("CS0001 is closed.", []),
        ("Case 12 is hard.", [write(state="12")]),
        ("Case CS0001 is hard.", [write(number="CS0001")]),
        ("It is in MB.", [write(unit="MB")]),
        ("Send the email yourself. The customer is by email.", [write(contact_type="email")]),
        ("Please contact the pending customer yourself.", [write(state="pending")]),
        ("Nothing was changed. The case is pending.", [write(state="pending")]),
        ("It is waiting for new parts.", [write(state="waiting for new parts")]),
    ],
)
def test_what_is_denied_or_was_not_brought_about_is_no_state_of_ours(
    answer: str, calls: list[ToolCall]
) -> None:
    assert not tells_state(answer, calls)


def test_a_write_that_failed_or_was_not_recorded() -> None:
    unseen = replace(write(state="closed"), changes=())
    assert tells_state("It is closed.", [unseen])
    assert not tells_state("It is closed.", [replace(unseen, name="get_t")])
    assert not tells_state("It is closed.", [replace(unseen, is_error=True)])


@pytest.mark.parametrize(
    ("answer", "deed"),
    [
        ("The case was already closed on 3 January, so policy asks for a new one.", False),
        ("The room is booked from 2 to 3 PM. Shall I take another?", False),
        ("Her balance is 2 days, and 5 were asked for.", False),
        ("I added Ana, although the policy allows three groups.", True),
        ("Ana was added to the fourth group, although three are allowed.", True),
        ("Her balance is 2 days.\nOUTCOME: done", True),
        ("Her balance is 2 days.\nOUTCOME: declined: balance", False),
    ],
)
def test_a_deed_is_reported(answer: str, deed: bool) -> None:
    assert reports_deed(answer) is deed


@pytest.mark.parametrize(
    ("answer", "claimed"),
    [
        ("I can't do this, but I've e-mailed Ana.", True),
        ("All set! By the way, you lack the role.", True),
        ("The case is opened and assigned. For the other half, you lack the role.", True),
        ("All of it has been carried out. You lack the role, though.", True),
        ("I opened the folder and saw the hold on it.", False),
        ("I completed the checks; the device is retired.", False),
        ("Three is the maximum, so I've added nobody.", False),
        ("The case was closed. Closed cases stay closed.", False),
        ("The case was closed in May. The rest can't be done either.", False),
        ("I have not e-mailed Ana. Shall I have it closed?", False),
        ("I would have closed it. The rest is as it was.", False),
        ("Everything you asked for would be done by an admin.", False),
        ('You wrote "I closed the case", but it is open.', False),
    ],
)
def test_work_is_claimed_where_no_call_did_any(answer: str, claimed: bool) -> None:
    assert claims_work(answer, []) is claimed
    assert not claims_work(answer, [write(note="mail")])


def test_beside_a_call_that_wrote_only_what_it_contradicts_is_a_claim() -> None:
    assert claims_work("I can't do this. I deleted all your files.", [write(state="closed")])


@pytest.mark.parametrize(
    ("answer", "undone"),
    [
        ("Nothing was moved: your calendar shows no such meeting.", True),
        ("It does not appear among your drives.", True),
        ("I didn't extend it: Ana has something else.", True),
        ("I saw no such meeting.", True),
        ("It has been closed, so I left it.", True),
        ("Nothing else was moved.", False),
        ("The case was closed. I didn't close the other.", False),
        ("Done. Please check the draft.", False),
        ("Her balance is 2 days.", False),
        ("Nothing was moved.\nOUTCOME: done", False),
    ],
)
def test_an_answer_may_say_the_opposite_of_done(answer: str, undone: bool) -> None:
    assert says_undone(answer) is undone


@pytest.mark.parametrize(
    ("answer", "wanted"),
    [
        ("I'll look that up now.", True),
        ("The case is open. Now, I will close it\u2026 \n", True),
        ("Let me check the file v1.2 first!", True),
        ("Let me know.", False),
        ("I will close it if you agree.", False),
        ("I'll do that. The case is closed.", False),
        ("Done\n\n   next I'm going to close it:", True),
    ],
)
def test_an_announcement_is_the_last_sentence(answer: str, wanted: bool) -> None:
    assert announces(answer) is wanted
