import json
import math
from typing import Annotated, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import ConfigDict, Field, TypeAdapter, ValidationError
from typing_extensions import TypedDict  # pydantic takes no other before Python 3.12

from eops_traj.gym import registry
from eops_traj.gym.tools.arguments import Argument, input_schema, validate_arguments
from eops_traj.gym.tools.sizes import QUERY, TEXT

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


class Keyed(TypedDict):
    """An object with a number; pydantic keeps what else it has, as told by the line below."""

    k: int


Keyed.__pydantic_config__ = ConfigDict(extra="allow")  # type: ignore[attr-defined]


def sized(kind: Any, **bounds: float) -> Any:
    return Annotated[kind, Field(**bounds)]  # type: ignore[arg-type]


TEXTS, NUMBERS = (
    {"type": "array", "items": {"type": "string"}},
    {"type": "array", "items": {"type": "integer"}},
)
_END = r"^(a|[^$]\$)$"
TYPES: dict[str, tuple[dict[str, Any], Any]] = {
    "short": ({"type": "string", "minLength": 1, "maxLength": 3}, sized(str, min_length=1, max_length=3)),
    "long": ({"type": "string", "minLength": 2}, sized(str, min_length=2)),
    "letter": ({"type": "string", "maxLength": 1}, sized(str, max_length=1)),
    "pattern": ({"type": "string", "pattern": "^a"}, Annotated[str, Field(pattern="^a")]),
    "end": ({"type": "string", "pattern": _END}, Annotated[str, Field(pattern=_END)]),
    "digit": ({"type": "integer", "minimum": 1, "maximum": 5}, sized(int, ge=1, le=5)),
    "share": ({"type": ["number", "null"], "minimum": 0.5, "maximum": 2}, sized(float, ge=0.5, le=2) | None),
    "flag": ({"type": "boolean"}, bool),
    "few": ({**TEXTS, "minItems": 1, "maxItems": 2}, sized(list[str], min_length=1, max_length=2)),
    "two": ({**NUMBERS, "minItems": 2}, sized(list[int], min_length=2)),
    "one": ({**TEXTS, "maxItems": 1}, sized(list[str], max_length=1)),
    "object": ({"type": "object", "properties": {"k": {"type": "integer"}}, "required": ["k"]}, Keyed),
}
"""Schemas with the types that pydantic has for them."""
VALUES = [
    None, True, False, 0, 1, -1, 2, 5, 6, 7, 1.0, 0.0, 1.5, -0.5, 0.5, 2.0, 2.5, 2.51,
    "", "a", "ab", "abc", "abcd", "b", " 7 ", "7.0", "7.5", "7.", "+7", "5", "x", "1e1",
    "yes", "OFF", " on ", "1", "0", "t", "T", "f", "n", "no", "off", "false", "False",
    "a\n", "b$", "b$\n", "$$",
    [], ["x"], ["x", "x"], ["x"] * 3, ["1", 2], [3, 4], [None],
    {}, {"k": 1}, {"k": "x"}, {"k": 1, "z": 2}, {"z": 1},
]  # fmt: skip


@pytest.mark.parametrize("name", TYPES)
@pytest.mark.parametrize("value", VALUES, ids=repr)
def test_pydantic_reads_the_same_and_says_the_same(name, value):
    schema, type_ = TYPES[name]
    read, problems = validate_arguments((Argument(name, schema),), {name: value})
    try:
        theirs = TypeAdapter(type_).validate_python(value)
    except ValidationError as error:
        expected = [(e["type"], (name, *e["loc"]), e["msg"]) for e in error.errors()]
        assert [(p.type, p.loc, p.msg) for p in problems] == expected
    else:
        assert (repr(read[name]), problems) == (repr(theirs), [])


@pytest.mark.parametrize(
    ("schema", "value", "type"),
    [
        ({"type": "integer"}, 2**63 - 1, None),
        ({"type": "integer"}, 2**63, "int_parsing_size"),
        ({"type": "integer"}, -(2**63), None),
        ({"type": "integer"}, -(2**63) - 1, "int_parsing_size"),
        ({"type": "integer"}, math.nan, "finite_number"),
        ({"type": "integer"}, -math.inf, "finite_number"),
        ({"type": "number"}, math.nan, "finite_number"),
        ({"type": "string", "pattern": "a"}, "a" * 1_000, None),
        ({"type": "string", "pattern": "a"}, "a" * 1_001, "string_pattern_mismatch"),
    ],
)
def test_what_a_database_or_a_pattern_cannot_take_is_refused(schema, value, type):
    problems = validate_arguments((Argument("x", schema),), {"x": value})[1]
    assert [problem.type for problem in problems] == ([type] if type else [])


def test_a_name_that_there_is_not_is_refused_where_the_tool_is_closed():
    given = {"s": "abc", "more": 1, "large": "x" * 200_000}
    assert validate_arguments(ARGUMENTS, given) == ({"s": "abc"}, [])
    values, problems = validate_arguments(ARGUMENTS, given, closed=True)
    assert values == {"s": "abc"}
    assert [(p.type, p.loc, p.input) for p in problems] == [
        ("extra_forbidden", ("more",), 1), ("extra_forbidden", ("large",), None),
    ]  # fmt: skip


def test_parts_of_texts_are_shorter_than_texts_that_are_kept():
    column = registry.server("csm").schema.tables["location"].columns["name"]
    for argument, most in (
        (Argument("q", {"type": "string"}), QUERY),
        (Argument("q", {"type": ["string", "null"]}, column=column, operator="~"), QUERY),
        (Argument("q", {"type": "string"}, column=column), TEXT),
        (Argument("q", {"type": "array"}), TEXT),
    ):
        assert argument.longest == most


def test_a_schema_says_its_choices_as_an_enum_or_in_words():
    one = {"type": "string", "enum": ["x", "y"], "description": "Which.", "to_lower": True}
    arguments = Argument("one", one, required=True), Argument("many", {"type": "array", "items": one})
    exact = input_schema(arguments, {"additionalProperties": False})
    assert exact["properties"] == {"one": one, "many": {"type": "array", "items": one}}
    assert (exact["required"], exact["additionalProperties"]) == (["one"], False)
    words = {"type": "string", "description": "Which. One of: x, y."}
    assert input_schema(arguments, {}, plain=True)["properties"] == {
        "one": words, "many": {"type": "array", "items": words, "description": "One of: x, y."},
    }  # fmt: skip
    assert "required" not in input_schema(arguments[1:], {})


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
