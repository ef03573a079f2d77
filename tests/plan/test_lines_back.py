"""References that count lines back."""

import pytest
from hypothesis import given

from eops_traj.plan import Plan, PlanError, Ref, Step, Text, parse, render, render_back
from tests.plan.test_parser import plans

TEXT = """\
1. find_user(name="Ana", note="$1 or $-1")
2. list_cases(user=$-1.id)
3. for $-1[*owner=$-2.id]: close_case(id=$row.id, text="{$-2.name} {$row.id}")"""


def test_a_reference_may_count_lines_back():
    plan = parse(TEXT)
    assert render(plan).splitlines()[1:] == [
        "2. list_cases(user=$1.id)",
        '3. for $2[*owner=$1.id]: close_case(id=$row.id, text="{$1.name} {$row.id}")',
    ]
    assert render_back(plan) == TEXT


@given(plans())
def test_what_is_counted_back_is_read_as_the_same_plan(plan: Plan):
    assert parse(render_back(plan)) == plan


@pytest.mark.parametrize("text", ["1. f(a=$-1)", "1. f()\n2. f(a=$-2)", "1. f()\n2. f(a=$-0)"])
def test_there_is_nothing_before_the_first_line(text: str):
    with pytest.raises(PlanError, match="before"):
        parse(text)


def test_the_last_line_is_no_row_at_hand():
    """A step of -1 stands for ``$row`` inside of the program."""
    [_, _, step] = parse('1. f()\n2. f()\n3. f(a=$-1, b="{$-2.x}")').steps
    assert isinstance(step, Step)
    assert step.arguments == {"a": Ref(2), "b": Text((Ref(1, ("x",)),))}
