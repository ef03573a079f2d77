"""What planners are told of results: true of what the tools answer, and enough for the gold plans."""

from collections import Counter

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import FormatError
from eops_traj.gym import registry
from eops_traj.gym.identity import default_caller
from eops_traj.gym.result_fields import (
    ANY_KEY,
    MORE,
    TEXT,
    has_field,
    learned,
    parse_fields,
    render_fields,
    result_fields,
)
from eops_traj.plan import decode, parse
from tests.gym.learn_results import READ, Kept, shape_of, shorten
from tests.gym.plausible import attempts
from tests.gym.used_fields import played_families, used_fields

SERVERS = pytest.mark.parametrize("name", registry.SERVERS)
NAMES = st.from_regex(r"[a-z]{1,4}", fullmatch=True)
FIELDS = st.recursive(
    st.none(), lambda inner: st.one_of(st.dictionaries(NAMES, inner), inner.map(lambda one: [one]))
)


def function(name, *arguments, description=""):
    properties = {argument: {"type": "string"} for argument in arguments}
    return {"function": {"name": name, "description": description, "parameters": {"properties": properties}}}


NOTHING_USED = Kept(frozenset(), Counter())


@given(FIELDS)
def test_fields_are_read_as_they_are_shown(fields):
    assert parse_fields(render_fields(fields)) == fields


@pytest.mark.parametrize("text", ["", "{a", "[{a}", "{a b}", "{a}}", "a", "{a: }", "text {a}"])
def test_what_is_no_fields_is_refused(text):
    with pytest.raises(FormatError):
        parse_fields(text)


def test_fields_are_found_through_lists_and_any_key():
    fields = parse_fields("{value: [{id, owner: {user: {id}}}], busy: {<key>: [{start}]}, tags: [], ...}")
    busy = ("busy", "ana@x.org")
    for shown in (("value",), ("value", "id"), ("value", "owner", "user", "id"), (*busy, "start"), ("tags",)):
        assert has_field(fields, shown), shown
    for missing in (
        ("id",),
        ("value", "name"),
        ("value", "owner", "id"),
        (*busy, "end"),
        ("tags", "id"),
        ("...",),
    ):
        assert not has_field(fields, missing), missing


@SERVERS
def test_every_tool_has_its_fields_and_no_other_has(name):
    assert list(learned(name)) == list(registry.server(name).tools), "run python -m tests.gym.learn_results"
    for tool, text in learned(name).items():
        assert render_fields(parse_fields(text)) == text, tool
        assert len(text) <= READ + 40, tool  # what plans use stays, however long


@SERVERS
def test_a_tool_answers_with_the_fields_that_are_told(name):
    """All of an answer is told, unless some is left out; and a statement's columns are always there."""
    seen = 0
    for tool in registry.server(name).tools.values():
        fields, answer = parse_fields(learned(name)[tool.name]), first_answer(registry.server(name), tool)
        if answer is None:
            continue  # nothing but empty ones: find_user wants a full name
        seen += 1
        told, found = (one[0] if isinstance(one, list) else one for one in (fields, shape_of(answer)))
        assert isinstance(fields, list) == isinstance(answer, list), tool.name
        assert isinstance(told, dict) == isinstance(found, dict), tool.name
        if isinstance(told, dict):
            worth_telling = shorten(found, 10**6, NOTHING_USED)
            assert MORE in told or ANY_KEY in told or worth_telling.keys() <= told.keys(), tool.name
            leaves_out = name == "drive"  # what is null there is not in the answer
            if tool.statement and not tool.formatter and not leaves_out:
                assert told.keys() - {MORE} <= found.keys(), tool.name
    assert seen >= 0.95 * len(learned(name))


def first_answer(server, tool):
    """The first answer that is no error and not empty; None where no guess gets one."""
    database = server.template().open()
    caller = default_caller(server, database)
    replies = (server.call(database, tool.name, given, caller) for given in attempts(server, tool, database))
    answers = (decode(reply.text) for reply in replies if not reply.is_error)
    found = next((answer for answer in answers if answer not in ([], {})), None)
    database.close()
    return found


def test_gold_plans_use_only_fields_that_are_told():
    """Some families of every domain; learn_results plays them all."""
    missing = set()
    for played in played_families(draws=1, company=0, every=7):
        for tool, field in used_fields(played.plan):
            fields = parse_fields(learned(played.owner(tool))[tool])
            if field[:1] != ("error",) and not has_field(fields, field):  # of a refusal: told for all
                missing.add(f"{played.owner(tool)}.{tool}: {'.'.join(field)} ({played.family})")
    assert not missing, "run python -m tests.gym.learn_results"


def test_the_fields_that_a_plan_uses():
    plan = parse(
        '1. list_cases(state="open")\n'
        '2. find_user(email="{$1.cases[number=$1.first].owner.email}")\n'
        '3. for $1.cases[*sla.stage in ["x"]]: when $row.a == 1: get_task(id=$row.task.id, u=$2.id)\n'
        '4. require(count($3[*state="new"]) == 0)\n'
        "5. close(id=$1.cases[max(opened.at)].id, names=join($3[*].name, $2.mark))\n"
        '6. invite(to=concat([$2.email], each($1.cases[*].watchers, {"id": $item.user})))'
    )
    of_cases = "number owner.email sla.stage a task.id opened.at id watchers watchers.user"
    used = {f"{tool}: {'.'.join(field)}" for tool, field in used_fields(plan)}
    assert used == {
        "list_cases: first", "list_cases: cases", *(f"list_cases: cases.{name}" for name in of_cases.split()),
        "find_user: id", "find_user: mark", "find_user: email", "get_task: state", "get_task: ",
        "get_task: name",
    }  # fmt: skip


def test_a_tool_is_told_by_its_arguments_where_servers_share_a_name():
    for name in ("csm", "itsm", "teams"):
        tool = registry.server(name).tools["list_users"]
        shown = function("list_users", *(a.name for a in tool.arguments), description=tool.description)
        assert result_fields(shown) == learned(name)["list_users"], name
    assert learned("csm")["list_users"] != learned("itsm")["list_users"]


def test_what_the_gym_does_not_have_shows_nothing():
    assert result_fields(function("fly")) == ""
    assert result_fields({"function": {"name": "fly"}}) == ""
    assert result_fields(function("find_user", "name")) == learned("csm")["find_user"]
    assert result_fields(function("find_user", "name", "planet")) == ""  # of another's server


def test_a_tool_without_a_result_answers_with_text():
    assert learned("teams")["delete_user"] == TEXT
