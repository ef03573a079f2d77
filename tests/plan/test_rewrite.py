import pytest

from eops_traj.plan import parse, render, rewrite_literals, without_reasons

LINES = {
    'f(a="x", b=["x", {"x": "x", "n": 3}], c=null, d=true)':
        'f(a="<x>", b=["<x>", {"x": "<x>", "n": "<3>"}], c="<None>", d="<True>")',
    'f(a=$1[x="x", n > 3][0].x, b=$1["x y"].x)': 'f(a=$1[x="<x>", n > "<3>"][0].x, b=$1["<x y>"].x)',
    'f(a="of {$1[n=\\"x\\"].x} x")': 'f(a="(of ){$1[n=\\"<x>\\"].x}( x)")',
    'for $1.x: when count($1[*x="x"]) > 3: f(a=shift($row.x, "x"))':
        'for $1.x: when count($1[*x="<x>"]) > "<3>": f(a=shift($row.x, "<x>"))',
    "when ok($1): f(a=null)": 'when ok($1): f(a="<None>")',
    'require($1.x in ["x"]) -- x': 'require($1.x in ["<x>"]) -- x',
}  # fmt: skip


@pytest.mark.parametrize(("before", "after"), LINES.items())
def test_literals_are_changed_wherever_they_stand_and_nothing_else(before, after):
    step = parse(f"1. g()\n2. {before}").steps[1]
    assert str(rewrite_literals(step, lambda value: f"<{value}>", lambda text: f"({text})")) == after


def test_a_require_keeps_its_reason_for_it_is_what_the_plan_answers():
    plan = parse("1. g() -- a look\n2. require(ok($1)) -- there is none\n3. f() -- done")
    assert render(without_reasons(plan)) == "1. g()\n2. require(ok($1)) -- there is none\n3. f()"
    assert render(without_reasons(parse("REFUSE: no"))) == "REFUSE: no"
