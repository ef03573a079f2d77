import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.gym.tools.arguments import Argument, validate_arguments

SCHEMAS = {
    "s": {"type": "string", "minLength": 1, "maxLength": 3},
    "i": {"type": "integer", "minimum": 0},
    "n": {"type": ["number", "null"]},
    "b": {"type": "boolean"},
    "e": {"type": "string", "enum": ["x", "y"]},
    "a": {"type": "array", "items": {"type": "string", "enum": ["x"]}, "maxItems": 2},
    "o": {"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]},
    "p": {"type": "string", "pattern": "^a"},
}
ARGUMENTS = tuple(Argument(name, schema) for name, schema in SCHEMAS.items())


@pytest.mark.parametrize(
    ("given", "value"),
    [
        ({"i": "7"}, 7),
        ({"i": 7.0}, 7),
        ({"b": "yes"}, True),
        ({"b": 0}, False),
        ({"n": None}, None),
        ({"n": "1.5"}, 1.5),
    ],
)
def test_values_are_read_as_pydantic_reads_them(given, value):
    values, problems = validate_arguments(ARGUMENTS, given)
    assert list(values.values()) == [value] and not problems


@pytest.mark.parametrize(
    ("given", "kind", "loc"),
    [
        ({"s": 7}, "string_type", ("s",)),
        ({"s": ""}, "string_too_short", ("s",)),
        ({"s": "long"}, "string_too_long", ("s",)),
        ({"s": "\ud800"}, "string_unicode", ("s",)),
        ({"i": "x"}, "int_parsing", ("i",)),
        ({"i": 1.5}, "int_from_float", ("i",)),
        ({"i": 2**63}, "int_parsing_size", ("i",)),
        ({"i": -1}, "greater_than_equal", ("i",)),
        ({"i": None}, "int_type", ("i",)),
        ({"b": "maybe"}, "bool_parsing", ("b",)),
        ({"e": "X"}, "enum", ("e",)),
        ({"a": "x"}, "list_type", ("a",)),
        ({"a": ["x", "z"]}, "enum", ("a", 1)),
        ({"a": ["x"] * 3}, "too_long", ("a",)),
        ({"o": {}}, "missing", ("o", "k")),
        ({"p": "b"}, "string_pattern_mismatch", ("p",)),
    ],
)
def test_what_does_not_conform_is_named(given, kind, loc):
    _, (problem,) = validate_arguments(ARGUMENTS, given)
    assert (problem.type, problem.loc) == (kind, loc)


def test_pydantic_says_the_same():
    from typing import Literal

    from pydantic import BaseModel, Field, ValidationError

    class Model(BaseModel):
        s: str = Field(min_length=1)
        i: int
        b: bool
        n: float
        lit: Literal["a", "b", "c"]

    fields = {"s": {"type": "string", "minLength": 1}, "i": {"type": "integer"}, "b": {"type": "boolean"}}
    fields |= {"n": {"type": "number"}, "lit": {"type": "string", "enum": ["a", "b", "c"]}}
    arguments = tuple(Argument(name, schema, required=True) for name, schema in fields.items())
    for bad in (
        {},
        {"s": "", "i": "x", "b": "z", "n": "q", "lit": "d"},
        {"s": 1, "i": [], "b": [], "n": [], "lit": "d"},
    ):
        with pytest.raises(ValidationError) as caught:
            Model(**bad)
        theirs = [(e["loc"], e["msg"]) for e in caught.value.errors()]
        assert [(p.loc, p.msg) for p in validate_arguments(arguments, bad)[1]] == theirs


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=3), inner, max_size=3),
)


@given(st.dictionaries(st.sampled_from(list(SCHEMAS)), JSON))
def test_anything_is_either_read_or_reported(given):
    values, problems = validate_arguments(ARGUMENTS, given)
    reported = {problem.loc[0] for problem in problems}
    read = {name: value for name, value in values.items() if name not in reported}
    assert read.keys() | reported == given.keys()
    assert validate_arguments(ARGUMENTS, read) == (read, [])  # what was read conforms


@pytest.mark.parametrize(
    ("value", "type", "message"),
    [
        ("x" * 10_001, "string_too_long", "String should have at most 10000 characters"),
        (["x"] * 1_001, "too_long", "List should have at most 1000 items"),
        ({str(n): n for n in range(1_001)}, "too_long", "Dictionary should have at most 1000 keys"),
        ({"a": ["x" * 100_001]}, "string_too_long", "String should have at most 100000 characters"),
        (
            {"a": ["\N{GREEK SMALL LETTER ETA}" * 70_000]},
            "string_too_long",
            "String should have at most 100000 characters",
        ),
        (["x" * 66_000] * 2, "too_long", "List should have at most 131072 bytes of JSON"),
        (
            {"a": ["\N{GREEK SMALL LETTER ETA}" * 30_000]},
            "too_long",
            "Dictionary should have at most 131072 bytes of JSON",
        ),
        (json.loads("[" * 50 + "]" * 50), "too_deep", "Input should be nested at most 40 levels deep"),
    ],
)
def test_arguments_have_greatest_sizes(value, type, message):
    kind = {str: "string", list: "array", dict: "object"}[value.__class__]
    values, [problem] = validate_arguments((Argument("a", {"type": kind}),), {"a": value})
    assert (values, problem.type, problem.msg) == ({}, type, message)
