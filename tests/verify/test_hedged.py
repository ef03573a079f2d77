"""What an answer does not stand by is not told; what it says with such words about other things is."""

from datetime import date

import pytest

from eops_traj.verify.value_forms import Text


@pytest.mark.parametrize(
    "text",
    [
        "1, 2, 3, 4 or 5 are open",
        "at least 3 are open",
        "There are over 3",
        "3+ are open",
        "3 or more are open",
        "cases > 3",
        "2-4, maybe 3",
        "Perhaps there are 3",
        "Are there 3? I do not know",
        "It is wrong that there are 3; it says 5",
        "There are 3. Correction: there are 4",
    ],
)
def test_a_number_that_is_hedged_or_taken_back_is_not_told(text):
    assert Text(text).says(3) and not Text(text).claims(3)


@pytest.mark.parametrize(
    "text",
    [
        "3 open, 2 closed, 1 or 2 of them new",
        "1, 2 and 3",
        "It takes at least 14 days; 3 are open",
        "I handed over 3",
        "3 + 2 = 5",
        "> 3 are open",
        "open -> 3",
        "Are there any? Yes, 3.",
        "3 are open; shall I close them?",
        "It was wrong that nobody had counted them: 3",
        "Correction: I said 4, there are 3",
        "There are 3. Correction: they are of Mail",
    ],
)
def test_a_number_among_such_words_is_told(text):
    assert Text(text).claims(3)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("on 15 January or 16 January", False),
        ("on Friday 16 January 2026 or on Thursday 15 January 2026", False),
        ("moved from 16 January to 15 January", True),
        ("on 15 January or later", True),
    ],
)
def test_one_of_two_dates_is_not_told(text, told):
    assert Text(text, date(2026, 1, 5)).claims("2026-01-15") is told


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("it waits for a part, not for the customer", False),
        ("for a part rather than the customer", False),
        ("it is not waiting for the customer", False),
        ("it waits for the customer, not for a part", True),
        ("you are not a customer", True),
    ],
)
def test_a_common_word_is_not_told_where_another_is_put_in_its_place(text, told):
    assert Text(text).claims("customer") is told
