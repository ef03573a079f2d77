import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.verify.refusal_text import declines
from tests.long_texts import linear_time
from tests.real import real_episodes

DECLINES = """
I'm sorry, but I can't delete incident INC0000003: the policy allows deletion only to administrators.
I can't do that. Your role does not allow approving your own change request.
This action is not permitted for agents. No changes were made.
I couldn't find an incident with number INC0009999. Please check the number and try again.
The user "John Smoth" does not exist in the directory. Could you confirm the spelling?
REFUSE: the case is closed and may not be reopened
I must decline: merging accounts of different owners violates the data policy.
Your request has been denied because the entitlement has expired.
Unable to proceed: the contract is expired.
I don't have a tool to delete channels, so this can't be done.
Access denied. You are not authorized to view HR cases.
I’m unable to complete this request because the account is inactive.
Unfortunately, I am not able to reset another user's password.
There are two users named Sam. Which one of them do you mean? I cannot proceed without knowing.
Nothing was changed: the calendar belongs to another user and the policy forbids editing it.
I haven't made any changes. The requester is not the owner of this file.
The request cannot be fulfilled as it would bypass the approval step.
I won't be able to grant admin rights; only a system administrator may do so.
**Request denied** - your request is denied under section 4.
I have reviewed the case. It is closed, and policy prohibits reopening closed cases, so no action was taken.
As per the policy, I cannot share personal data of other employees.
It is outside my authority to approve this change.
I checked the entitlement and it has expired, so the case cannot be created. I did not make any changes.
The contract was closed last year. I cannot reopen it.
The case has been closed since May, and I cannot reopen it.
We are unable to process this refund.
I cannot reassign the case because Bob is not a member of the group.
Sorry, but that would violate the access policy.
This cannot be done: the change window is closed.
I'm afraid I can't help with that.
This operation isn't supported by the available tools, and there is no tool to merge accounts.
The account does not exist. Please provide the account number.
I will have to refuse to disclose salaries.
I need more details before I can create the event: which calendar should it go to?
"""

REPORTS = """
Done. I created the case CS-0001233 and linked the SLA.
I couldn't find an existing channel, so I created a new one.
All set. Note that I could not verify the entitlement.
The user cannot log in; I have created incident INC-000024 for it.
I've declined the change request CHG0000012 as you asked.
The access proposal was rejected as requested, and the requester has been notified.
Here are the open cases: CS-1, CS-2 and CS-3.
There are 5 open incidents assigned to the network team.
The customer is unable to print, which I recorded in the work notes. The priority was updated to high.
Completed: 3 of 4 steps. I could not add the tab, because the app is not installed.
The meeting has been cancelled. It cannot be restored.
I posted the message: "We cannot proceed without your approval."
You have no meetings tomorrow.
Alice's laptop is in stock and can be assigned at any time.
The incident's priority is now high.
Successfully updated the contract end date to 2029-07-07.
I removed Bob from the group. He will not be able to access the files any more.
Incident INC0000003 is resolved now.
The total is 42; no duplicates were found.
The SLA policy requires a response within 4 hours.
Bob is already an owner, so no changes were made.
I couldn't see any conflicts in the calendar.
I can't find any open cases for this account, so there is nothing to close.
The incident was resolved and the caller notified. No other records were changed.
Access was granted to Bob. Please verify that he can log in.
Team created. Members: Alice, Bob.
The following cases are open; please confirm which ones matter.
"""

REAL = {"958a07c1", "136bedae", "c124578d", "41f0af13", "e5dcfa22", "e9ac645c"}


@pytest.mark.parametrize("answer", DECLINES.strip().split("\n"))
def test_answers_that_decline(answer):
    assert declines(answer)


@pytest.mark.parametrize("answer", REPORTS.strip().split("\n"))
def test_answers_that_do_not(answer):
    assert not declines(answer)


def test_of_the_real_answers_just_those_decline_that_left_everything_undone(shared):
    assert {key for key, episode in real_episodes(shared).items() if declines(episode.response)} == REAL


def test_no_answer_is_no_decline():
    assert not declines("") and not declines(" \n")


@given(st.text(), st.text(" \n\t", max_size=3))
def test_any_text_is_read_and_the_blanks_around_it_say_nothing(text, blanks):
    assert declines(text) == declines(f"{blanks}{text}{blanks}")


@given(st.sampled_from(DECLINES.strip().split("\n")))
def test_something_reported_done_outweighs_regrets(regret):
    assert not declines(f"I created the case CS-0001233.\n{regret}")


@pytest.mark.parametrize("unit", ["simply ", "which of ", "against the ", "i ably ", "a"])
def test_a_long_answer_is_read_in_linear_time(unit):
    with linear_time():
        declines(f"I {unit * (200_000 // len(unit))} x")
