from datetime import UTC, datetime

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.api_styles import odata
from eops_traj.gym.api_styles.odata import ODataError, matches, parse
from eops_traj.gym.api_styles.odata_ast import (
    COMPARISONS,
    FUNCTIONS,
    WORDS,
    Compare,
    Each,
    Function,
    In,
    Join,
    Literal,
    Not,
    Path,
)  # fmt: skip
from tests.gym.api_styles.odata_text import render

ANA = {
    "displayName": "Ana O'Hara", "accountEnabled": True, "age": 41, "manager": None, "city": "Oslo",
    "hired": "2021-07-01T00:00:00+02:00", "phones": ["+47 1", "+47 2"], "org": {"division": "Field"},
    "members": [{"userId": "ben", "roles": ["owner"]}, {"userId": "cem", "roles": []}],
}  # fmt: skip


@pytest.mark.parametrize(
    ("text", "meant"),
    [
        ("displayName eq 'Ana O''Hara'", True),
        ("displayName eq 'ana o''hara'", True),
        ("displayName ne 'Ana' and not (age lt 40)", True),
        ("age ge 41 and age le 41.0 and age gt -1", True),
        ("city eq 'Rome' or city eq 'Oslo' and age eq 1", False),
        ("(city eq 'Rome' or city eq 'Oslo') and age eq 41", True),
        ("city in ('Rome', 'oslo')", True),
        ("city IN ('Rome')", False),
        ("accountEnabled", True),
        ("accountEnabled eq false", False),
        ("not accountEnabled", False),
        ("manager eq null", True),
        ("manager ne null", False),
        ("manager lt 'z' or manager ge 'a'", False),
        ("startswith(displayName, 'AN') and endswith(displayName, 'hara')", True),
        ("contains(displayName,'o''')", True),
        ("contains(manager, 'a')", False),
        ("tolower(city) eq 'oslo' and length(city) eq 4 and indexof(city, 'lo') eq 2", True),
        ("contains(concat(city, toupper(trim(' x '))), 'ox')", True),
        ("org/division eq 'Field' and org/none eq null and city/none eq null", True),
        ("graph.person/org/division eq 'field'", True),
        ("hired lt 2021-07-01T00:00:00Z", True),
        ("hired ge 2021-07-01", False),
        ("hired ge 2021-06-30 and 2030-01-01 gt hired", True),
        ("phones/any(p: startswith(p, '+47'))", True),
        ("phones/all(p: p eq '+47 1')", False),
        ("phones/any() and not (city/any())", True),
        ("members/any(m:m/userId eq 'ben' and m/roles/any(r:r eq 'owner'))", True),
        ("members/all(m: m/roles/any())", False),
        ("age eq 'x' or age lt 'x'", False),
    ],
)  # fmt: skip
def test_what_a_filter_means(text, meant):
    assert matches(parse(text), ANA) is meant


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "Syntax error at position 0"),
        ("city eq", "Syntax error at position 7"),
        ("city eq 'Oslo", "Syntax error at position 8 in"),
        ("city eq 'a' 'b'", "Syntax error at position 12"),
        ("city is 'a'", "Syntax error at position 5"),
        ("'Oslo'", "A condition is missing at position 0"),
        ("(city eq 'a'", "Syntax error at position 12"),
        ("city in 'a'", "Syntax error at position 8"),
        ("city in ()", "Syntax error at position 9"),
        ("eq eq 'a'", "Syntax error at position 0"),
        ("near(city, 'a')", "Unknown function 'near'"),
        ("contains(city)", "'contains' takes 2 arguments, not 1,"),
        ("hired lt 2021-13-01", "Syntax error at position 9"),
        ("city/any(eq: eq/x)", "Syntax error at position 9"),
        ("(" * 5000, "Too deeply nested at position 40"),
        ("contains(" + "tolower(" * 5000, "Too deeply nested"),
    ],
)
def test_what_is_malformed_is_named(text, said):
    with pytest.raises(ODataError) as error:
        parse(text)
    assert str(error.value).startswith(said)


def test_a_long_filter_is_no_deep_one():
    assert matches(parse(" or ".join(["city eq 'Rome'"] * 9000 + ["not not city eq 'Oslo'"])), ANA)


def test_the_properties_of_a_filter_are_known():
    condition = parse(
        "a.b/city eq 'x' or members/any(m: m/userId eq age) and not contains(name, 'a') or b in (1)"
    )
    assert odata.property_names(condition) == {"city", "members", "age", "name", "b"}


def test_rows_are_ordered_by_several_keys():
    rows = [{"n": 2, "t": "b"}, {"n": None, "t": "a"}, {"n": 2, "t": "A"}, {"n": 1, "t": "c"}]
    assert [r["t"] for r in odata.order_rows(rows, "n desc, t")] == ["A", "b", "c", "a"]
    assert [r["n"] for r in odata.order_rows(rows, "n")] == [None, 1, 2, 2]
    with pytest.raises(ODataError, match="Invalid orderby clause: 'n down'"):
        odata.order_rows(rows, "n down")
    with pytest.raises(ODataError, match="Could not find a property named 'm'"):
        odata.order_rows(rows, "m/n desc")


def test_names_are_selected():
    assert odata.parse_select(" id, from/user/id ,id") == ("id", "from")
    assert odata.parse_select("id,*") == ()
    with pytest.raises(ODataError, match=r"Invalid select clause: 'a b'"):
        odata.parse_select("a b")


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ('"hara"', True),
        ('"ara"', False),
        ('"displayName:ana" AND "city:os"', True),
        ('"ben" OR "ana"', True),
        ('"ben OR zoe"', False),
        ('"ben OR ana"', False),
        ('"zoe" "ben" OR "ben"', False),
    ],
)
def test_words_are_searched(text, found):
    assert odata.parse_search(text)(ANA) is found


def test_a_search_without_quotes_is_refused():
    with pytest.raises(ODataError, match="Invalid search clause"):
        odata.parse_search("ana")


names = st.from_regex(r"[a-z]{1,3}", fullmatch=True).filter(lambda name: name not in WORDS)
times = st.datetimes(timezones=st.just(UTC), min_value=datetime(1990, 1, 1), max_value=datetime(2040, 1, 1))
constants = st.builds(
    Literal,
    st.one_of(
        st.text(max_size=4), st.booleans(), st.none(), times, st.integers(-99, 99),
        st.floats(-9, 9, allow_nan=False).map(lambda n: n + 0.0),
    ),
)  # fmt: skip
paths = st.lists(names, min_size=1, max_size=2).map(lambda steps: Path(tuple(steps)))


@st.composite
def functions(draw):
    name = draw(st.sampled_from(sorted(FUNCTIONS)))
    return Function(name, tuple(draw(paths | constants) for _ in range(FUNCTIONS[name])))


operands = constants | paths | functions()
simple = st.one_of(
    st.builds(Compare, st.sampled_from(COMPARISONS), operands, operands),
    st.builds(In, operands, st.lists(constants, min_size=1, max_size=3).map(tuple)),
    paths, functions(), st.booleans().map(Literal),
    st.builds(Each, st.just("any"), paths),
)  # fmt: skip
conditions = st.recursive(
    simple,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(Join, st.sampled_from(("and", "or")), st.lists(inner, min_size=2, max_size=3).map(tuple)),
        st.builds(Each, st.sampled_from(("any", "all")), paths, names, inner),
    ),
    max_leaves=8,
)
plain = st.one_of(
    st.text(max_size=3), st.booleans(), st.none(), st.integers(-9, 9), times.map(lambda t: t.isoformat())
)
values = st.one_of(plain, st.lists(plain, max_size=2), st.dictionaries(names, plain, max_size=3))
rows = st.dictionaries(names, values, max_size=5)


@given(conditions, rows)
def test_a_condition_written_and_read_means_the_same(condition, row):
    again = parse(render(condition))
    assert again == condition
    assert matches(again, row) == matches(condition, row)


@given(st.text(max_size=30))
def test_any_text_is_read_or_refused(text):
    try:
        condition = parse(text)
    except ODataError as error:
        assert "at position" in str(error)
    else:
        assert matches(condition, ANA) == matches(parse(render(condition)), ANA)


@given(conditions, rows, st.integers(0, 200))
def test_half_a_condition_is_read_or_refused(condition, row, length):
    text = render(condition)
    try:
        half = parse(text[:length])
    except ODataError as error:
        assert str(error) and length < len(text)
    else:
        assert matches(half, row) == matches(parse(render(half)), row)
