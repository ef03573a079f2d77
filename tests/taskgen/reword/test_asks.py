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
