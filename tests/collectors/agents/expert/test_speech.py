"""The expert speaks like an agent: about what it saw, without repeating itself, and in whole sentences."""

import re
from random import Random

import pytest

from eops_traj.collectors.agents.expert import phrases
from eops_traj.collectors.agents.expert.observations import of_requirement, of_result
from eops_traj.collectors.agents.expert.remedies import remedy
from eops_traj.collectors.agents.expert.reports import Deed, report
from eops_traj.collectors.agents.expert.tool_words import action, past, tool_phrase
from eops_traj.plan import Step, parse
from eops_traj.verify.refusal_text import declines
from eops_traj.verify.reported_work import announces

PLAN = parse(
    '1. find_group(name="Blue")\n'
    "2. require(ok($1)) -- there is no group\n"
    "3. require($1.state == \"open\") -- it is not open\n"
    '4. require(count($1.people[*name="Ana Ruiz"]) == 1) -- there is not exactly one Ana Ruiz\n'
    "5. require($1.active == 1) -- it is gone\n"
    '6. require($1.role in ["owner"]) -- the role is too low'
)  # fmt: skip
GROUP = {
    "name": "Blue",
    "state": "in_progress",
    "people": [{"name": "Ana Ruiz"}],
    "active": 1,
    "role": "guest",
}


def every(say, draws=60):
    return {say(Random(draw)) for draw in range(draws)}


@pytest.mark.parametrize(
    ("tool", "reason", "writes", "said", "done"),
    [
        ("update_case", "CS-1 is closed", True, "update the case", "updated the case"),
        ("send_notification", "tell the contact", True, "tell the contact", "told the contact"),
        ("create_channel", "the channel Blue", True, "create the channel Blue", "created the channel Blue"),
        ("create_event", "plan Review", True, "plan Review", "planned Review"),
        ("update_team", "the new name", True, "set the new name", "set the new name"),
        ("find_user_by_email", "who asks, and in what role", False, "see who asks, and in what role", None),
        ("list_teams", "the team that hears of it", False, "look up the team that hears of it", None),
        ("check_user_membership", "work goes to members only", False, "check the user membership", None),
    ],
)
def test_what_a_call_is_for_is_put_as_an_action(tool, reason, writes, said, done):
    assert action(tool, reason, writes) == said
    assert done is None or past(said) == done


def test_tools_are_named_in_words():
    assert tool_phrase("batch_modify_messages") == "change the messages"
    assert tool_phrase("getUserByName") == "look up the user"


@pytest.mark.parametrize(
    ("number", "facts"),
    [
        (2, "Blue"),
        (3, "Blue.*in progress"),
        (4, "Ana Ruiz"),
        (5, "Blue.*(active|not closed)"),
        (6, "Blue.*guest"),
    ],
)
def test_what_a_requirement_found_is_said_with_the_record_and_the_value(number, facts):
    said = every(lambda rng: of_requirement(rng, PLAN.steps[number - 1], PLAN, {1: GROUP}))
    assert len(said) > 1 and all(re.search(facts, clause) for clause in said)


def test_of_what_was_never_seen_nothing_is_said():
    assert every(lambda rng: of_requirement(rng, PLAN.steps[2], PLAN, {})) == {None}
    assert every(lambda rng: of_result(rng, Step("get_user", {}), {"id": "a8", "flags": {}})) == {None}


def test_results_are_put_in_words():
    look = Step("search_cases", {})
    assert all(
        "CS-7" in said
        for said in every(lambda rng: of_result(rng, look, [{"number": "CS-7", "state": "new"}]))
    )
    assert all("2 " in said for said in every(lambda rng: of_result(rng, look, {"items": [{}, {}]})))


def test_a_report_says_each_deed_once_names_the_records_and_tells_what_was_asked():
    deeds = [
        Deed("update_case", "CS-1 is closed", ["CS-1"]),
        *(Deed("send_message", "tell them", [name]) for name in "ab"),
        Deed("create_team", "the team Blue", ["t-9"]),
    ]
    for answer in every(
        lambda rng: report(rng, deeds, [("the id of the team", "t-9"), ("who owns it", "Ana")])
    ):
        assert (
            answer.count("CS-1") == 1
            and answer.count("told them") == 1
            and "told them twice (a, b)" in answer
        )
        assert "The id of the team is t-9." in answer and "Who owns it: Ana." in answer and "(t-9)" in answer
        assert not declines(answer) and answer[-1] == "."


def test_days_are_said_as_people_say_them():
    review, talk = ["Review", "2026-01-13T09:30:00+01:00", "2026-01-13T10:15:00"], ["Talk", "2026-02-30"]
    deeds = [Deed("create_event", "plan it", review), Deed("create_event", "plan it", talk)]
    said = "planned it twice (Review, 13 January 2026, 09:30 to 10:15; Talk, 2026-02-30)"
    assert all(said in answer for answer in every(lambda rng: report(rng, deeds, [])))


def test_openings_differ_and_are_often_none():
    said = [phrases.before(Random(n), "it is open", "tell the contact", True, True) for n in range(400)]
    assert 100 < said.count("") < 240 and len(set(said)) > 12
    assert all("Checking" not in text for text in said)


@pytest.mark.parametrize(
    "do", ["tell the contact", "see who asks, and in what role", "create the team Blue", ""]
)
def test_to_break_off_is_to_announce_to_ask_or_to_say_nothing(do):
    said = every(lambda rng: phrases.break_off(rng, do), 300)
    assert len(said) == 9 and all(not text or announces(text) or declines(text) for text in said)


@pytest.mark.parametrize(
    ("number", "results", "words"),
    [
        (None, {}, "part|without it"),
        (2, {}, "name"),
        (4, {1: GROUP | {"people": [{"name": "Ana Ruiz"}] * 2}}, "address"),
        (4, {1: GROUP | {"people": []}}, "name"),
        (5, {1: GROUP}, "active"),
        (6, {1: GROUP}, "right"),
        (3, {1: GROUP}, "different|changed|changes"),
    ],
)
def test_a_refusal_says_what_would_make_it_possible(number, results, words):
    step = PLAN.steps[number - 1] if number else None
    said = every(lambda rng: remedy(rng, step, results, ["itsm"]), 30)
    assert len(said) > 1 and all(re.search(words, sentence) for sentence in said)
    assert all(
        declines(phrases.decline(Random(n), "it is gone", sentence)) for n in range(30) for sentence in said
    )


def test_where_no_policy_asks_for_it_it_is_said_now_and_then():
    said = [remedy(Random(n), None, {}, ["csm"]) for n in range(40)]
    assert 8 < said.count("") < 32
