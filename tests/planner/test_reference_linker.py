"""Literals become references where an earlier result taught them, and nowhere else."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.plan import Plan, Step, parse, references, render, resolve, resolve_ref
from eops_traj.planner.mentioned_values import MentionedValues
from eops_traj.planner.reference_linker import ReferenceLinker, listed_choices
from eops_traj.schema import Json, ToolCall

CSM = "sn-csm-server"
TOLD = MentionedValues(
    "Give the Legal case to Ana Ruiz.", "The state is `open` or `closed`; a priority is `low` or `high`."
)
PEOPLE = [
    {"user_id": 7, "name": "Bram Mol", "login": "u-1007"},
    {"user_id": 8, "name": "Ana Ruiz", "login": "u-1008"},
]


def linked(*calls, mentioned=TOLD, server=CSM, schemas=None):
    """The calls, each with its result, as lines of a plan; every reference finds what the literal was."""
    linker, results, lines = ReferenceLinker(mentioned, schemas or {}), {}, []
    for number, (name, arguments, result) in enumerate(calls, 1):
        call = ToolCall(id="c", name=name, arguments=Json("{}"), server=server, result=json.dumps(result))
        linked_arguments = linker.link(number, call, arguments)
        assert {key: resolve(value, results) for key, value in linked_arguments.items()} == arguments
        results[number] = result
        lines.append(Step(name, linked_arguments))
    plan = Plan(tuple(lines))
    assert parse(render(plan)) == plan
    return [str(line) for line in lines]


def last(arguments, *results, **options):
    return linked(*((f"find_{n}", {}, r) for n, r in enumerate(results)), ("act", arguments, {}), **options)[
        -1
    ]


@pytest.mark.parametrize(
    ("arguments", "line"),
    [
        ({"user_id": 8}, 'act(user_id=$1[name="Ana Ruiz"].user_id)'),
        ({"assigned_to": 8}, 'act(assigned_to=$1[name="Ana Ruiz"].user_id)'),
        ({"members": ["u-1008"]}, 'act(members=[$1[name="Ana Ruiz"].login])'),
        ({"where": {"login": "u-1007"}}, 'act(where={"login": $1[0].login})'),
        ({"note": "It is u-1008 now."}, 'act(note="It is {$1[name=\\"Ana Ruiz\\"].login} now.")'),
        ({"note": "It is u-1008s now."}, 'act(note="It is u-1008s now.")'),
        ({"case_id": 8}, "act(case_id=8)"),
        ({"count": 8}, "act(count=8)"),
        ({"name": "Ana Ruiz"}, 'act(name="Ana Ruiz")'),
        ({"active": True, "what": None, "empty": ""}, 'act(active=true, what=null, empty="")'),
    ],
)
def test_what_a_list_of_people_taught(arguments, line):
    assert last(arguments, PEOPLE) == line


@pytest.mark.parametrize(
    ("element", "line"),
    [
        ([{"id": "x-77777"}], "$1[0].id"),
        ([{"id": "x-11111"}, {"id": "x-77777", "title": "Legal case"}], '$1[title="Legal case"].id'),
        (
            [{"id": "x-11111"}, {"id": "x-77777", "owner": {"name": "Ana Ruiz"}}],
            '$1[owner.name="Ana Ruiz"].id',
        ),
        (
            [{"id": "x-11111", "isPrimary": False}, {"id": "x-77777", "isPrimary": True}],
            "$1[isPrimary=true].id",
        ),
        ([{"id": "x-11111", "state": "open"}, {"id": "x-77777", "state": "closed"}], '$1[state="closed"].id'),
        (
            [
                {"id": "x-11111", "state": "open", "priority": "low"},
                {"id": "x-22222", "state": "closed", "priority": "high"},
                {"id": "x-77777", "state": "open", "priority": "high"},
            ],
            '$1[state="open", priority="high"].id',
        ),
        ([{"id": "x-77777"}, {"id": "x-11111"}], "$1[0].id"),
        ([{"id": "x-11111"}, {"id": "x-77777"}], "$1[1].id"),
        ([{"id": "x-11111", "title": "Legal case"}, {"id": "x-77777", "title": "Legal case"}], "$1[1].id"),
    ],
)
def test_how_an_element_is_told_from_the_others(element, line):
    assert last({"id": "x-77777"}, element) == f"act(id={line})"


def test_an_element_is_told_by_what_another_result_has():
    slas = [{"sla_id": 3, "case_id": 41}, {"sla_id": 4, "case_id": 42}]
    assert last({"sla_id": 4}, {"case_id": 42}, slas) == "act(sla_id=$2[case_id=$1.case_id].sla_id)"


def test_numbers_of_other_kinds_of_record_are_no_source():
    linked_arguments = last({"contact_id": 5, "account_id": 5}, {"case_id": 5, "account_id": 5})
    assert linked_arguments == "act(contact_id=5, account_id=$1.account_id)"


def test_a_number_that_is_wanted_as_text_is_put_into_one():
    assert last({"case_id": "41"}, {"case_id": 41}) == 'act(case_id="{$1.case_id}")'


@pytest.mark.parametrize("digits", [21, 309, 4301])
def test_a_text_of_endless_digits_is_no_number(digits):
    """A model that loops writes one: it stays a literal, or refers to the text that an earlier result has."""
    looped = digits * "1"
    assert last({"user_id": looped}, PEOPLE) == f'act(user_id="{looped}")'
    assert last({"user_id": looped}, {"user_id": looped}) == "act(user_id=$1.user_id)"


def test_a_result_that_repeats_its_call_taught_nothing():
    linked_arguments = linked(
        ("find_case", {"number": "CS-1"}, {"case_id": 41, "owner": "o-12345"}),
        ("get_owner", {"owner": "o-12345"}, {"owner": "o-12345"}),
        ("act", {"owner": "o-12345"}, {}),
    )
    assert linked_arguments[1:] == ["get_owner(owner=$1.owner)", "act(owner=$1.owner)"]


def test_of_several_places_the_record_that_the_call_is_about_is_nearest():
    files = {"id": "f-12345", "parent": "p-12345"}
    linked_arguments = last(
        {"id": "f-12345", "remove": "p-12345"}, files, {"id": "f-99999", "parent": "p-12345"}
    )
    assert linked_arguments == "act(id=$1.id, remove=$1.parent)"


def test_else_the_latest_is():
    assert (
        last({"parent": "p-12345"}, {"parent": "p-12345"}, {"parent": "p-12345"}) == "act(parent=$2.parent)"
    )


def test_what_the_agent_worded_itself_stays_its_own():
    own = {"title": "All about it", "at": "2026-02-03T10:00:00"}
    linked_arguments = linked(("write", own, {"id": "w-12345", **own}), ("write", own, {}))
    assert (
        linked_arguments[0] == linked_arguments[1] == 'write(title="All about it", at="2026-02-03T10:00:00")'
    )


def test_a_time_that_a_clock_gave_was_learnt():
    stamp = {"sys_updated_on": "2026-01-05 09:00:07"}
    assert last({"closed_on": "2026-01-05 09:00:07"}, stamp) == "act(closed_on=$1.sys_updated_on)"
    day = {"due": "2026-02-03"}
    assert last({"due": "2026-02-03"}, day) == "act(due=$1.due)"
    assert last({"end": "2026-02-03"}, day) == 'act(end="2026-02-03")'
    assert (
        last({"due": "2026-02-03"}, day, mentioned=MentionedValues("On 3 February."))
        == 'act(due="2026-02-03")'
    )


def test_words_of_the_schema_stay():
    schema = {
        "properties": {"role": {"enum": ["Team Lead", None]}, "zone": {"description": "One of: A/B, C/D."}}
    }
    assert listed_choices(schema) == {"Team Lead", "A/B", "C/D"}
    linked_arguments = {"role": "Team Lead", "zone": "Europe/Oslo"}
    assert (
        last(linked_arguments, linked_arguments, schemas={"act": schema})
        == 'act(role="Team Lead", zone=$1.zone)'
    )


def test_results_that_are_no_json_are_one_value():
    call = ToolCall(id="c", name="make", arguments=Json("{}"), result="made r-123456")
    linker = ReferenceLinker(TOLD, {})
    linker.link(1, call, {})
    linked_arguments = linker.link(2, call, {"id": "r-123456", "text": "made r-123456"})
    assert list(references(linked_arguments["text"])) and linked_arguments["id"] == "r-123456"
    assert resolve_ref(linked_arguments["text"], {1: "made r-123456"}) == "made r-123456"


NAMES = st.sampled_from(["id", "user_id", "title", "is_primary", "a b", "to"])
VALUES = st.sampled_from(
    [7, 2048, "x-12345", 'say "{$1}"', "Ana Ruiz", "open", "a@b.example", True, None, 1.5, "41"]
)
DATA = st.recursive(
    VALUES,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(NAMES, inner, max_size=3),
    max_leaves=12,
)
GIVEN = st.dictionaries(
    st.sampled_from(["id", "user_id", "note", "to"]), DATA | st.just("of x-12345 to a@b.example")
)


@given(st.lists(st.tuples(GIVEN, DATA), max_size=4))
def test_every_reference_finds_exactly_what_stood_there(calls):
    """`linked` resolves each step's arguments, and reads the plan's text back."""
    linked(*(("act", arguments, result) for arguments, result in calls), ("act", {"id": "x-12345"}, {}))
