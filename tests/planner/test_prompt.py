import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from eops_traj.errors import ConfigError, UnknownName
from eops_traj.gym import registry
from eops_traj.llm.prompts import render
from eops_traj.plan import parse
from eops_traj.plan.functions import FUNCTIONS, SPECIAL
from eops_traj.plan.listed_values import MARKER
from eops_traj.planner.prompt import PlannerView, planner_messages, shorten_policy
from tests.collectors.group_tasks import TASK

ASKER = "You act for Ana Ruiz (ana.ruiz@corvane.example). It is Monday, 5 January 2026, 09:00 UTC."
TOOLS = [
    {"type": "function", "function": {"name": "find", "description": "Find one.", "parameters": {
        "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}},
    {"type": "function", "function": {"name": "list_all"}},
]  # fmt: skip


def messages(**options):
    return planner_messages("Be kind.", "Find Ana.", TOOLS, PlannerView(**options))


def test_a_planner_is_shown_policy_tools_and_request():
    system, user = messages()
    assert system == {"role": "system", "content": "Be kind."} and user["role"] == "user"
    assert "\nfind(id: integer) -- Find one.\nlist_all()\n" in user["content"]
    assert user["content"].endswith("\nFind Ana.")


def test_tools_can_be_named_or_left_out():
    assert "\nfind\nlist_all\n" in messages(tools="names")[1]["content"]
    assert "find" not in messages(tools="none")[1]["content"].replace("find_", "")
    assert messages(tools="none", prompt="plan_short")[1]["content"] == "Find Ana."
    assert messages(tools="names", prompt="plan_short")[1]["content"] == "Find Ana.\n\nfind\nlist_all\n"


def gym_tool(name, server="csm"):
    tool = registry.server(server).tools[name]
    function = {"name": name, "description": tool.description, "parameters": tool.input_schema}
    return {"type": "function", "function": function}


def test_a_signature_tells_the_fields_of_the_result():
    view, tools = PlannerView(), [gym_tool("find_user_group"), *TOOLS]
    [*_, user] = planner_messages("", "Find Ana.", tools, view)
    assert "find_user_group(name: string) -> {group_id, name, type, active} -- Look a" in user["content"]
    assert "\nfind(id: integer) -- Find one.\n" in user["content"]  # of another's server
    for hidden in (PlannerView(results=False), PlannerView(tools="names"), PlannerView(tools="none")):
        assert "group_id, name" not in planner_messages("", "Find Ana.", tools, hidden)[0]["content"]


def test_a_view_of_before_results_were_told_tells_none():
    old = {"policy": "whole", "tools": "signatures", "prompt": "plan"}
    assert PlannerView.from_record(old, "the record") == PlannerView(results=False)
    assert PlannerView.from_record({}, "the record") == PlannerView()
    assert PlannerView.from_record(PlannerView().model_dump(), "the record") == PlannerView()
    with pytest.raises(ConfigError, match="the record"):
        PlannerView.from_record({"policy": "half"}, "the record")


MARKED = PlannerView(values="marked", prompt="plan_short", tools="none")
ASKED = 'Add Odile Vogt and "Tea [time 3]" at 9:30 to D-17, not "tea for B", by Monday.'


def test_the_language_of_plans_knows_the_markers_of_the_request_alone():
    told = planner_messages(ASKER, ASKED, TOOLS, MARKED)[-1]["content"]
    markers = {match[0] for match in MARKER.finditer(told)}
    assert markers == {"[name 2]", "[text 1]", "[time 2]", "[code 1]", "[text 2]", "[date 2]"}
    for values in ("marked", "numbered"):
        held = PlannerView(values=values).language(ASKER, ASKED, TOOLS)
        for marker in (*markers, "[name 2.1]", "[date 1]", "[text 2.1]"):
            assert held.is_whole(f'1. find(id="{marker}")'), marker
        for marker in ("[time 3]", "[name 3]", "[text 3]", "[code 2]"):
            assert not held.is_whole(f'1. find(id="{marker}")'), marker
    assert PlannerView().language(ASKER, ASKED, TOOLS).is_whole('1. find(id="[time 3]")')
    assert not held.is_whole('1. lose(id="[name 2]")')


def test_the_prompt_explains_the_whole_language():
    asked = render("plan", request="Find Ana.", tools=[], values="plain")
    [*steps] = re.findall(r"^\d\. .*", asked, re.MULTILINE)
    assert len(parse("\n".join(steps)).steps) == 5
    forms = ("for LIST:", "when CONDITION:", "$row", "[*]", "[min(", "[max(")
    for word in (*forms, *(f"{name}(" for name in (*FUNCTIONS, *SPECIAL))):
        assert word in asked, word


def test_no_policy_is_no_message():
    assert [m["role"] for m in planner_messages("", "Find Ana.", TOOLS, PlannerView())] == ["user"]


def test_what_cannot_be_shown_is_named():
    with pytest.raises(ValidationError, match="'whole', 'digest' or 'reference'"):
        PlannerView(policy="half")
    with pytest.raises(UnknownName, match="unknown prompt 'planning'"):
        messages(prompt="planning")


@pytest.mark.parametrize("names", [["csm"], ["hr", "email"], list(registry.SERVERS)])
def test_a_page_that_is_known_goes_by_its_name_and_hash(names):
    pages = [registry.server(name).policy.strip() for name in names]
    short = shorten_policy("\n\n".join([*pages, ASKER]), "reference").split("\n\n")
    assert [line.split()[:2] for line in short[:-1]] == [["[policy", name] for name in names]
    assert short[-1] == ASKER and len({line.split()[2] for line in short[:-1]}) == len(names)


def test_a_page_that_is_not_known_goes_by_its_hash():
    page = "Some policy.\n\nNobody may delete a case."
    line, last = shorten_policy(f"{page}\n\n{ASKER}", "reference").split("\n\n")
    assert line.startswith("[policy ") and len(line.split()) == 2 and last == ASKER
    assert line != shorten_policy(f"{page}!\n\n{ASKER}", "reference").split("\n\n")[0]
    mixed = "\n\n".join([registry.server("hr").policy.strip(), page, ASKER])
    assert shorten_policy(mixed, "reference").count("[policy ") == 2


@pytest.mark.parametrize("name", registry.SERVERS)
def test_a_digest_keeps_what_binds(name):
    page = registry.server(name).policy.strip()
    short = shorten_policy(f"{page}\n\n{ASKER}", "digest")
    assert len(short) < 0.85 * len(page) and short.endswith(f"\n\n{ASKER}")
    assert len(re.findall(r"\bnever\b", short)) == len(re.findall(r"\bnever\b", page))
    assert short.startswith(page.splitlines()[0])


def test_a_digest_has_headings_only_where_something_is_under_them():
    page = (
        "# One\n\n## Told\n\nIt is so.\n\n## Bound\n\n- Look first. Never\n  guess.\n- It rains.\n\n| a | b |"
    )
    short = "# One\n## Bound\n- Never guess.\n| a | b |\n\nYou act."
    assert shorten_policy(f"{page}\n\nYou act.", "digest") == short


@given(st.text(max_size=200))
def test_any_policy_has_every_form(policy):
    assert shorten_policy(policy, "whole") == policy.strip()
    for form in ("digest", "reference"):
        assert shorten_policy(policy, form).endswith(policy.strip().split("\n\n")[-1])


def test_the_committed_prompts_ask_the_same_of_all():
    assert TASK.user_prompt in render("plan", request=TASK.user_prompt, tools=[], values="plain")
    assert "Tools (" not in render("plan", request=TASK.user_prompt, tools=[], values="plain")
