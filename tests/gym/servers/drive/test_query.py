import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.api_styles.google import GoogleRefusal
from eops_traj.gym.servers.drive import search
from eops_traj.gym.servers.drive.query import (
    RESERVED,
    Comparison,
    Has,
    Joined,
    Membership,
    Not,
    QuerySyntaxError,
    parse,
)
from tests.gym.servers.drive.query_text import render

FIELDS = st.from_regex(r"[A-Za-z][A-Za-z0-9_.]{0,8}", fullmatch=True).filter(
    lambda word: word.lower() not in RESERVED
)
ATOMS = st.one_of(
    st.builds(
        Comparison, FIELDS, st.sampled_from(["=", "!=", "<", "<=", ">", ">=", "contains"]),
        st.one_of(st.text(), st.booleans(), st.integers(-(10**17), 10**17)),
    ),
    st.builds(Membership, st.text(), FIELDS),
    st.builds(Has, FIELDS, st.text(), st.text()),
)  # fmt: skip
TREES = st.recursive(
    ATOMS,
    lambda inner: st.one_of(
        st.builds(Not, inner),
        st.builds(Joined, st.sampled_from(["and", "or"]), st.lists(inner, min_size=2, max_size=4).map(tuple)),
    ),
    max_leaves=12,
)


@given(TREES)
def test_a_query_rendered_and_parsed_is_the_same(tree):
    assert parse(render(tree)) == tree


def test_and_binds_tighter_than_or_and_not_tighter_than_both():
    a, b, c = (Comparison(name, "=", True) for name in "abc")
    assert parse("not a and b or c") == Joined("or", (Joined("and", (Not(a), b)), c))
    assert parse("not (a AND (b or c = true))") == Not(Joined("and", (a, Joined("or", (b, c)))))


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r"'it\'s'", "it's"), (r'"say \"hi\""', 'say "hi"'), (r"'back\\slash'", "back\\slash"), ("''", ""),
        (r"'\n'", r"\n"), ("TRUE", True), ("-7", -7),
    ],
)  # fmt: skip
def test_values_are_quoted_with_a_backslash(text, value):
    assert parse(f"name = {text}") == Comparison("name", "=", value)


MALFORMED = [
    "name =", "= 'x'", "name 'x'", "name = 'x", "name = x", "(name = 'x'", "name = 'x')", "name = 'x' and",
    "and", "'x'", "'x' in", "'x' in 'y'", "x has { key='a' }", "x has { value='a' and key='b' }",
    "name == 'x'",
    "name = 'x' name = 'y'", "name ? 'x'", "name = 1.5", "not", "()", "\\", "(" * 99 + "a" + ")" * 99,
    " and ".join(["a"] * 101), "not " * 99 + "a", "7 = 7",
]  # fmt: skip


@pytest.mark.parametrize("text", MALFORMED)
def test_what_does_not_parse_says_so(text):
    with pytest.raises(QuerySyntaxError):
        parse(text)


@pytest.mark.parametrize(
    "text",
    [
        "size > 5", "name > 'x'", "name contains true", "trashed = 'true'", "trashed > true",
        "modifiedTime > 'soon'",
        "modifiedTime contains '2025'", "'x' in name", "parents = 'x'", "properties = 'x'",
        "name has { key='a' and value='b' }",
        "fullText = 'x'", "name", "name = 'x", "fullText contains '" + "a " * 300 + "'",
    ],
)  # fmt: skip
def test_a_query_that_means_nothing_is_an_invalid_value(text):
    with pytest.raises(GoogleRefusal) as refused:
        search.condition(text, search.FILES)
    assert (refused.value.message, refused.value.location) == ("Invalid Value", "q")
