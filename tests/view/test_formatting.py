import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from eops_traj.view.formatting import (
    changed_columns,
    colour_json,
    day,
    fold_text,
    indent_json,
    percent,
    seconds,
)  # fmt: skip

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
def test_json_that_is_set_out_keeps_its_value(value: object) -> None:
    assert json.loads(indent_json(json.dumps(value))) == value


@given(VALUES)
def test_json_is_set_out_as_python_sets_it_out(value: object) -> None:
    """Where its numbers are written as Python writes them."""
    text = json.dumps(value)
    set_out = [json.dumps(value, ensure_ascii=False, indent=indent) for indent in (None, 2)]
    assert indent_json(text) in (set_out if isinstance(value, dict | list) else [text])


LONG = "x" * 96


@pytest.mark.parametrize(
    ("written", "shown"),
    [
        ('{"price":10.10,"id":12345678901234567890123}', '{"price": 10.10, "id": 12345678901234567890123}'),
        ("[1e400,-0.0,1E+2]", "[1e400, -0.0, 1E+2]"),
        ("[NaN,-Infinity]", "[NaN, -Infinity]"),
        ('{"id":1,"id":2}', '{"id":1,"id":2}'),
        ('[{"a":{"id":1.50,"id":1.50}}]', '[{"a":{"id":1.50,"id":1.50}}]'),
        (
            f'{{"a":[],"b":{{}},"c":["{LONG}"]}}',
            f'{{\n  "a": [],\n  "b": {{}},\n  "c": [\n    "{LONG}"\n  ]\n}}',
        ),
    ],
)
def test_numbers_and_repeated_keys_are_shown_as_they_are_written(written: str, shown: str) -> None:
    assert indent_json(written) == shown


def test_json_that_is_too_deep_is_shown_as_it_is() -> None:
    for depth in (400, 900, 100_000):
        deep = f"{'[' * depth}{']' * depth}"
        assert indent_json(deep, nested=True).replace(" ", "").replace("\n", "") == deep


def test_a_changed_row_shows_its_numbers_as_they_are_written() -> None:
    [price, lines] = changed_columns('{"price":10.10,"lines":"[1.50]"}', '{"price":10.1,"lines":[1.500]}')
    assert (price, lines) == (("price", "10.10", "10.1"), ("lines", "[1.50]", "[1.500]"))
    assert changed_columns(None, '{"id":1,"id":2}') == [("", None, escape('{"id":1,"id":2}'))]


@given(st.one_of(st.text(), st.text("<>&\"'{}[]: 1tru\\").map(lambda t: "{" + t), VALUES.map(json.dumps)))
def test_colour_changes_no_character_and_lets_no_markup_through(text: str) -> None:
    spans = colour_json(text)
    for tag in ('<span class="k">', '<span class="s">', '<span class="n">', '<span class="b">', "</span>"):
        spans = Markup(str(spans).replace(tag, ""))
    assert str(spans) == str(escape(text))


def test_long_texts_are_folded() -> None:
    assert fold_text('{"a": 1}').head is None
    long = fold_text(json.dumps(list(range(100))))
    assert long.lines == 102 and long.head is not None and str(long.head).count("\n") == 7


def test_a_changed_row_marks_the_lines_that_differ() -> None:
    before = json.dumps(
        {"members": json.dumps([{"id": n, "role": "x" * 30} for n in range(4)]), "name": "<b>"}
    )
    [members, name] = changed_columns(before, before.replace('id\\": 2', 'id\\": 9'))
    assert members.before.count("<del>") == 1 and "<ins>    &#34;id&#34;: 9,</ins>" in members.after
    assert name == ("name", "&lt;b&gt;", "&lt;b&gt;")
    assert changed_columns(None, "no json") == [("", None, "no json")]


def test_times_have_units() -> None:
    assert [seconds(t) for t in (None, 0.2, 450, 1234, 200_000, 7_530_000)] == [
        "–",
        "<1 ms",
        "450 ms",
        "1.2 s",
        "3 m 20 s",
        "2 h 05 m",
    ]


@pytest.mark.parametrize(
    ("time", "shown"),
    [
        ("2026-01-02T01:04:05+02:00", "2026-01-01 23:04"),
        ("2026-01-02T01:04:05.123Z", "2026-01-02 01:04"),
        ("2026-01-02T01:04:05", "2026-01-02 01:04"),
        ("2026-01-02", "2026-01-02"),
        ("0001-01-01T00:00:00+02:00", "0001-01-01 00:00"),
        ("yesterday", "yesterday"),
        (None, "–"),
    ],
)
def test_a_day_is_that_of_utc(time: str | None, shown: str) -> None:
    assert day(time) == shown


def test_no_time_has_sixty_seconds_or_a_thousand_milliseconds() -> None:
    assert [seconds(t) for t in (999.6, 59_960, 119_600, 3_599_700)] == [
        "1.0 s",
        "1 m 00 s",
        "2 m 00 s",
        "1 h 00 m",
    ]
    assert seconds(59_940) == "59.9 s"


def test_a_page_says_all_and_none_of_these_alone() -> None:
    shares = (1, 2499 / 2500, 0.5, 1 / 2500, 0, None)
    assert [percent(share) for share in shares] == ["100%", ">99%", "50%", "<1%", "0%", "–"]
