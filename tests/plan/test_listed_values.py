"""An argument with listed values: the reader of beginnings and the grammar take and refuse the same."""

from functools import cache

import pytest
from lark import Lark
from lark.exceptions import LarkError

from eops_traj.plan import parse
from eops_traj.plan.prefix import PlanBeginnings

LISTED = {
    "kind": {"type": "string", "enum": ["open", 'so "called"', "on_hold"]},
    "level": {"type": "integer", "enum": [1, 20, -3]},
    "flag": {"type": "boolean", "enum": [True]},
    "must": {"type": "string", "enum": ["open", "2"]},
    "any": {"type": "string"},
}
SCHEMA = {"type": "object", "properties": LISTED, "required": ["must"]}
BEGINNINGS = PlanBeginnings([{"function": {"name": "f", "parameters": SCHEMA}}])
TAKEN = [
    'kind="open"', 'kind="so \\"called\\""', 'kind=""', 'kind="[text 2.1]"', "kind=null", 'kind="{$1.kind}"',
    'kind="{$1.kind}_{$1.x[k=\\"a\\"]}"', "kind=$1.kind", 'kind=either($1.a, "x")', 'kind=["x", 3]',
    "level=20", "level=-3", 'level="[number 1]"', "level=count($1.x)", "level=null", "level=concat([1], [2])",
    "flag=true", "flag=null", 'must="2"', "must=$1.n",
]  # fmt: skip
REFUSED = [
    'kind="opened"', 'kind="op', 'kind=o', "kind=true", "kind=1", "kind=count($1.x)", 'kind={"a": 1}',
    'kind="is {$1.kind}"', 'kind="op\\u0065n"', 'kind="[text 2.1.1]"', 'kind="[text] x"', "level=true",
    "level=1.0", "level=2", "level=2e1", 'level="1"', 'level="{$1.level}"', "level={}", "level=-1",
    "flag=false", "flag=1", "flag=count($1.x)", 'flag="true"', "must=null", "must=2",
]  # fmt: skip


@cache
def grammar() -> Lark:
    """The grammar with this one tool."""
    return Lark(BEGINNINGS.grammar())


@pytest.mark.parametrize("argument", TAKEN)
def test_both_take_what_makes_sense_for_a_listed_value(argument: str) -> None:
    text = f"1. f()\n2. f({argument}, any=1)"
    assert parse(text) and grammar().parse(text) and BEGINNINGS.is_whole(text)
    assert [text[:n] for n in range(len(text)) if not BEGINNINGS.allow_next(text[:n], text[n])] == []


@pytest.mark.parametrize("argument", REFUSED)
def test_both_refuse_what_does_not(argument: str) -> None:
    text = f"1. f()\n2. f({argument}, any=1)"
    assert not BEGINNINGS.is_whole(text)
    assert any(not BEGINNINGS.allow_next(text[:n], text[n]) for n in range(len(text)))
    with pytest.raises(LarkError):
        grammar().parse(text)


@pytest.mark.parametrize(
    "wrong", ["count($1", '{"a"', "true", "nul", '"opem', '"{$2', '"\\u', "1.0,", '"{$row']
)
def test_several_signs_at_once_lead_nowhere_either(wrong: str) -> None:
    assert not BEGINNINGS.allow_next("1. f()\n2. f(must=", wrong)


def test_any_value_may_be_written_where_none_is_listed() -> None:
    for value in ("null", "true", "1.0", '{"a": 1}', "count($1)", '"is {$1.kind}"'):
        text = f"1. f()\n2. f(any={value})"
        assert BEGINNINGS.is_whole(text) and grammar().parse(text)
