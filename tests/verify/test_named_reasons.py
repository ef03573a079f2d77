"""What an answer names: words at their beginning, numbers whole, apostrophes and dashes in any form."""

import pytest

from eops_traj.verify.named_reasons import names, unnamed


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("Mo Lee has been Deactivated.", "inactive|deactivat"),
        ("There are 2 people of that name.", "two|2"),
        ("They don’t exist", "doesn't|don't"),
        ("It is read–only.", "read only"),
        ("It is read only.", "read-only"),
        ("There is more\nthan one.", "more than one"),
        ("CS-0001234 is closed", "CS-0001234"),
        ("on the 2nd of May", "2nd"),
        ("of 25 people", "25 people"),
    ],
)
def test_an_alternative_is_found(text, group):
    assert names(text, group)


@pytest.mark.parametrize(
    ("text", "group"),
    [
        ("on 5 January 2026", "2"),
        ("12 people", "2"),
        ("version 2.5", "2"),
        ("at 10:02", "02"),
        ("the 12th of May", "2th"),
        ("version 1.25 is out", "25 is"),
        ("room 12.5 is", "room 12"),
        ("a proactive colleague", "active"),
        ("nobody", "body"),
        ("CS-00012345", "CS-0001234"),
        ("bananas are yellow", "inactive|left"),
        ("anything", "|"),
    ],
)
def test_what_only_looks_like_it_is_not(text, group):
    assert not names(text, group)


@pytest.mark.parametrize(
    ("text", "group", "found"),
    [
        ("It has not been closed yet.", "closed|not open", False),
        ("It isn't really closed.", "closed|not open", False),
        ("Her contract hasn't ended.", "has ended|ended", False),
        ("It is not open but closed.", "closed", True),
        ("It can't be closed, as it was not left open: it is closed.", "closed", True),
        ("It was not closed before, and closed on Monday.", "closed", True),
        ("You are not allowed to.", "allowed", True),
        ("It exists, but it is missing a product.", "missing", False),
        ("The case is missing.", "missing", True),
        ("It is missing, a pity.", "missing", True),
        ("Only one manager is there.", "only", False),
        ("Only managers may do that.", "only", True),
    ],
)
def test_what_is_denied_or_means_something_else_is_not_named(text, group, found):
    assert names(text, group) is found


ASKED = (
    'Post "There are two tables." in Board dinner, and name it "Davis Pharma - Tokyo", "floor 2 plan", '
    '"2nd floor" or "closed"; never say "no tables" or "no tables at hand", '
    "and add 'Don\u2019t ask for more of them'."
)


@pytest.mark.parametrize(
    ("answer", "group", "found"),
    [
        ("Two channels are called so.", "two|several", True),
        ('I cannot post "There are two tables." there.', "two|several", False),
        ("I cannot post \u201cThere are two tables\u201d there.", "two|several", False),
        ("There are two tables of it, and two channels.", "two|several", True),
        ('There is no "Davis Pharma - Tokyo" here.', "Davis Pharma", True),
        ('It is "closed" already.', "closed", True),
        ('There is no "floor 2 plan".', "2|plan", True),
        ('There is no "floor 2 plan".', "plan", False),
        ('There is no "2nd floor".', "2nd|floor", True),
        ('I was not to say "no tables at hand".', "at hand", False),
        ("Nothing in Board dinner says two.", "board", True),
        ("I have not written 'Don't ask for more of them'.", "more", False),
        ("There are more of them.", "more", True),
    ],
)
def test_what_an_answer_quotes_of_the_request_is_no_reason_of_its_own(answer, group, found):
    assert unnamed([group, "|"], answer, ASKED) == ([] if found else [group]) + ["|"]
    assert unnamed([group], answer, "") == []


@pytest.mark.parametrize("hostile", [" 'a", "'a'bb", "\u201ca", '"a ', " 'a b'c d"])
def test_a_request_of_hostile_quotation_marks_is_read(hostile):
    assert unnamed(["two"], "There are two.", hostile * 30_000) == []
