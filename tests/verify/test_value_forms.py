"""Values are found in the forms that people write, and their look-alikes are not."""

from datetime import date

import pytest

from eops_traj.verify.value_forms import Text, number_forms


def says(text, value):
    return Text(text, date(2026, 1, 5)).says(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("It is **CS0001042**.", "CS0001042"),
        ("the label `cs_id_1` is on", "cs_id_1"),
        ("see [the case](http://x.example/CS001)", "CS001"),
        ("It’s the “Best-of” list", 'the "best-of" list'),
        ("Team  Blue\nSky", "Blue Sky"),
        ("José Álvarez has it", "Jose Alvarez"),
        ("Ruiz, Ana", "Ana Ruiz"),
        ("Ana Ruiz has it", "ana.ruiz@corvane.example"),
        ("write to ana@corvane.example.", "ana@corvane.example"),
        ("due 2026-01-06", "2026-01-06"),
        ("on _6 January_", "2026-01-06"),
        ("on January 6th, 2026", "2026-01-06"),
        ("the 6th of Jan", "2026-01-06 00:00:00"),
        ("on Tuesday", "2026-01-06"),
        ("tomorrow at 2:30pm", "2026-01-06T14:30:00Z"),
        ("6 January, 14:30-15:00", "2026-01-06 14:30:00"),
        ("from 2:30 to 3:00 pm", "14:30"),
        ("at 9 am", "09:00"),
        ("12 noon", "12:00"),
        ("1,200 euros", 1200),
        ("three cases", 3),
        ("12 files on 11 January", 12),
        ("0.50 a day", 0.5),
        ("due 01/06/2026", "2026-01-06"),
        ("due 6-Jan-2026", "2026-01-06"),
        ("due 2026/01/06", "2026-01-06"),
        ("Of the rest, 3 may need a look", 3),
        ("Tuesday the 6th", "2026-01-06"),
        ("the day after tomorrow", "2026-01-07"),
        ("on Monday next week", "2026-01-12"),
        ("the day before yesterday", "2026-01-03"),
        ("it was yesterday", "2026-01-04"),
        ("due today", "2026-01-05"),
        ("last Monday", "2025-12-29"),
        ("due 6.1.26", "2026-01-06"),
        ("at 11 am", "11:00"),
        ("at 12:30 pm", "12:30"),
        ("at 12:15 am", "00:15"),
        ("at 1:15 pm", "13:15"),
        ("at 11 pm", "23:00"),
        ("twenty-one cases", 21),
        ("Fifteen are open", 15),
        ("just one", 1),
        ("2,400.0 minutes", 2400.0),
        ("a 90-minute target", 90),
        ("33.3 on average", 100 / 3),
        ("33.333 on average", 100 / 3),
        ("zero cases", 0),
        ("ninety-nine cases", 99),
        ("100 cases", 100),
        ("the file aBc123xyz", "aBc123xyz"),
        ("due 2026-13-45", "2026-13-45"),
        ("It is In Progress", "in_progress"),
        ("only managers may", "manager"),
        ("Yes, it is on", True),
        ("It isn't on", False),
    ],
)
def test_a_value_is_said(text, value):
    assert says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("CS0012", "CS001"),
        ("CS001-2", "CS001"),
        ("the case AbC123xyZ", "aBc123xyz"),
        ("ana@corvane.example.org", "ana@corvane.example"),
        ("joana@corvane.example", "ana@corvane.example"),
        ("Ana Ruizinger", "Ana Ruiz"),
        ("Anna Ruiz", "Ana Ruiz"),
        ("on 16 January", "2026-01-06"),
        ("on 6 January 2027", "2026-01-06"),
        ("on 6 June", "2026-01-06"),
        ("on Tuesday", "2026-01-20"),
        ("on Tuesday", "2026-01-13"),
        ("on Sunday next week", "2026-01-11"),
        ("next Monday", "2026-01-05"),
        ("last Monday", "2026-01-05"),
        ("at 12:30 am", "12:30"),
        ("6 January at 2:30 am", "2026-01-06 14:30:00"),
        ("at 2:30", "14:30"),
        ("at 9:00 pm", "09:00"),
        ("at 12:30", "2:30 am"),
        ("12 January", 12),
        ("on 3 May it was closed", 3),
        ("by 3 may, or later", 3),
        ("Yes, it is on. I did not change anything", False),
        ("No, that is true of the other", True),
        ("at 12:00", 12),
        ("1. The first", 1),
        ("13,200 euros", 200),
        ("1,200.50 euros", 1200),
        ("eighty", 8),
        ("twenty one cases", 1),
        ("twenty-five cases", 20),
        ("seven hundred", 7),
        ("3 million", 3),
        ("3 dozen", 3),
        ("a change of -5", 5),
        ("which one, and no one else", 1),
        ("Step 3: done", 3),
        ("33.9 on average", 100 / 3),
        ("twenty-nine cases", 20),
        ("twenty one cases", 20),
        ("nineteen cases", -1),
        ("0.0 on average", 0.04),
        ("on Tuesday, 13 January", "2026-01-06"),
        ("on Tuesday the 13th", "2026-01-06"),
        ("on Tuesday next week", "2026-01-06"),
        ("the day after tomorrow", "2026-01-06"),
        ("the day before yesterday", "2026-01-04"),
        ("last Tuesday", "2026-01-06"),
        ("next Tuesday", "2025-12-30"),
        ("https://x.example/General/a.txt", "https://x.example/General"),
        ("Done.", True),
        ("anything", ""),
        ("None", None),
    ],
)
def test_a_look_alike_is_not(text, value):
    assert not says(text, value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("There are 4, not 3.", 3),
        ("not 3 but 4 are open", 3),
        ("between 3 and 5 are open", 3),
        ("1, 2, 3, 4, 5 or 6 are open", 3),
        ("at least 3 are open", 3),
        ("maybe 3 are open", 3),
        ("3+ are open", 3),
        ("between three and five are open", 5),
        ("3 or 4 are open", 4),
        ("more than 3 are open", 3),
        ("It is no longer with **Ana Ruiz**.", "Ana Ruiz"),
        ("It isn't CS001", "CS001"),
        ("It has not yet been due on 6 January", "2026-01-06"),
        ("It went to Bo Lind rather than to Ana Ruiz", "Ana Ruiz"),
        ("not tomorrow", "2026-01-06"),
        ("on 6 January, not at 14:30", "2026-01-06 14:30:00"),
        ("That is not true", True),
        ("It is not owned by Ana Ruiz but by Bo Lind", "Ana Ruiz"),
        ("It does not belong to Ana Ruiz; Bo Lind owns it", "Ana Ruiz"),
        ("It may be Ana Ruiz", "Ana Ruiz"),
        ("There are 3 to 5 open cases", 3),
        ("It isn't due on 6 January", "2026-01-06"),
    ],
)
def test_what_is_denied_or_one_of_several_is_said_and_not_claimed(text, value):
    text = Text(text, date(2026, 1, 5))
    assert text.says(value) and not text.claims(value)


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("not 3 but 4 are open", 4),
        ("3 are open, not 4", 3),
        ("It is not started", "not started"),
        ("You are not a manager", "manager"),
        ("Not only Ana Ruiz, Bo Lind has it too", "Ana Ruiz"),
        ("I changed nothing. Ana Ruiz has it", "Ana Ruiz"),
        ("between 6 and 9 January", "2026-01-09"),
        ("the stay between 6 January and 9 January", "2026-01-06"),
        ("from 3 to 5", 5),
        ("room 3 or the hall", 3),
        ("No, it is not on", False),
        ("It is not owned by Ana Ruiz but by Bo Lind", "Bo Lind"),
        ("It has not been paid since 6 January", "2026-01-06"),
        ("due not later than 6 January", "2026-01-06"),
        ("not more than 3 days", 3),
        ("I could not close CS001", "CS001"),
        ("Neither CS001 nor CS002 could be closed", "CS002"),
        ("It was not sent to Ana Ruiz, who has left", "Ana Ruiz"),
        ("CS002: not started\n- CS001: open", "CS001"),
        ("the account has no expired contracts", 0),
        ("None of them is open", 0),
        ("Open: 3, closed: 4 or so", 3),
        ("it covers up to 3 users", 3),
        ("22/14/18/1", 14),
        ("5/3/18/1", 3),
        ("40/5/3/18", 3),
        ("22/14/18/1", 18),
        ("on 5/3/2026 there were 3", 3),
        ("Open cases left: none", 0),
    ],
)
def test_what_is_so_is_claimed(text, value):
    assert Text(text, date(2026, 1, 5)).claims(value)


@pytest.mark.parametrize("end", ["\n", "\r\n", "  \n"])
@pytest.mark.parametrize(("one", "three"), [("1", "3"), ("one", "Three")])
def test_a_number_at_a_lines_end_does_not_count_what_the_next_begins_with(end, one, three):
    text = Text(f"Items: {one}{end}Changes: {three}{end}Open tickets: 2")
    assert text.claims(3, "how many changes there are") and text.claims(2, "how many tickets are open")
    assert not Text("Items: 1 changes: 3 open tickets: 2").claims(3, "how many changes there are")


@pytest.mark.parametrize("text", ["The row is 22/14/18/1.", "22/14/18", "1/22/14/3/2026"])
def test_a_row_of_counts_is_no_date(text):
    assert Text(text).claims(22) and Text(text).claims(14)


@pytest.mark.parametrize(
    "text", ["due 22/1/2026", "due 1/22/26.", "due 22.01.26", "due 2026/1/22", "2026.01.22"]
)
def test_a_date_in_digits_holds_no_count(text):
    assert not Text(text).claims(22)


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("It is Ana Ruiz", False),
        ("Ana Ruiz, whose address could not be found", False),
        ("Ana Ruiz <a.ruiz@corvane.example>", False),
        ("[Ana Ruiz](mailto:ANA.RUIZ@corvane.example).", True),
    ],
)
def test_where_an_address_is_asked_for_the_name_is_not_enough(text, told):
    address = "ana.ruiz@corvane.example"
    assert Text(text).claims(address, "the address of the manager") is told
    assert Text("It is Ana Ruiz").claims(address, "who organizes it")


@pytest.mark.parametrize("text", ["There are no other changes.", "I made no change.", "none of it", "not 0"])
def test_not_every_no_is_a_zero(text):
    assert not Text(text).claims(0)


@pytest.mark.parametrize(
    ("number", "forms"),
    [
        ("12", {"12", "twelve"}),
        ("13", {"13"}),
        ("0", {"0", "zero"}),
        ("-1", {"-1"}),
        ("1200", {"1200", "1,200", "1 200", "1.200"}),
        ("1200.5", {"1200.5", "1200.50", "1,200.50", "1200,5"}),
    ],
)
def test_a_number_is_written_in_these_forms(number, forms):
    assert set(number_forms(number)) == forms


def test_next_week_begins_after_this_one_s_sunday():
    text = Text("on Monday next week", date(2026, 1, 7))
    assert text.says("2026-01-12") and not text.says("2026-01-05")


def test_days_have_names_only_where_today_is_known():
    assert not Text("on Tuesday").says("2026-01-06")


def test_a_number_too_long_for_a_float_is_said_by_itself():
    number = int("1" * 400)
    assert says(f"The code is {number}.", number) and not says(f"The code is {number}2.", number)
