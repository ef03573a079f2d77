"""What a request tells is found however it is written, and what another wording loses or adds is named."""

import pytest

from eops_traj.plan import parse
from eops_traj.taskgen.reword.facts import Facts, codes, names, told_values
from eops_traj.taskgen.reword.spoken import Figures
from eops_traj.verify.quotations import quotations

REQUEST = (
    "Morning, Ana Ruiz and Bo de Vries (bo.devries@corvane.example) need the Harbour Migration team for case"
    ' CS-0001154, called "Cutover: who does what", on 22 January at 14:30 for half an hour. It takes seven'
    " seats and at most 9,500 dollars. Thanks, Jerrold"
)
FACTS = Facts(REQUEST, values=("at most",), names=("Ana Ruiz",), own_name="Jerrold")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on 22 January", "on January 22nd"),
        ("at 2:30 pm", "at 14:30"),
        ("at noon", "at 12:00"),
        ("for half an hour", "for 30 minutes"),
        ("in an hour and a half", "in 90 minutes"),
        ("for a fortnight", "for two weeks"),
        ("ends in nine-six-five-nine", "ends in 9659"),
        ("twenty-one seats", "21 seats"),
        ("9,500 dollars", "9500 dollars"),
        ("the third of them", "the 3rd of them"),
        ("2026-01-05T14:30:00", "2026-01-05 at 14:30"),
    ],
)
def test_the_same_figures_are_the_same_however_written(one, other):
    assert Figures.of(one) == Figures.of(other) != Figures.of("")


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("on 22 January", "on 23 January"),
        ("on 4 January 2029", "on 4 January 2028"),
        ("at 2:30 pm", "at 2:30 am"),
        ("for an hour", "for a day"),
        ("seven seats", "eight seats"),
        ("on Friday", "on Monday"),
        ("this week", "next week"),
        ("9,500 dollars", "95,00 dollars"),
        ("Tell me tomorrow.", "Tell me today."),
    ],
)
def test_other_figures_are_others(one, other):
    assert Figures.of(one).without(Figures.of(other)) and Figures.of(other).without(Figures.of(one))


def test_a_greeting_tells_no_time_of_the_day():
    assert Figures.of("Morning, see to it. Good evening to all.") == Figures.of("")
    assert Figures.of("See to it this morning.") != Figures.of("")


def test_what_a_request_holds_is_found():
    assert quotations(REQUEST) == ["Cutover: who does what"]
    assert quotations("call it 'At a glance', it's \u201cours\u201d") == ["At a glance", "ours"]
    assert codes(REQUEST) == ["CS-0001154"] and codes("by 2pm on the 3rd, VC-33 and Q1") == ["VC-33", "Q1"]
    assert names(REQUEST) == ["Ruiz", "Bo de Vries", "Harbour Migration", "Jerrold"]
    assert names("Please ask Ana. Could you? The Legal Hold ends Friday.") == ["Ana", "Legal Hold"]


def test_the_values_of_the_plan_that_the_request_tells():
    plan = parse(
        '1. find_case(number="CS-0001154") -- the case\n'
        '2. require($1.rows[*team="Harbour Migration", state in ["in_progress"]] != null) -- it waits\n'
        '3. update(state="on_hold", name="Cutover: {$1.name}", role="me", other="nowhere")'
    )
    request = f"{REQUEST} Put what is in progress on hold."
    told = told_values(plan, request)
    assert set(told) == {"CS-0001154", "Harbour Migration", "in progress", "on hold"}


@pytest.mark.parametrize(
    ("old", "new", "lost"),
    [
        ("Ana Ruiz", "Ana", "Ana Ruiz"),
        ("Harbour Migration", "Harbour", "Harbour Migration"),
        ("bo.devries@corvane.example", "his address", "bo.devries@corvane.example"),
        ("CS-0001154", "CS-0001145", "CS-0001154"),
        ("who does what", "who did what", "Cutover: who does what"),
        ("22 January", "23 January", "22 january"),
        ("half an hour", "an hour", "half an hour"),
        ("seven", "a few", "7"),
        ("9,500", "9,000", "9,500"),
        ("at most", "about", "at most"),
    ],
)
def test_a_fact_that_is_lost_is_named(old, new, lost):
    assert FACTS.lost(REQUEST) is None and FACTS.added(REQUEST) is None
    assert FACTS.lost(REQUEST.replace(old, new)) == lost


@pytest.mark.parametrize(
    ("more", "added"),
    [
        (" Ask Nadia Berger.", "Nadia Berger"),
        (" Write to nadia@corvane.example.", "nadia@corvane.example"),
        (" It is about CS-0001155.", "CS-0001155"),
        (" Three of them sit.", "3"),
        (" Do it by Friday.", "friday"),
        (' Name it "Cutover".', None),
        (' Name it "Launch".', "Launch"),
        (" Ana has to sign.", None),
    ],
)
def test_a_fact_that_is_added_is_named(more, added):
    assert FACTS.added(f"{REQUEST}.{more}") == added


def test_the_signature_may_go():
    assert FACTS.lost(REQUEST.replace(" Thanks, Jerrold", "")) is None
    assert Facts(REQUEST).lost(REQUEST.replace(" Thanks, Jerrold", "")) == "Jerrold"


def test_other_forms_of_a_value_count():
    other = REQUEST.replace("22 January at 14:30", "January 22nd at 2:30 pm").replace("seven", "7")
    assert FACTS.lost(other.replace("Ana Ruiz", "Ruiz, Ana")) is None


def test_a_quotation_within_another_is_a_fact_of_its_own():
    facts = Facts("Start the chat 'Bike Shed' with a tab 'Board of Bike Shed' in it.")
    assert facts.lost("A tab 'Board of Bike Shed' goes into a new chat, 'Bike Shed'.") is None
    assert facts.lost("A tab 'Board of Bike Shed' goes into a new chat.") == "Bike Shed"
    assert Facts("Call it 'Away', and the mail 'Away'.").lost("Both are 'Away'.") is None
