import json

from hypothesis import given
from hypothesis import strategies as st
from markupsafe import Markup, escape

from eops_traj.view.formatting import changed_columns, colour_json, fold_text, indent_json, seconds

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=8,
)


@given(VALUES)
def test_json_that_is_set_out_keeps_its_value(value: object) -> None:
    assert json.loads(indent_json(json.dumps(value))) == value


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


def test_no_time_has_sixty_seconds_or_a_thousand_milliseconds() -> None:
    assert [seconds(t) for t in (999.6, 59_960, 119_600, 3_599_700)] == [
        "1.0 s",
        "1 m 00 s",
        "2 m 00 s",
        "1 h 00 m",
    ]
    assert seconds(59_940) == "59.9 s"
