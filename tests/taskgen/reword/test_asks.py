"""Another wording asks for what the request asks for: neither for more nor for less."""

import pytest

from eops_traj.taskgen.reword.asks import asks_less

REQUEST = "Close the case, since everything works again. Do not notify the contact about it this week."


@pytest.mark.parametrize(
    ("text", "lost"),
    [
        ("Everything works again, so the case can be closed; notify the contact about it this week.", True),
        ("Everything works again, so the case can be closed, but don\u2019t notify the contact.", False),
        ("Everything works again, so close the case without notifying the contact this week.", False),
        ("Everything works again, so close the case and skip the notice to the contact this week.", False),
    ],
)
def test_what_the_request_forbids_has_to_be_forbidden_in_any_words(text: str, lost: bool) -> None:
    assert (asks_less(REQUEST, text) is not None) is lost
    assert asks_less(REQUEST.replace("Do not notify", "Notify"), text) is None


CLOSED = (
    'CS-0001154 can be closed, with "Done" as the note. Do not notify the contact of the case. '
    "The priority stays low."
)


@pytest.mark.parametrize(
    "text",
    [
        'Please see that only CS-0001154 gets closed, "Done" being its note, and notify the contact of the '
        "case; the priority stays low.",
        'Close CS-0001154, there is no need to hurry ("Done" is the note). Notify the contact of the case '
        "instead. Its priority stays low.",
        'Do not wait to close CS-0001154 with "Done" as the note, and notify the contact of the case, whose '
        "priority stays low.",
        'The note for closing CS-0001154 is "Done", not more, and the contact of the case is notified. Its '
        "priority is not to be raised from low.",
        'Notify the contact of the case, of which nothing but the priority is low. Close CS-0001154: "Done".',
    ],
)
def test_to_deny_something_else_forbids_nothing(text: str) -> None:
    assert asks_less(CLOSED, text) == "Do not notify the contact of the case."


@pytest.mark.parametrize(
    "text",
    [
        'The note to close CS-0001154 with is "Done"; its contact must not be told. The priority stays low.',
        'Please close CS-0001154, "Done" being the note, and skip any notice to the contact of the case. '
        "Leave its priority low.",
        'As for the contact of case CS-0001154, they should not hear of it: close it with "Done", priority '
        "low as it is.",
        'Nobody should call and inform the contact of the case. Close CS-0001154 ("Done"); priority: low.',
        'CS-0001154 gets the note "Done" and is closed without the contact of the case being notified. It '
        "keeps its low priority.",
        'The contact of the case is to be left out when you close CS-0001154 with "Done", the low '
        "priority staying.",
    ],
)
def test_what_is_forbidden_may_be_forbidden_in_other_places_and_words(text: str) -> None:
    assert asks_less(CLOSED, text) is None


@pytest.mark.parametrize(
    ("forbids", "allows"),
    [
        ("Do not skip the notice to the owner.", "Skip the notice to the owner."),
        ("Do not leave out the owner.", "Leave out the owner, and nobody else."),
        ("Do not split these: a no on any point is a no to all.", "Split these, as a no is a no to all."),
        ("If one piece cannot be done, do not touch the others.", "If one cannot be done, touch the others."),
    ],
)
def test_what_denies_in_the_request_too_forbids_nothing(forbids: str, allows: str) -> None:
    assert asks_less(forbids, forbids) is None and asks_less(forbids, allows) == forbids


def test_a_quotation_neither_forbids_nor_denies() -> None:
    request = 'Put the remark "Do not call before nine" on the case of Ana Ruiz. Do not call her yourself.'
    text = 'The case of Ana Ruiz gets a remark, "Do not call before nine". {} her yourself.'
    assert asks_less(request, text.format("Do not call")) is None
    assert asks_less(request, text.format("Call")) == "Do not call her yourself."
    assert asks_less(request.removesuffix(" Do not call her yourself."), text.format("Call")) is None
