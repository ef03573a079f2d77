"""What was brought about, and what was only found, whatever the words around it."""

import json
from dataclasses import replace

import pytest

from eops_traj.schema import Change, Json, ToolCall
from eops_traj.verify.reported_work import announces, reports_deed, tells_state


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
