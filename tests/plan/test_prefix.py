from random import Random

import pytest
from hypothesis import given
from hypothesis import strategies as st
from lark import Lark
from lark.exceptions import LarkError

from eops_traj.plan import Plan, PlanError, parse, render
from eops_traj.plan.prefix import PlanBeginnings
from eops_traj.sandbox.open import open_task
from eops_traj.tasks.toolset import ToolsetCache
from tests.plan.test_parser import plans
from tests.tasks.small_suite import small_suite


def tool(called, /, **properties):
    return {"function": {"name": called, "parameters": {"type": "object", "properties": properties}}}


STATE = {"type": "string", "enum": ["open", "on_hold"]}
TOOLS = [tool("find_user", name={}, email={}), tool("list_all"), tool("list_all_users", of={})]
TOOLS += [tool("set", state=STATE, level={"enum": [1, 20]}, start={}, start_at={})]
BEGINNINGS = PlanBeginnings(TOOLS)
WHOLE = [
    '1. find_user(name="Ana {Ruiz} \\"A\\"", email=null) -- who, and why',
    '1. list_all()\n2. for $1[*].rows: when ok($1): set(state="open", start=$row.at[-1])',
    '1. list_all()\n2. set(state=$1[name="x", n not in [1, 2.5]].state, start=[{"a": true}, -1.5e3])',
    "1. list_all()\n2. set(state=$1[*a.b2.c_d not in [1], e_.f=true][max(g_.h)].i)",
    "1. list_all()\n2. set(state=$1[ min( a.b ) ].c, start=$1[  max(a)])",
    '1. list_all()\n2. require(count($1[min(a.b)]) >= 1) -- none\n3. set(state="", level=20)',
    '1. list_all()\n2. set(start=each($1, {"id": "{$item.id}"}), start_at=shift("2026-01-05", "1 day"))',
    '1. set(state="[text 2]", start="[date 1]T[time 2]:00")',
    '1. list_all()\n2. for $1[*]: set(start="{$1[k=$1.id].x}, {$row[n=\\"{$row.q}}\\"].z}: {}$ {$}")',
    '1. list_all()\n2. set(start=each($1, each($item.x, "{$item[k=$item.z].a}")), start_at="\\\\{$1.a}")',
    "1. for concat([1], [2]): set(start=$row)\n2. for []: list_all()\n3. for each($1, $item.a): list_all()",
    'REFUSE: it is "forbidden"',
    "\n".join(f"{n}. list_all()" for n in range(1, 13)) + "\n13. find_user(name=$12.a, email=$1.b)",
]
DEAD = [
    "2", "1.l", "1. x", "1. find_users", "1. find_user(x", "1. find_user(name=A", "1. find_user(name=1x",
    '1. find_user(name="a" ;', '1. find_user(name="a", name', "1. find_user(name=$1", "1. list_all(of",
    '1. set(state="closed"', "1. set(level=3", "1. set(level=21", '1. set(start="{$1.a}', "1. set(start=$row",
    "1. set(start=$item)", "1. set(start=ne", "1. set(start=shift()", "1. require(1 == 1)x", "1. when req",
    "1. for [1]: require(", "1. list_all() x", "1. list_all()\n3", "REFUSED", "Fi", "1. set(start={1",
    '1. set(start="a\\q"', "1. list_all()\n2. set(start=$2", "1. list_all()\n2. set(start=$1.a.1",
    "1. \r", "1. find_user(\x1e", '1. find_user(name="a",-', "1. find_user(-", '1. set(start={n',
    "1. set(start={-", "1. list_all()\n2. set(start=$ 1e", "1. list_all()\n2. set(start=$1[4.",
    "1. set(start=1e3.", "1. set(start=1.2.", "1. list_all()\n2. set(start=$r",
    "1. list_all()\n2. set(start=$i", "1. for [1]: set(start=$ r", "1. for [1]: re", "1. when 1 == 1: re",
    "1. when 1 == 1: for ", '1. set(state=tru', '1. set(state=-', "1. list_all()\n2. set(start=$1.-",
    "1. list_all()\n2. set(start=$1[a .", "1. list_all()\n2. set(start=$1[.",
    "1. list_all()\n2. set(start=$1[a..",
    "1. list_all()\n2. set(start=$1[min(a b",
    "1. list_all()\n2. set(start=$1[x min(", "1. list_all()\n2. set(start=$1[max( .", "1. set(start=min(",
    "1. list_all()\n2. require(ok($1).", "1. set(start=true.",
    "1. list_all()\n2. set(start=o", "1. list_all()\n2. require([o", "1. list_all()\n2. require(1 == o",
    "1. for n", "1. for T", "1. for 3", "1. for -", '1. for "', "1. for {", "1. list_all()\n2. for co($",
    "1. list_all()\n2. for cou", '1. list_all("', '1. set(start="a" "', '1. list_all()\n2. set(start=$1."',
    '1. list_all()\n2. set(start="{$1[k=$9', '1. set(start="{$row', '1. set(start="{$item',
    '1. list_all()\n2. set(start="\\q',
    "1. list_all()\n2. set(start=each($item", '1. list_all()\n2. set(start=each($1, $item), start_at="{$item',
    "1. list_all()\n2. set(start=each(each($1, $item), $item), start_at=each($item",
    '1. list_all()\n2. set(start="{$1.a"', '1. list_all()\n2. set(start="{$1.a} {$1[k=\\"{$2',
    '1. list_all()\n2. for concat($1, "{$row', "1. list_all()\n2. set(start=count( $2",
    "REFUSE: a\n", "1. set(start=1=", "1. set(start=1-", "1. list_all() =", "1. require(1 ==  =",
]  # fmt: skip


@pytest.mark.parametrize("text", WHOLE)
def test_every_beginning_of_a_plan_is_allowed(text):
    assert [text[:n] for n in range(len(text) + 1) if not BEGINNINGS.allow(text[:n])] == []
    assert BEGINNINGS.is_whole(text)
    assert all(BEGINNINGS.allow_next(text[:n], text[n : n + 9]) for n in range(len(text)))


@pytest.mark.parametrize("text", DEAD)
def test_what_no_plan_begins_with_is_refused_where_it_goes_wrong(text):
    assert not BEGINNINGS.allow_next(text[:-1], text[-1]) and not BEGINNINGS.is_whole(text)


@pytest.mark.parametrize("text", ["", "1. ", "1. list_all(", "1. list_all()\n", "REFUSE: ", "1. set(start=$"])
def test_a_beginning_is_no_plan(text):
    assert BEGINNINGS.allow(text) and not BEGINNINGS.is_whole(text)


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ('set(start="{$1[k=$1.id].x}")', 'set(start="{$1[k=$9.id].x}")'),
        ('for $1: set(start="{$row.id}")', 'set(start="{$row.id}")'),
        ('set(start=each($1, "{$item.id}"))', 'set(start=each("{$item.id}", 1))'),
        ("set(start=each($1.x, $item))", "set(start=each($item.x, $item))"),
        ("for [null]: set(start=1)", "for null: set(start=1)"),
    ],
)
def test_what_the_parser_refuses_is_neither_whole_nor_allowed_to_its_end(right, wrong):
    right, wrong = (f"1. list_all()\n2. {line}" for line in (right, wrong))
    assert parse(right) and BEGINNINGS.is_whole(right) and BEGINNINGS.allow(right)
    with pytest.raises(PlanError):
        parse(wrong)
    assert not BEGINNINGS.is_whole(wrong) and not BEGINNINGS.allow(wrong)


def test_no_plan_has_more_steps_than_the_parser_takes():
    whole = "\n".join(f"{n}. list_all()" for n in range(1, 501))
    assert parse(whole) and BEGINNINGS.is_whole(whole)
    assert not BEGINNINGS.allow_next(whole, "\n") and not BEGINNINGS.is_whole(f"{whole}\n501. list_all()")


def test_a_line_has_to_be_whole_before_the_next():
    assert BEGINNINGS.allow_next("1. list_all()", "\n2. l")
    assert not BEGINNINGS.allow_next("1. list_all(", "\n2. l")
    assert not BEGINNINGS.allow_next("1. list_all()", "\n\n2. l")


def test_every_gold_plan_is_allowed_sign_by_sign_and_by_the_grammar():
    toolsets = ToolsetCache()
    for task in small_suite():
        with open_task(task) as session:
            beginnings = PlanBeginnings(toolsets.get(task, session.list_tools).functions)
        plan = task.plan.strip()
        assert [n for n in range(len(plan)) if not beginnings.allow(plan[:n])] == []
        assert beginnings.is_whole(plan)
        Lark(beginnings.grammar()).parse(plan)


@given(plans(), st.integers(0, 400), st.sampled_from('x"$.[(1 '))
def test_nothing_that_is_a_plan_is_refused_on_the_way(plan: Plan, place: int, sign: str):
    tools = [tool(step.tool, **{name: {} for name in step.arguments}) for _, step in plan.calls()]
    beginnings, text = PlanBeginnings(tools), render(plan)
    place %= len(text) + 1
    for whole in (text, text[:place] + sign + text[place:]):
        if beginnings.is_whole(whole):
            parse(whole)
            assert all(beginnings.allow_next(whole[:n], whole[n]) for n in range(len(whole))), whole


@pytest.mark.parametrize(
    "text", ["1. find_users()", '1. set(state="closed")', "1. set(x=1)", "1. list_all(of=1)"]
)
def test_the_grammar_knows_tools_arguments_and_values(text):
    grammar = Lark(BEGINNINGS.grammar())
    grammar.parse('1. set(state="open", start=1)\n2. list_all()\n3. set(state="[text 1]", level=20)')
    with pytest.raises(LarkError):
        grammar.parse(text)


MARKED = PlanBeginnings(TOOLS, ["[name 1]", "[name 1.2]", "[name 12]"])


@pytest.mark.parametrize(
    "text",
    [
        '1. find_user(name="[name 1]", email="to [name 1.2] or [name 12] [draft] [a 0]")\n2. list_all()',
        '1. list_all()\n2. set(state="[name 12]", start=$1[x not in [1, 2]].y)',
        "REFUSE: for [name 1]",
    ],
)
def test_markers_that_there_are_can_be_written(text):
    assert [text[:n] for n in range(len(text) + 1) if not MARKED.allow(text[:n])] == []
    assert MARKED.is_whole(text)


@pytest.mark.parametrize(
    ("begun", "wrong", "rest"),
    [
        ('1. find_user(name="[name ', "2", ']")'),
        ('1. find_user(name="[name 1', ".1", ']")'),
        ('1. find_user(name="[date ', "1", ']")'),
        ('1. find_user(name="[name 1", email="[name 1', "3", ']")'),
        ('1. find_user(name="[name 12', ".2", ']")'),
        ('1. find_user(name="a") -- for [name ', "2", "]"),
        ("REFUSE: for [name ", "2", "]"),
    ],
)
def test_others_are_refused_at_the_sign_that_makes_them_others(begun, wrong, rest):
    assert MARKED.allow(begun) and not MARKED.allow_next(begun, wrong)
    assert not MARKED.allow_next(begun, wrong + rest) and not MARKED.is_whole(begun + wrong + rest)
    assert BEGINNINGS.is_whole(begun + wrong + rest)


def test_no_marker_at_all_may_be_written_for_a_request_without_values():
    none = PlanBeginnings(TOOLS, [])
    assert not none.is_whole('1. find_user(name="[name 1]")') and none.is_whole('1. find_user(name="")')
    with pytest.raises(LarkError):
        Lark(none.grammar()).parse('1. set(state="[name 1]")')
    Lark(none.grammar()).parse('1. set(state="")')


def test_the_grammar_knows_the_markers_that_may_stand_for_listed_values():
    grammar = Lark(MARKED.grammar())
    grammar.parse('1. set(state="[name 1.2]")')
    with pytest.raises(LarkError):
        grammar.parse('1. set(state="[name 2]")')


SIGNS = 'abcdefghijklmnopqrstuvwxyzART0123459 $.,:;=<>!"\\{}[]()-_*\n\t'


@pytest.mark.parametrize(
    "start", ["1. ", "1. set(", "1. list_all()\n2. for $1.a: set(", "1. list_all()\n2. when "]
)
def test_nobody_is_led_to_where_nothing_may_follow(start: str) -> None:
    draws = Random(start)
    for _ in range(8):
        text = start
        for _ in range(40):
            signs = [sign for sign in SIGNS if BEGINNINGS.allow_next(text, sign)]
            assert signs or BEGINNINGS.is_whole(text), text
            text += draws.choice(signs or [""])
