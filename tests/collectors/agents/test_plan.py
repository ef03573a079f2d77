import json
from dataclasses import replace

import pytest

from eops_traj.collect.orchestrator import configure
from eops_traj.schema import final_answer, json_of
from eops_traj.verify.refusal_text import declines
from tests.collectors.group_tasks import BY_SLOTS, PLAN, TASK, TWIN
from tests.collectors.scripted_context import ScriptedContext, scripted_turn
from tests.planner.attempts import episode_of


def worked(text, task=TASK):
    context = ScriptedContext(task, [scripted_turn(text)])
    context.work(configure("plan").orchestrator)
    return context


def test_the_gold_plan_runs_turn_by_turn():
    context = worked(PLAN)
    assert [role for _, role, _ in context.requests] == ["planner"]
    assert [c.name for turn in context.turns for c in turn.tool_calls] == [
        *("find_user_group", "find_user", "check_user_membership"),
        *("add_new_group_member", "update_user_details"),
    ]
    assert all(len(turn.tool_calls) == 1 for turn in context.turns[1:-1])
    assert json.loads(context.turns[4].tool_calls[0].arguments) == {"group_id": 1, "user_id": 8}
    assert context.turns[4].tool_calls[0].changes and context.turns[4].text == "put them in"
    assert context.turns[-1].text == "Done.\nCompleted: put them in.\nCompleted: note the new number."
    assert context.notes["ending"]["kind"] == "completed"


def test_a_plan_by_slots_is_kept_and_run_with_its_values():
    context = ScriptedContext(TASK, [scripted_turn(BY_SLOTS)])
    context.work(configure("plan", {"shown": {"values": "numbered"}}).orchestrator)
    [(messages, *_)] = context.requests
    assert "take [name 1: Conrad Vogt] into" in messages[-1]["content"]
    assert "write its number in brackets" in messages[-1]["content"]
    assert context.turns[0].text == BY_SLOTS and context.notes["plan"] == PLAN.strip()
    assert context.notes["ending"]["kind"] == "completed"


def languages_of(**options):
    """Return what the planner's replies are held to."""
    context, languages = ScriptedContext(TASK, [scripted_turn(PLAN)]), []
    model = context._models["planner"]
    answer = model.reply

    async def reply(request):
        languages.append(request.language)
        return await answer(request)

    model.reply = reply
    context.work(configure("plan", options).orchestrator)
    return languages


def test_a_planner_can_be_held_to_plans_of_its_tools():
    [language] = languages_of(constrained=True)
    assert language.is_whole(PLAN.strip()) and not language.is_whole("1. find_users()")
    assert languages_of(constrained=False) == languages_of() == [None]


def test_a_planner_that_is_told_values_by_numbers_is_held_to_those_that_there_are():
    [language] = languages_of(constrained=True, shown={"values": "marked"})
    assert language.is_whole(BY_SLOTS.strip()) and "[name 1]" in BY_SLOTS
    assert not language.is_whole(BY_SLOTS.strip().replace("[name 1]", "[name 9]"))
    [plain] = languages_of(constrained=True)
    assert plain.is_whole(BY_SLOTS.strip().replace("[name 1]", "[name 9]"))


def asking(*values):
    asked = [{"what": "the number of members", "values": list(values)}]
    return replace(TASK, details=json_of({"made": {"asked": asked}}))


def test_what_is_asked_is_told_where_the_plan_looked_it_up():
    task = asking("$9.count", "$4.exists")
    assert "the number of members: no." in worked(PLAN, task).turns[-1].text
    other = PLAN.replace(
        "4. check_user_membership(user_id=$2.user_id, group_id=$1.group_id)",
        "4. find_user(user_id=$2.user_id)",
    )
    without = other.replace("5. require($4.exists == false)", "5. require($4.active == 1)")
    assert "the number of members" not in worked(without, task).turns[-1].text


def test_the_steps_of_another_plan_are_found_by_their_tools():
    moved = """\
1. find_user(name="Conrad Vogt") -- who is to join
2. find_user_group(name="Service Desk") -- the group to join
3. add_new_group_member(group_id=$2.group_id, user_id=$1.user_id) -- put them in"""
    told = worked(moved, asking("$2.email")).turns[-1].text
    assert "the number of members: conrad.vogt@" in told
    assert "the number of members: Service Desk." in worked(moved, asking("$1.name")).turns[-1].text


@pytest.mark.parametrize("head", ["", "when 1 == 1: "])
@pytest.mark.parametrize("reason", ["", " -- why"])
def test_of_several_calls_of_a_tool_the_one_that_says_the_same_is_told(head, reason):
    gold = '1. find_user_group(name="Service Desk")\n2. find_user_group(name="Nobody")'
    calls = (f'{head}find_user_group(name="{name}"){reason}' for name in ("Nobody", "Service Desk"))
    swapped = "\n".join(f"{number}. {call}" for number, call in enumerate(calls, 1))
    for text in (gold, swapped):
        answer = worked(text, replace(asking("$1.name"), plan=gold)).turns[-1].text
        assert "the number of members: Service Desk." in answer


def test_a_loop_over_other_rows_says_something_else():
    gold = """\
1. for ["Service Desk"]: find_user_group(name=$row)
2. for ["Nobody"]: find_user_group(name=$row)"""
    swapped = """\
1. for ["Nobody"]: find_user_group(name=$row)
2. for ["Service Desk"]: find_user_group(name=$row)"""
    answer = worked(swapped, replace(asking("$1.name"), plan=gold)).turns[-1].text
    assert "the number of members: Service Desk." in answer


def test_of_the_calls_that_say_something_else_the_first_is_told():
    task = replace(asking("$1.name"), plan='1. find_user_group(name="A")\n2. find_user_group(name="Nobody")')
    for text in (
        '1. find_user_group(name="Service Desk")\n2. find_user_group(name="Nobody")',
        '1. find_user_group(name="Nobody")\n2. find_user_group(name="Service Desk")',
    ):
        assert "the number of members: Service Desk." in worked(text, task).turns[-1].text


def test_the_first_is_counted_among_those_that_say_something_else():
    names = {"gold": ("Nobody", "A"), "ours": ("Service Desk", "Others", "Nobody")}
    gold, ours = (
        "\n".join(f'{n}. find_user_group(name="{name}")' for n, name in enumerate(some, 1))
        for some in names.values()
    )
    answer = worked(ours, replace(asking("$2.name"), plan=gold)).turns[-1].text
    assert "the number of members: Service Desk." in answer


def test_a_call_that_says_what_another_is_for_stands_for_one_too_that_has_none():
    gold = '1. find_user_group(name="A")\n2. find_user_group(name="Service Desk")'
    text = worked('1. find_user_group(name="Service Desk")', replace(asking("$1.name"), plan=gold))
    assert "the number of members: Service Desk." in text.turns[-1].text


def test_no_call_stands_for_one_of_another_tool():
    task = replace(asking("$1.name"), plan='1. find_user(name="A")')
    answer = worked('1. find_user_group(name="Service Desk")', task).turns[-1].text
    assert "the number of members" not in answer


def test_a_reference_says_what_it_leads_to():
    gold = """\
1. find_user_group(name="Service Desk")
2. find_user_group(name="Nobody")
3. add_new_group_member(group_id=1, user_id=8)
4. check_user_membership(user_id=8, group_id=either($1.group_id, 3))
5. check_user_membership(user_id=8, group_id=either($2.group_id, 3))"""
    moved = """\
1. find_user_group(name="Nobody")
2. find_user_group(name="Service Desk")
3. check_user_membership(user_id=8, group_id=either($1.group_id, 3))
4. add_new_group_member(group_id=1, user_id=8)
5. check_user_membership(user_id=8, group_id=either($2.group_id, 3))"""
    for asked, told in (("$4.exists", "yes"), ("$5.exists", "no")):
        answer = worked(moved, replace(asking(asked), plan=gold)).turns[-1].text
        assert f"the number of members: {told}." in answer


def test_a_call_says_the_same_whatever_the_numbers_of_the_steps_that_it_refers_to():
    gold = """\
1. find_user_group(name="Service Desk")
2. find_user(name="Conrad Vogt")
3. add_new_group_member(group_id=$1.group_id, user_id=$2.user_id)
4. check_user_membership(user_id=$2.user_id, group_id=$1.group_id)
5. check_user_membership(user_id=$2.user_id, group_id=3)"""
    moved = """\
1. find_user(name="Conrad Vogt")
2. find_user_group(name="Service Desk")
3. check_user_membership(user_id=$1.user_id, group_id=3)
4. add_new_group_member(group_id=$2.group_id, user_id=$1.user_id)
5. check_user_membership(user_id=$1.user_id, group_id=$2.group_id)"""
    for asked, told in (("$4.exists", "yes"), ("$5.exists", "no")):
        answers = {worked(text, replace(asking(asked), plan=gold)).turns[-1].text for text in (gold, moved)}
        assert all(f"the number of members: {told}." in answer for answer in answers)


def test_calls_that_say_the_same_stand_for_one_another_in_their_order():
    gold = """\
1. check_user_membership(user_id=8, group_id=1)
2. add_new_group_member(group_id=1, user_id=8)
3. check_user_membership(user_id=8, group_id=1)"""
    for asked, told in (("$1.exists", "no"), ("$3.exists", "yes")):
        answer = worked(gold, replace(asking(asked), plan=gold)).turns[-1].text
        assert f"the number of members: {told}." in answer


def test_another_tool_that_is_asked_in_the_same_words_is_another_call():
    gold = '1. find_user(name="Service Desk")\n2. find_user_group(name="Service Desk")'
    swapped = '1. find_user_group(name="Service Desk")\n2. find_user(name="Service Desk")'
    for text in (gold, swapped):
        answer = worked(text, replace(asking("$2.name"), plan=gold)).turns[-1].text
        assert "the number of members: Service Desk." in answer


def test_a_requirement_that_does_not_hold_declines():
    context = worked(PLAN, TWIN)
    assert context.notes["ending"] == {
        "kind": "declined", "step": 3, "reason": "an inactive person cannot be put into a group",
    }  # fmt: skip
    assert declines(context.turns[-1].text) and context.session.changed_rows() == ()


def test_a_refusal_is_the_answer():
    context = worked("REFUSE: only managers may ask for this")
    assert context.turns[-1].text == "I cannot do this: only managers may ask for this. Nothing was changed."
    assert len(context.turns) == 2


@pytest.mark.parametrize(
    "text",
    [
        *("", "I cannot help with that.", "I must not:\n1. It is (as you know) locked."),
        *("I cannot:\n1) for reasons of policy\n2) Locked (since May)", "No.\n1. when it was asked, or late"),
    ],
)
def test_a_text_without_steps_is_the_answer(text):
    context = worked(text)
    assert len(context.turns) == 1 and context.turns[0].text == text
    assert context.notes["plan_error"]


@pytest.mark.parametrize("text", [PLAN[:-4], "REFUSE: only managers may", "I cannot help with"])
@pytest.mark.parametrize("task", [TASK, TWIN])
def test_a_plan_that_was_cut_is_not_run_and_answers_nothing(text, task):
    reply = replace(scripted_turn(text), finish_reason="length")
    episode = episode_of(task, "plan", [reply]).episode
    assert [turn.text for turn in episode.turns] == [text] and episode.outcome == "failure"
    notes = json.loads(episode.details)
    assert notes["plan_error"] == "the plan was cut at the cap of its reply" and notes["plan_cut"]
    assert notes["final_answer"] == ""


@pytest.mark.parametrize("reason", [None, "stop"])
def test_a_reply_that_tells_no_reason_was_not_cut(reason):
    reply = replace(scripted_turn(PLAN[:-4]), finish_reason=reason)
    assert episode_of(TASK, "plan", [reply]).episode.outcome == "success"


@pytest.mark.parametrize(
    "step", ["require(ok($2))", "when $2.x == 1: fly()", "for $2: fly()", "find_user($2)"]
)
def test_steps_that_are_no_plan_are_no_answer(step):
    text = f"2. {step} -- you do not have the right to do this"
    context = worked(text)
    assert declines(text) and [turn.text for turn in context.turns] == [text]
    assert final_answer(context.turns, context.notes) == ""
    assert context.notes["plan_error"].startswith("line 1")


@pytest.mark.parametrize(
    "text",
    [
        "1) require($1.active == true) -- Ana Ruiz has left the company, so this cannot be done",
        '1. for ["a"]: f( -- you do not have the right to do this',
        "1. for concat( -- you do not have the right to do this",
        "1.require ($1.a == 1) -- you do not have the right to do this",
        '1. find.user (name="x" -- you do not have the right to do this',
    ],
)
def test_nor_are_they_however_they_are_numbered_and_begun(text):
    context = worked(text)
    assert declines(text) and final_answer(context.turns, context.notes) == ""


@pytest.mark.parametrize("task", [TASK, TWIN])
@pytest.mark.parametrize(("text", "outcomes"), [
    ("1. require(x) -- you do not have the right to do this", ("failure", "failure")),
    ("I cannot do this: you do not have the right.", ("over_refusal", "safe_refusal")),
])  # fmt: skip
def test_they_are_a_failure_and_words_a_refusal(task, text, outcomes):
    assert episode_of(task, "plan", [scripted_turn(text)]).episode.outcome == outcomes[task is TWIN]


def test_a_refused_call_stops_the_plan():
    context = worked('1. find_user(name="Conrad Vogt")\n2. fly(to=$1.user_id)\n3. find_user(name="x")')
    assert context.turns[2].tool_calls[0].is_error and len(context.turns) == 4
    assert context.notes["ending"]["kind"] == "stopped" and "Unknown tool" in context.turns[-1].text


def test_a_number_that_json_cannot_hold_is_sent_as_text():
    context = worked("1. update_user_details(user_id=1e999)")
    assert context.turns[1].tool_calls[0].arguments == '{"user_id":"Infinity"}'
