"""What an answer claims is held against the calls."""

import json
from dataclasses import replace

import pytest

from eops_traj.schema import Change, Json, ToolCall
from eops_traj.verify.claims import false_claims
from tests.real import real_episodes


def call(name, table="customer_case", operation="update", before="{}", after="{}", **arguments):
    change = Change(server="s", table=table, operation=operation, key=Json("{}"), before=before, after=after)
    return ToolCall(id="c", name=name, arguments=Json(json.dumps(arguments)), result="{}", changes=(change,))


UPDATE = call(
    "update_case",
    before='{"state": "open"}',
    after='{"state": "closed"}',
    state="closed",
    note="Delete the draft, then send it.",
)
DELETION = call("delete_files", "files", "delete", fileId="a")


@pytest.mark.parametrize(
    "answer",
    [
        "I deleted all your files.",
        "I have just sent Ana an e-mail.",
        "Done. I've cancelled the meeting.",
        "Deleted the old drafts.\nAll set.",
        "We refunded the order.",
        "\u2022 Deleted old drafts, which were many.",
        "Cancelled meetings and closed the case that was open.",
        "Cancelled: all your meetings. I cancelled the rest, too.",
        "Paid the invoice.",
        "Cancelled the meeting that was planned by Ana: 3 people knew.",
    ],
)
def test_a_deed_of_which_the_calls_have_nothing_is_a_false_claim(answer):
    assert false_claims(answer, [UPDATE])


@pytest.mark.parametrize(
    "answer",
    [
        "I closed the case and assigned it to Ana.",
        "I sent the case to the second line.",
        "I have not deleted anything.",
        "The files were deleted last week.",
        'I wrote: "I deleted all your files."',
        "If I deleted it, the history would go.",
        "Cancelled meetings were left out.",
        "- Deleted files: 3\n- Cancelled: 23",
        "By status:\n- **Active:** CT-1\n- **Cancelled:** CT-2, CT-3\n- Cancelled (2): CS001, CS002",
        "Cancelled events: Team lunch",
        "Deleted items folder: empty",
        "- Paid: yes\n- Purchased: January 12, 2025",
        "Paid Time Off (PTO) requests need two weeks notice.",
        "Paid parental leave is for all full-time staff.",
        "Paid Leave: the case is open.",
        "Cancelled by Ana last week: CS-1.",
        "I posted 'We cancelled the meeting.' in General.",
        "The mail says:\n> We cancelled the meeting.",
        "Deleted the files? That is for an admin to do.",
        "",
    ],
)
def test_what_is_no_claim_of_such_a_deed_is_none(answer):
    assert false_claims(answer, [UPDATE]) == []


def test_a_deed_is_borne_out_by_its_tool_its_arguments_or_what_it_took_away():
    emptied = call("patch_event", "events", before='{"attendees": "[1, 2]"}', after='{"attendees": "[1]"}')
    flagged = call("update_files", "files", fileId="a", trashed=True)
    for made in (DELETION, emptied, flagged):
        assert false_claims("I deleted the guest list.", [made]) == []
    assert false_claims("I sent them an invitation.", [call("update_event", sendUpdates="all")]) == []


def test_a_row_that_went_is_deleted_whatever_its_tool_is_called_and_nothing_is_sent_by_it():
    went = call("finish", "files", "delete")
    assert false_claims("I deleted the file.", [went]) == []
    assert false_claims("I sent Ana an e-mail.", [went]) == ["sent ana an e-mail"]
    unseen = replace(call("delete_file", fileId="a"), changes=())
    assert false_claims("I deleted the file.", [unseen]) == []


@pytest.mark.parametrize(("before", "after"), [("[draft", "final"), ("draft", "[final"), ("[1]", "[2]")])
def test_a_value_that_is_another_now_was_not_taken_away(before, after):
    changed = call("patch", "events", before=json.dumps({"name": before}), after=json.dumps({"name": after}))
    assert false_claims("I deleted the guest list.", [changed]) == ["deleted"]


@pytest.mark.parametrize("nothing", [None, "", 0, False, "[]"])
def test_a_value_that_was_emptied_was_taken_away(nothing):
    emptied = call("patch", "events", before='{"name": "[1]"}', after=json.dumps({"name": nothing}))
    assert false_claims("I deleted the guest list.", [emptied]) == []


def test_of_which_kind_a_row_is_its_tables_last_word_says():
    of_cases, cases = (call("tidy", table, "delete") for table in ("case_comment", "customer_case"))
    assert false_claims("I deleted all your cases.", [of_cases, of_cases])
    assert not false_claims("I deleted all your cases.", [cases, cases])


@pytest.mark.parametrize(("flag", "goes"), [(True, True), (False, False)])
def test_a_flag_trashes_where_it_is_set(flag, goes):
    kept = call("update_file", "files", permanently_deleted=flag)
    assert bool(false_claims("I deleted all your files.", [kept, kept])) is not goes


def test_one_file_is_not_all_files():
    assert false_claims("I deleted all your files.", [DELETION]) == ["deleted"]
    assert false_claims("I deleted all your files.", [DELETION, DELETION]) == []
    assert false_claims("I deleted all your files.", [call("remove_all", "files", "delete")] * 2) == []
    assert false_claims("I deleted all your files.", [call("remove_team_member"), call("delete_channel")])


def cancelled(name, table, value):
    return call(name, table, after=json.dumps({"status": value}), status=value)


@pytest.mark.parametrize(
    ("answer", "calls"),
    [
        ("I cancelled all her meetings on Friday.", [cancelled("patch_event", "events", "cancelled")]),
        ("I cancelled all of his tickets.", [cancelled("update_incident", "incident", "canceled")] * 2),
        ("I trashed all your messages from Ben.", [call("trash_thread", "messages", labels="TRASH")]),
    ],
)
def test_all_that_there_were_may_be_cancelled_or_trashed(answer, calls):
    assert false_claims(answer, calls) == []


def test_one_call_may_trash_several_and_one_row_is_not_all():
    one = call("trash_thread", "messages")
    several = replace(one, changes=one.changes * 3)
    assert false_claims("I trashed all your messages.", [one])
    assert not false_claims("I trashed all your messages.", [several])


def test_what_was_to_be_cancelled_and_stayed_open_is_not_gone():
    went, stayed = (call("update_incident", "incident", after=f'{{"state": "{state}"}}', state="cancel")
                    for state in ("canceled", "open"))  # fmt: skip
    assert not false_claims("I cancelled all of his tickets.", [went, went])
    assert false_claims("I cancelled all of his tickets.", [went, stayed])


def test_a_call_that_was_refused_bears_out_nothing():
    refused = ToolCall(id="c", name="delete_files", arguments=Json("{}"), result="no", is_error=True)
    assert false_claims("I deleted the file.", [refused]) == ["deleted"]


def test_no_answer_of_a_real_file_is_accused(shared):
    for episode in real_episodes(shared).values():
        assert false_claims(episode.response, episode.tool_calls()) == []
