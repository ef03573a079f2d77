import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ValidationError

from eops_traj.errors import UnknownName
from eops_traj.gym import registry
from eops_traj.llm.prompts import render
from eops_traj.planner.policy_forms import shortened
from eops_traj.planner.prompt import Shown, planner_messages
from tests.collectors.asked import TASK

ASKER = "You act for Ana Ruiz (ana.ruiz@corvane.example). It is Monday, 5 January 2026, 09:00 UTC."
TOOLS = [
    {"type": "function", "function": {"name": "find", "description": "Find one.", "parameters": {
        "type": "object", "properties": {"id": {"type": "integer"}}, "required": ["id"]}}},
    {"type": "function", "function": {"name": "list_all"}},
]  # fmt: skip


def asked(**shown):
    return planner_messages("Be kind.", "Find Ana.", TOOLS, Shown(**shown))


def test_a_planner_is_shown_policy_tools_and_request():
    system, user = asked()
    assert system == {"role": "system", "content": "Be kind."} and user["role"] == "user"
    assert "\nfind(id: integer) -- Find one.\nlist_all()\n" in user["content"]
    assert user["content"].endswith("\nFind Ana.")


def test_tools_can_be_named_or_left_out():
    assert "\nfind\nlist_all\n" in asked(tools="names")[1]["content"]
    assert "find" not in asked(tools="none")[1]["content"].replace("find_", "")
    assert asked(tools="none", prompt="plan_short")[1]["content"] == "Find Ana."
    assert asked(tools="names", prompt="plan_short")[1]["content"] == "Find Ana.\n\nfind\nlist_all\n"


def test_no_policy_is_no_message():
    assert [m["role"] for m in planner_messages("", "Find Ana.", TOOLS, Shown())] == ["user"]


def test_what_cannot_be_shown_is_named():
    with pytest.raises(ValidationError, match="'whole', 'digest' or 'reference'"):
        Shown(policy="half")
    with pytest.raises(UnknownName, match="unknown prompt 'planning'"):
        asked(prompt="planning")


@pytest.mark.parametrize("names", [["csm"], ["hr", "email"], list(registry.SERVERS)])
def test_a_page_that_is_known_goes_by_its_name_and_hash(names):
    pages = [registry.server(name).policy.strip() for name in names]
    said = shortened("\n\n".join([*pages, ASKER]), "reference").split("\n\n")
    assert [line.split()[:2] for line in said[:-1]] == [["[policy", name] for name in names]
    assert said[-1] == ASKER and len({line.split()[2] for line in said[:-1]}) == len(names)


def test_a_page_that_is_not_known_goes_by_its_hash():
    page = "Some policy.\n\nNobody may delete a case."
    line, last = shortened(f"{page}\n\n{ASKER}", "reference").split("\n\n")
    assert line.startswith("[policy ") and len(line.split()) == 2 and last == ASKER
    assert line != shortened(f"{page}!\n\n{ASKER}", "reference").split("\n\n")[0]
    mixed = "\n\n".join([registry.server("hr").policy.strip(), page, ASKER])
    assert shortened(mixed, "reference").count("[policy ") == 2


@pytest.mark.parametrize("name", registry.SERVERS)
def test_a_digest_keeps_what_binds(name):
    page = registry.server(name).policy.strip()
    said = shortened(f"{page}\n\n{ASKER}", "digest")
    assert len(said) < 0.85 * len(page) and said.endswith(f"\n\n{ASKER}")
    assert len(re.findall(r"\bnever\b", said)) == len(re.findall(r"\bnever\b", page))
    assert said.startswith(page.splitlines()[0])


def test_a_digest_has_headings_only_where_something_is_under_them():
    page = (
        "# One\n\n## Told\n\nIt is so.\n\n## Bound\n\n- Look first. Never\n  guess.\n- It rains.\n\n| a | b |"
    )
    said = "# One\n## Bound\n- Never guess.\n| a | b |\n\nYou act."
    assert shortened(f"{page}\n\nYou act.", "digest") == said


@given(st.text(max_size=200))
def test_any_policy_has_every_form(policy):
    assert shortened(policy, "whole") == policy.strip()
    for form in ("digest", "reference"):
        assert shortened(policy, form).endswith(policy.strip().split("\n\n")[-1])


def test_the_committed_prompts_ask_the_same_of_all():
    assert TASK.user_prompt in render("plan", request=TASK.user_prompt, tools=[])
    assert "Tools (" not in render("plan", request=TASK.user_prompt, tools=[])
