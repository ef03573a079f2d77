"""Plans are read as they are written, and what is no plan is named with its line."""

from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.plan import (
    ROW,
    Condition,
    Extreme,
    FieldTest,
    Function,
    Match,
    Measure,
    Plan,
    PlanError,
    Ref,
    Require,
    Step,
    Text,
    parse,
    render,
)
from eops_traj.plan.ast import COMPARISONS
from eops_traj.plan.functions import FUNCTIONS, SPECIAL

NAMES = st.from_regex(r"[A-Za-z_][A-Za-z0-9_]{0,12}", fullmatch=True).filter(
    lambda n: n not in ("require", "true", "false", "null", "True", "False", "None", "count", "ok")
)
DOTTED = st.lists(NAMES, min_size=1, max_size=3).map(".".join)
REASONS = st.text(st.characters(codec="utf-8", exclude_categories=("Cs", "Cc", "Zl", "Zp")), max_size=30).map(
    lambda text: " ".join(text.split())
)
GIVEN_REASONS = REASONS.filter(bool)
SCALARS = (
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text()
)


@cache
def refs(before: int, row: bool = False) -> st.SearchStrategy[Ref]:
    """References to a step from 1 to `before`, or to the row at hand too."""
    tests = st.builds(FieldTest, DOTTED, st.sampled_from(COMPARISONS), SCALARS)
    matches = st.builds(Match, st.lists(tests, max_size=2).map(tuple), every=st.booleans())
    extremes = st.builds(Extreme, st.sampled_from(["min", "max"]), DOTTED)
    parts = NAMES | st.text(max_size=8) | st.integers(-99, 99) | matches | extremes
    steps = st.integers(1, before) | st.just(ROW) if row else st.integers(1, before)
    return st.builds(Ref, steps, st.lists(parts, max_size=3).map(tuple))


@cache
def functions(before: int, row: bool) -> st.SearchStrategy[Function]:
    """Functions with two arguments."""
    two = [*SPECIAL, *(name for name, one in FUNCTIONS.items() if one.least <= 2 <= one.most)]
    arguments = st.tuples(refs(before, row), SCALARS | refs(before, row))
    return st.builds(Function, st.sampled_from(two), arguments)


@cache
def texts(before: int, row: bool) -> st.SearchStrategy[Text]:
    """A text, a reference, a text: no two texts side by side, no empty ones."""
    word = st.text(min_size=1, max_size=8)
    return st.builds(lambda a, r, b: Text((a, r, b)), word, refs(before, row), word)


@cache
def values(before: int, row: bool = False) -> st.SearchStrategy[object]:
    """Anything that may stand as an argument."""
    said = refs(before, row) | texts(before, row) | functions(before, row) if before else SCALARS
    return st.recursive(SCALARS | said, _nested, max_leaves=6)


def _nested(inner: st.SearchStrategy[object]) -> st.SearchStrategy[object]:
    return st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=6), inner, max_size=3)


@cache
def arguments(before: int, row: bool = False) -> st.SearchStrategy[dict[str, object]]:
    """The arguments of a call."""
    return st.dictionaries(NAMES, values(before, row), max_size=3)


@cache
def loops(number: int) -> st.SearchStrategy[object]:
    """What a step may be done for: the rows of a reference, or values; or no loop."""
    return st.none() | refs(number) | st.lists(SCALARS, max_size=2)


@cache
def conditions(number: int, row: bool = False) -> st.SearchStrategy[Condition]:
    """Comparisons of a count or a value with a value."""
    left = st.builds(Measure, st.just("count"), refs(number, row)) | values(number, row)
    return st.builds(Condition, left, st.sampled_from(COMPARISONS), values(number, row))


@st.composite
def steps(draw: st.DrawFn, number: int) -> Step | Require:
    """A line after so many others: a requirement, or a call, perhaps for rows, perhaps under a condition."""
    if number and draw(st.integers(0, 3)) == 0:
        return Require(draw(conditions(number)), draw(REASONS))
    rows = draw(loops(number)) if number else None
    row = rows is not None
    when = draw(st.none() | conditions(number, row)) if number else None
    return Step(draw(NAMES), draw(arguments(number, row)), draw(REASONS), rows, when)


@st.composite
def plans(draw: st.DrawFn) -> Plan:
    """Plans of up to five steps, or a refusal."""
    if draw(st.integers(0, 9)) == 0:
        return Plan(refusal=draw(GIVEN_REASONS))
    return Plan(tuple(draw(steps(number)) for number in range(draw(st.integers(1, 5)))))


@given(plans())
def test_every_plan_is_read_back_from_its_text(plan: Plan) -> None:
    assert parse(render(plan)) == plan


@given(st.text())
def test_any_text_is_a_plan_or_a_plan_error(text: str) -> None:
    try:
        parse(text)
    except PlanError as error:
        assert "line" in str(error) or "empty" in str(error)


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        ("", "an empty plan"),
        ("first, find the user", "line 1: expected `1. tool(...)`"),
        ("2. find_user()", "line 1: expected `1. tool(...)`"),
        ('1. find_user(name="Ana"', "expected `,`, found 'the end of the line'"),
        ("1. find_user(name=Ana)", "expected a value, not 'Ana'"),
        ("1. find_user(name=$1.id)", "line 1: $1 does not come before it"),
        ("1. f(a=1, a=2)", "expected a once"),
        ("1. a(b=1٣)", "line 1, column 9: expected `,`, found '٣)'"),
        ("1. f()\n2. require($1.a)", "line 2, column 16: expected a comparison"),
        ("1. f(a=$row.id)", "line 1: $row stands in no loop"),
        ("1. f()\n2. for $row.a: f(b=$row.c)", "line 2: $row stands in no loop"),
        ("1. f()\n2. for $1 f(b=$row.c)", "line 2, column 11: expected `:`"),
        ("1. f()\n2. when $1.a: f()", "expected a comparison"),
        ("1. f()\n2. for $1: require($1.a == 1)", "require stands alone"),
        ("1. f()\n2. g(a=shift($1.a))", "expected 2 arguments of shift, not 1"),
        ("1. f()\n2. g(a=move($1.a, 1))", "expected a function (either, each, map, add"),
        ("1. f()\n2. g(a=$1[*state like 3])", "expected `=` or a comparison"),
        ("1. f()\n2. g(a=ok($1))", "line 2, column 8: expected a value: `ok` stands alone, as a condition"),
        ('1. f()\n2. g(a=[{"b": ok($1)}])', "`ok` stands alone"),
        ("1. f()\n2. when $1[a=ok($1)] == 1: g()", "`ok` stands alone"),
        ("1. f()\n2. require(1 == ok($1))", "`ok` stands alone"),
        ("1. f() because", "expected ` -- ` and a reason"),
        ("1. for null: f(a=1)", "line 1, column 8: expected a list, a reference"),
        ("1. for None: f(a=1)", "expected a list"),
        ("1. for true: f()", "expected a list"),
        ("1. for 3: f()", "expected a list"),
        ('1. for "abc": f(a=$row)', "expected a list"),
        ('1. f()\n2. for "{$1.ids}": f(a=$row)', "expected a list"),
        ("1. f()\n2. for count($1): f()", "expected a list"),
        ("REFUSE: no\n1. delete_x(id=5)", "line 2: expected no step beside REFUSE"),
        ("REFUSE: no\nand never\n\n2) when $1.a == 1: f()", "line 3: expected no step"),
        ("REFUSE: no\n1. require(1 == ", "no step beside REFUSE"),
        ("REFUSE:", "REFUSE without a reason"),
        ("1. f(a=" + "[" * 60 + "]" * 60 + ")", "expected less nesting"),
        (r'1. f(a="\q")', "a text with valid escapes"),
    ],
)
def test_what_is_wrong_is_named(text: str, wrong: str) -> None:
    with pytest.raises(PlanError) as error:
        parse(text)
    assert wrong in str(error.value)


@pytest.mark.parametrize(
    "more",
    [
        "2. quarter is closed",
        "1. Locked (since May)\n2) for reasons of policy",
        "1. case(s) of others: no",
        "when asked (twice)",
    ],
)
def test_a_reason_may_be_of_several_lines(more: str) -> None:
    assert parse(f"REFUSE: not allowed:\n{more}").refusal == " ".join(f"not allowed: {more}".split())


@pytest.mark.parametrize("rows", ["[]", "[null]", "concat([1], [2])", "$1", "$1[*a=1].b", "either($1.a, [])"])
def test_a_loop_goes_over_what_may_be_a_list(rows: str) -> None:
    step = parse(f"1. f()\n2. for {rows}: f(a=$row)").steps[1]
    assert isinstance(step, Step) and step.rows is not None and not step.plain


def test_a_fence_and_blank_lines_are_passed_over() -> None:
    plan = parse("```\n1. f(a=True, b=None) -- look\n\n2. g(x=$1[0]['a'])\n```".replace("'", '"'))
    assert plan.steps[0] == Step("f", {"a": True, "b": None}, "look")
    assert plan.steps[1] == Step("g", {"x": Ref(1, (0, "a"))})


def test_a_brace_before_a_dollar_sign_is_text_where_it_is_text() -> None:
    plan = Plan((Step("f", {"a": "costs {$5}"}),))
    assert parse(render(plan)) == plan


@pytest.mark.parametrize(
    ("text", "wrong"),
    [
        (f"1. a(b={'9' * 5_000})", "line 1, column 5008: expected a number of at most 100 characters"),
        ("\n".join(f"{n}. a()" for n in range(1, 502)), "501 steps, of at most 500"),
    ],
)
def test_a_plan_has_bounds(text: str, wrong: str) -> None:
    with pytest.raises(PlanError, match=wrong):
        parse(text)


def test_ok_is_a_condition_wherever_one_may_stand() -> None:
    text = "1. f()\n2. for $1: when ok ( $1 ): g(a=$row)\n3. require( ok($1))"
    holds = Condition(Measure("ok", Ref(1)))
    assert parse(text).steps[1:] == (Step("g", {"a": Ref(ROW)}, rows=Ref(1), condition=holds), Require(holds))
