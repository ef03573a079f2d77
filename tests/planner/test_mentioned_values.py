import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.planner.mentioned_values import (
    MentionedValues,
    is_moment,
    is_stamp,
    is_word,
    standalone_pattern,
)

TOLD = MentionedValues(
    "Move case 1204 of Ana Ruiz (ana.ruiz@corvane.example) to 12 March, 10:30, in “Harbour”. 3 people.",
    "## 7. Groups\n\nUse `in_progress`, never 44. Today is 5 January 2026.",
)


@pytest.mark.parametrize(
    ("value", "named", "anyone"),
    [
        ("Ana Ruiz", True, True),
        ("ana ruiz", True, True),
        ("ana.ruiz@corvane.example", True, True),
        ("ana.ruiz", False, False),
        ("Ruiz", True, True),
        ("Rui", False, False),
        ("in_progress", False, True),
        (1204, True, True),
        ("1204", True, True),
        (3, True, True),
        (12, False, False),
        (10, False, False),
        (44, False, False),
        (True, False, False),
        ("2026-03-12", False, True),
        ("2026-03-12T10:30:00", False, True),
        ("2026-01-05", False, True),
        ("2026-02-01", False, False),
        ("2026-03-12T10:30:07", False, False),
        ("10:30", True, True),
        ("11:30", False, True),
    ],
)
def test_what_request_and_policy_name(value, named, anyone):
    assert (TOLD.in_request(value), TOLD.is_mentioned(value)) == (named, anyone)


@pytest.mark.parametrize("digits", [21, 309, 401, 4301])
def test_a_number_of_any_length_is_named_only_where_it_stands(digits):
    told = MentionedValues("Move 1204 and " + digits * "1" + ".")
    assert told.in_request(digits * "1") and not told.in_request(digits * "2")
    assert not told.in_request(2 * 10**400) and told.in_request(1204)


def test_a_number_of_64_bits_is_told_from_the_next():
    told = MentionedValues("Close #12345678901234567890.")
    assert told.names_record("12345678901234567890") and told.in_request(12345678901234567890)
    assert not told.in_request("12345678901234567891")


def test_where_days_are_counted_every_day_is_told():
    assert MentionedValues("Put it off until next Monday.").is_mentioned("2026-02-01")


def test_a_record_goes_by_a_long_number_or_by_one_that_is_called_one():
    assert TOLD.names_record(1204) and not TOLD.names_record(3)
    assert MentionedValues("Give it to user id 8.").names_record(8) and MentionedValues(
        "Close #8, please."
    ).names_record("8")


@pytest.mark.parametrize(
    ("value", "implied"),
    [
        ("ana_ruiz@elsewhere.example", True),
        ("Ana: 1204", True),
        ("harbour.hall", False),
        ("bram.ruiz@corvane.example", False),
        ("Ana", False),
        (1204, False),
    ],
)
def test_what_is_put_together_of_what_is_named(value, implied):
    assert TOLD.implies(value) is implied


def test_forms_of_texts():
    assert is_moment("2026-01-05") and is_moment("2026-01-05 09:00:00") and not is_moment("2026")
    assert is_stamp("2026-01-05 09:00:07") and not is_stamp("2026-01-05 09:00:00")
    assert is_word("in_progress") and is_word("text/html") and not is_word("Legal") and not is_word("v2")


@given(st.text(min_size=1, max_size=8), st.text(max_size=20), st.text(max_size=20))
def test_a_value_alone_is_told(value, before, after):
    mentioned = MentionedValues(f"{before} {value} {after}")
    assert (
        mentioned.in_request(value)
        or value.isdecimal()
        or not value.strip()
        or " " in value
        or not value.isalnum()
    )
    assert all(standalone_pattern(value).split(part) for part in (before, value, after))
