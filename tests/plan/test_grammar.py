"""The grammar for constrained decoding says what the parser reads."""

import re
from functools import cache
from importlib.resources import files

import pytest
from hypothesis import given, settings
from hypothesis.extra.lark import from_lark
from lark import Lark
from lark.exceptions import LarkError

from eops_traj.plan import Plan, PlanError, parse, render
from eops_traj.plan.prefix import PlanBeginnings
from tests.plan.test_parser import plans

BEYOND = re.compile(
    r"expected `\d+\. tool|does not come before|stands in no|expected [\d to]+ arguments of|expected \w+ once"
    r"|like \{\$1\.id\}|a tool: require|less nesting"
)
"""What the parser says of what a grammar cannot say: numbers of lines, earlier steps, how many arguments."""


@cache
def grammar() -> Lark:
    """The grammar, as a parser of its own."""
    return Lark((files("eops_traj.plan") / "plan.lark").read_text())


@settings(max_examples=20)
@given(plans())
def test_it_takes_every_plan_as_it_is_written(plan: Plan) -> None:
    grammar().parse(render(plan))


@settings(max_examples=30)
@given(from_lark(grammar()))
def test_what_it_makes_is_a_plan_but_for_what_no_grammar_can_say(text: str) -> None:
    try:
        parse(text)
    except PlanError as error:
        assert BEYOND.search(str(error)), (error, text)


@pytest.mark.parametrize("rows", ["$1.x[*]", "[1, $1.x]", "concat($1[*], $1.x[*])", "either($1.x, [])"])
def test_grammar_parser_and_beginnings_take_the_same_lists_of_a_loop(rows: str) -> None:
    text = f"1. f()\n2. for {rows}: f(a=$row.id)"
    beginnings = PlanBeginnings([{"function": {"name": "f", "parameters": {"properties": {"a": {}}}}}])
    assert parse(text) and beginnings.is_whole(text)
    assert grammar().parse(text) and Lark(beginnings.grammar()).parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "1. f(a=Ana)",
        "1. for 3: f()",
        '1. for {"a": [1]}: f()',
        "1. f(a=$)",
        "1. for $1 f()",
        "1. f(a=$1[*state like 3])",
        "REFUSE:",
        "f()",
        "1. f()\n2. f(a=ok($1))",
        "1. f()\n2. require(1 == ok($1))",
    ],
)
def test_it_refuses_what_the_parser_refuses(text: str) -> None:
    with pytest.raises(LarkError):
        grammar().parse(text)
    with pytest.raises(PlanError):
        parse(text)
