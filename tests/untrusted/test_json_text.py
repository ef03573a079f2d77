"""JSON from outside is read as JSON, or refused with one line and at once."""

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.errors import FormatError
from eops_traj.untrusted.json_text import parse_json, shorten_value
from tests.hostile import JSON_TEXTS
from tests.long_texts import linear_time

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner) | st.dictionaries(st.text(), inner),
    max_leaves=10,
)


@given(value=VALUES)
def test_what_json_writes_is_read_back(value: object) -> None:
    assert parse_json(json.dumps(value)) == parse_json(json.dumps(value).encode()) == value


@pytest.mark.parametrize(
    ("text", "value"),
    [
        (r'"a\ud800b"', "a\ufffdb"),
        (r'"\\ud800"', r"\ud800"),
        (r'"\ud83d\ude00\udc00"', "\U0001f600\ufffd"),
        ('"\ud800"', "\ufffd"),
        (r'"\u0000"', "\0"),
        ("1e308", 1e308),
        ("123456789012345678901234567890", 123456789012345678901234567890),
        ('{"a": 1, "a": 2}', {"a": 2}),
    ],
)
def test_what_models_and_harnesses_write_is_taken(text: str, value: object) -> None:
    assert parse_json(text) == value


@pytest.mark.parametrize(
    "text",
    ["NaN", "[-Infinity]", "1e999", '{"a": -1E+0999}', "9" * 400 + ".5", "9" * 210 + "e99", "", "{", "1 2"],
)
def test_what_is_no_json_is_refused(text: str) -> None:
    with pytest.raises(FormatError, match="not JSON"):
        parse_json(text)


@pytest.mark.parametrize("name", JSON_TEXTS)
def test_a_hostile_text_is_read_or_refused_with_one_line_at_once(name: str) -> None:
    text = JSON_TEXTS[name].encode(errors="surrogateescape")
    with linear_time():
        try:
            parse_json(text)
        except FormatError as error:
            assert "\n" not in str(error)


def test_a_text_beyond_the_limit_is_not_read() -> None:
    with pytest.raises(FormatError, match="12 characters, of at most 11"):
        parse_json('"0123456789"', most=11)


@pytest.mark.parametrize("value", ["x" * 10**6, 10**5000, [1] * 10**5, {"a": "\n"}, b"y" * 1000], ids=type)
def test_a_value_is_shown_shortened_and_on_one_line(value: object) -> None:
    shown = shorten_value(value)
    assert len(shown) <= 80 and "\n" not in shown
