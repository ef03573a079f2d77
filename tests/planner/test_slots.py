import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.plan.listed_values import MARKER
from eops_traj.planner.slots import Slots

ASKER = (
    "Be kind.\n\nYou act for Ana Ruiz (ana.ruiz@corvane.example). It is Monday, 5 January 2026, 09:00 UTC."
)
OWN = {
    "[name 1]": "Ana Ruiz",
    "[address 1]": "ana.ruiz@corvane.example",
    "[date 1]": "2026-01-05",
    "[date 1.1]": "Monday 5 January",
    "[date 1.2]": "5 January",
    "[time 1]": "09:00",
}


def slots_of(request):
    """Return the slots of a request, those of the asker and the words of names left out."""
    slots = Slots.of(ASKER, request).by_marker
    return {marker: slot.value for marker, slot in slots.items() if marker not in OWN and "." not in marker}


def marked(request):
    return Slots.of(ASKER, request).show(request, "marked")


def test_who_asks_and_the_day_come_first():
    slots = Slots.of(ASKER, "").by_marker
    assert {marker: slots[marker].value for marker in OWN} == OWN
    parts = {marker: slots[marker].value for marker in slots.keys() - OWN}
    assert parts == {
        "[name 1.1]": "Ana", "[name 1.2]": "Ruiz", "[name 1.8]": "ana-ruiz", "[name 1.9]": "ana.ruiz",
        "[address 1.1]": "Ana Ruiz", "[date 1.3]": "20260105", "[date 1.4]": "2026/01/05",
    }  # fmt: skip


@pytest.mark.parametrize(
    ("request_", "slots"),
    [
        ('Call it "At a glance" today.', {"[text 1]": "At a glance"}),
        ("It's 'Ana's list', isn't it? We don't 'mind'.", {"[text 1]": "Ana's list", "[text 2]": "mind"}),
        ("“Low battery” is INC-000071", {"[text 1]": "Low battery", "[code 1]": "INC-000071"}),
        ("Date: Wed, 20 Sep 2023 07:20:00 +0000; on 20 Sep 2023", {
            "[stamp 1]": "Wed, 20 Sep 2023 07:20:00 +0000", "[date 2]": "2023-09-20"}),
        ("by Jo.Park@CORVANE.example.", {"[address 2]": "jo.park@corvane.example"}),
        ("see https://a.example/x?id=7.", {"[link 1]": "https://a.example/x?id=7"}),
        ("on +1-646-555-5489, CV-MN-10111 and HRP00041", {
            "[phone 1]": "+1-646-555-5489", "[code 1]": "CV-MN-10111", "[code 2]": "HRP00041"}),
        ("at 2 pm, 14:30, 9:15 am and 12am", {
            "[time 2]": "14:00", "[time 3]": "14:30", "[time 4]": "09:15", "[time 5]": "00:00"}),
        (f"{'9' * 5000} is no number", {}),
        ("give it 90 minutes, 2.5 hours and 3 of 90", {
            "[number 1]": "90", "[number 2]": "2.5", "[number 3]": "3"}),
        ("for Silvan Ullmann of Service Desk and Support Tier 2 in Hall of Guilds.", {
            "[name 2]": "Silvan Ullmann", "[name 3]": "Service Desk", "[name 4]": "Support Tier 2",
            "[name 5]": "Hall of Guilds"}),
        ("for Silvan Ullmann and Jo Park, from Identity and Sign-on in January", {
            "[name 2]": "Silvan Ullmann", "[name 3]": "Jo Park", "[name 4]": "Identity and Sign-on"}),
        ("It is Jo Park's, in Alerts of Support Tier 2 and the Head’s; ask Macy's Team of the desk", {
            "[name 2]": "Jo Park", "[name 3]": "Alerts", "[name 4]": "Support Tier 2", "[name 5]": "Head",
            "[name 6]": "Macy's Team"}),
        ("Friday next week, not tomorrow", {"[date 2]": "2026-01-16", "[date 3]": "2026-01-06"}),
        ("On Tuesday 17 February Jo Park and I go. On 9 January I am out, and Jo Park is not", {
            "[date 2]": "2026-02-17", "[name 2]": "Jo Park", "[date 3]": "2026-01-09"}),
        ("with the Talent Team Friday, not in March 2026", {
            "[name 2]": "Talent Team", "[date 2]": "2026-01-09", "[number 1]": "2026"}),
        ("Take INC-000071 on. About Case INC-000072 ask Gateway 4", {
            "[code 1]": "INC-000071", "[name 2]": "Case", "[code 2]": "INC-000072", "[name 3]": "Gateway 4"}),
        ("serial 0-zero, ends in seven-four-one-ONE or nine two zero; one two, and one to one", {
            "[code 1]": "0-zero", "[code 2]": "7411", "[code 3]": "920"}),
        ("of moreno-motors.example, by relay3.corvane.example.", {
            "[link 1]": "moreno-motors.example", "[link 2]": "relay3.corvane.example"}),
        ("e.g. this, v1.2 at noon p.m. or mail.Thanks, a@b.example", {
            "[code 1]": "v1", "[address 2]": "a@b.example"}),
    ],
)  # fmt: skip
def test_values_become_slots_of_their_kind(request_, slots):
    assert slots_of(request_) == slots


@pytest.mark.parametrize(
    "request_",
    [
        "Please do it. Handle it as one. The list is long.",
        "I think that the HR wants SLAs in January, OK?",
        "Hi,\nNobody may.\n- Nothing else",
        "> Case closed?\n>\n> There is an archive. Archive it.",
    ],
)
def test_words_that_begin_sentences_are_no_names(request_):
    assert slots_of(request_) == {}


def test_a_name_at_the_beginning_of_a_sentence_is_one_where_it_is_told_apart():
    assert slots_of("Eugene Benson starts. Trello too, or is Trello gone?") == {
        "[name 2]": "Eugene Benson", "[name 3]": "Trello"}  # fmt: skip
    assert slots_of("The Talent Team asks. Invite Jo Park, and invite nobody else.") == {
        "[name 2]": "Talent Team", "[name 3]": "Jo Park"}  # fmt: skip
    told = "Jo Park (jo.park@corvane.example) starts, with Archive 2024. Archive that archive."
    assert slots_of(told) == {
        "[name 2]": "Jo Park",
        "[address 2]": "jo.park@corvane.example",
        "[name 3]": "Archive 2024",
    }


@pytest.mark.parametrize(
    ("request_", "names"),
    [
        ("Year End Report 2024.pdf goes. Year after year", ["Year End Report 2024.pdf"]),
        ("Lease.pdf goes. Copy Board Pack Q4.docx, then go", ["Lease.pdf", "Board Pack Q4.docx"]),
        ("in Forecast Q4 (draft) by Jo Park (manager)", ["Forecast Q4 (draft)", "Jo Park"]),
        ("for Postmortem 2025-10 Slow Search and Design v2", ["Postmortem 2025-10 Slow Search", "Design v2"]),
        ("for Board Pack 2025-10-06, Relay R3.5 and Jo Park.thanks", ["Board Pack", "Relay R3", "Jo Park"]),
    ],
)
def test_what_ends_like_a_file_is_a_name(request_, names):
    slots = slots_of(request_)
    assert [value for marker, value in slots.items() if marker.startswith("[name")] == names


def test_a_name_has_at_most_twelve_words():
    names = slots_of(f"for {' '.join(f'Word{letter}' for letter in 'abcdefghijklmn')}").values()
    assert [len(name.split()) for name in names] == [12, 2]


def test_words_of_the_policy_are_no_part_of_a_name():
    for policy, name in (("Who may promote others?", "Jo Park"), ("", "Promote Jo Park")):
        slots = Slots.of(f"{policy}\n\n{ASKER}", "Promote Jo Park now")
        assert slots.by_marker["[name 2]"].value == name


def test_the_same_value_is_one_slot_and_a_first_name_is_part_of_the_whole():
    assert marked("for Jo Park, so that Jo can tell jo.park@x.example: jo.park@x.example") == (
        "for [name 2], so that [name 2.1] can tell [address 2]: [address 2]"
    )
    assert marked("Ana asks, as Ana does").startswith("[name 1.1] asks, as [name 1.1]")


def test_a_day_can_be_told_as_people_say_it():
    slots = Slots.of(ASKER, "by Friday next week").by_marker
    assert slots["[date 2.1]"].value == "Friday 16 January" and slots["[date 2.2]"].value == "16 January"


@pytest.mark.parametrize(
    ("quotation", "around"),
    [
        ("Cases: N.", ["Cases: "]),
        ("N of X done", [" of ", " done"]),
        ("Plan: I go to Ana's B-2 and D'Arcy's", []),
        ("A plan: what I do: nothing", ["A plan"]),
        ("by chat: ...; late: ...", ["by chat: ", "; late: "]),
        ("nine " + "N, " * 9 + "too many", []),
        ("eight " + "N, " * 8 + "fit", ["eight ", *[", "] * 7, ", fit"]),
    ],
)
def test_what_stands_around_the_gaps_of_a_quotation_are_its_parts(quotation, around):
    slots = Slots.of(ASKER, f'Say "{quotation}" there.').by_marker
    parts = {marker: slot.value for marker, slot in slots.items() if marker.startswith("[text 1.")}
    assert list(parts.values()) == around


def test_numbers_and_what_they_stand_for_can_be_shown_together():
    shown = Slots.of(ASKER, "for Jo Park tomorrow").show("for Jo Park tomorrow", "numbered")
    assert shown == "for [name 2: Jo Park] [date 2: tomorrow]"


def test_a_text_that_looks_like_a_marker_is_a_value_itself():
    assert marked("file it under [name 1] and [x 12.3]") == "file it under [bracket 1] and [bracket 2]"


def test_without_a_day_today_no_day_is_resolved():
    assert Slots.of("", "tomorrow at 9:00").by_marker.keys() == {"[time 1]"}


@given(
    st.lists(st.sampled_from(["Jo Park", "'", '"', " ", "a@b.example", "7", "today", "[name 1]", ". ", "x"]))
)
def test_whatever_is_left_out_is_told_by_its_marker(parts):
    request = "".join(parts)
    slots = Slots.of(ASKER, request)
    for start, end, slot in slots.mentions(request):
        assert slots.by_marker[slot.marker] == slot
        assert slot.kind == "date" or request[start:end].lower() == slot.value.lower()
    assert all(match[0] in slots.by_marker for match in MARKER.finditer(slots.show(request, "marked")))
