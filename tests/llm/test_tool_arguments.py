"""Arguments that do not parse are read where they can be read in one way only, and never otherwise."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.llm.reply_parser import parse_reply
from eops_traj.llm.tool_arguments import Arguments, is_unreadable, problem_of, read_arguments, tool_call
from tests.long_texts import linear_time

VALUES = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(), inner, max_size=4),
    max_leaves=12,
)
OBJECTS = st.dictionaries(st.text(), VALUES, max_size=4)

DAMAGED = {
    "trailing comma": ('{"a": "x", "b": [1, 2,],}', {"a": "x", "b": [1, 2]}),
    "python": ("{'a': 'it\\'s', 'b': None, 'c': True}", {"a": "it's", "b": None, "c": True}),
    "double quotes within single": ("{'a': 'say \"hi\"'}", {"a": 'say "hi"'}),
    "bare keys": ("{a: 1, b_c: false}", {"a": 1, "b_c": False}),
    "fence": ('```json\n{"a": 1}\n```', {"a": 1}),
    "fence on one line": ('```{"a": 1}```', {"a": 1}),
    "double encoding": (json.dumps(json.dumps({"a": "x"})), {"a": "x"}),
    "line break in a string": ('{"a": "one\ntwo"}', {"a": "one\ntwo"}),
    "closing brackets left out": ('{"a": {"b": ["x"', {"a": {"b": ["x"]}}),
    "a bracket too many": ('{"a": 1}}', {"a": 1}),
    "a list of one": ('[{"a": 1}]', {"a": 1}),
    "the template's marks": ('{"a": 1}<|im_end|>', {"a": 1}),
    "several at once": ("```\n{'a': [1, 2,], b: 'x'\n```", {"a": [1, 2], "b": "x"}),
}

AMBIGUOUS = {
    "a string that was cut": '{"a": "x',
    "a number that may have been": '{"a": 12',
    "two objects": '{"a": 1}{"b": 2}',
    "a quote in quotes": "{'name': 'O'Brien'}",
    "more after a comma": '{"a": "x",',
    "a value left out": '{"a": , "b": 1}',
    "a key twice": "{'a': 1, 'a': 2}",
    "a key twice in plain JSON": '{"a": 1, "b": 0, "a": 2}',
    "a key twice within": '{"a": [{"b": 1, "b": 1}]}',
    "a key twice in a text": json.dumps('{"a": 1, "a": 2}'),
    "a key twice by an escape": '{"a": 1, "\\u0061": 2}',
    "words after it": '{"a": 1} is what I want',
    "a list": "[1, 2]",
    "a text": '"find her"',
    "no number": '{"a": NaN}',
    "no number that JSON can hold": '{"a": 1e999}',
    "leading zeros": '{"a": 007, }',
    "nothing": "{",
    "no end": "{" * 10_000,
}


@pytest.mark.parametrize("damage", DAMAGED)
def test_what_can_be_read_in_one_way_is_salvaged_and_flagged(damage: str) -> None:
    written, meant = DAMAGED[damage]
    assert read_arguments(written) == (meant, written)
    assert not is_unreadable(tool_call("c", "t", read_arguments(written)))


PROBLEMS = {
    '{"a": NaN}': "not JSON (expected value at line 1 column 7)",
    '{"a": 1e999}': "not JSON (a number out of range)",
    '{"a": 1, "c": {"b": 2, "b": 3}}': "not clear: the key 'b' stands there twice",
    '{"a": ': "not valid JSON: Expecting value: line 1 column 7 (char 6)",
    "[1]": "not a JSON object",
}


@pytest.mark.parametrize("raw", PROBLEMS)
def test_what_is_wrong_is_said(raw: str) -> None:
    assert problem_of(raw) == PROBLEMS[raw] and read_arguments(raw) == (None, raw)


def test_a_key_may_stand_in_several_objects() -> None:
    written = '{"a": {"a": 1}, "b": [{"a": 2}, {"a": 3}]}'
    assert read_arguments(written) == (json.loads(written), None)


@pytest.mark.parametrize("doubt", AMBIGUOUS)
def test_what_could_mean_two_things_is_left_alone(doubt: str) -> None:
    written = AMBIGUOUS[doubt]
    call = tool_call("c", "t", read_arguments(written))
    assert (call.arguments, call.raw) == ("{}", written)
    assert is_unreadable(call)


@pytest.mark.parametrize("written", [None, "", " \n", "null", "{}", {}])
def test_no_arguments_are_no_damage(written: Any) -> None:
    assert read_arguments(written) == ({}, None)


@given(OBJECTS)
def test_plain_json_is_read_as_it_is(value: dict[str, Any]) -> None:
    assert read_arguments(json.dumps(value)) == (value, None)


@given(OBJECTS)
def test_pythons_way_of_writing_it_is_read_back(value: dict[str, Any]) -> None:
    assert read_arguments(repr(value)).value in (value, None if _has_hex_escapes(value) else value)


def _has_hex_escapes(value: Any) -> bool:
    return "\\x" in repr(value) or "\\U" in repr(value)


@given(OBJECTS, st.data())
def test_a_cut_reply_is_never_read_as_another(value: dict[str, Any], data: st.DataObject) -> None:
    text = json.dumps(value)
    cut = text[: data.draw(st.integers(0, len(text)))]
    assert read_arguments(cut, cut=True).value in (value, None) or not cut


@given(st.text(alphabet="{}[]:,\"'\\ntrue10 a", max_size=40))
def test_no_text_breaks_it(text: str) -> None:
    arguments = read_arguments(text)
    assert arguments.value is None or json.loads(json.dumps(arguments.value)) == arguments.value


def test_brackets_are_not_supplied_where_an_argument_is_missing() -> None:
    written = '{"name": "Ana"'
    assert read_arguments(written, required=["name"]).value == {"name": "Ana"}
    assert read_arguments(written, required=["name", "role"]).value is None
    assert is_unreadable(tool_call("c", "t", read_arguments(written, required=["role"])))


@pytest.mark.parametrize("filler", [" ", "\n", '"a",', "{", "<|", "```", "\\"])
def test_a_long_text_takes_no_long_time(filler: str) -> None:
    with linear_time():
        read_arguments('{"a": [' + filler * (200_000 // len(filler)))
        parse_reply("<tool_call>" + filler * (200_000 // len(filler)))
        parse_reply(filler * (200_000 // len(filler)) + "<tool_call>")


@pytest.mark.parametrize(
    "piece",
    [
        "{",
        "[",
        '"',
        "'",
        "\\",
        "<|a|>",
        "</s> ",
        "```",
        '{"a":',
        "[1,",
        '{"a": 1}',
        "<tool_call>",
        '"name":"x" ',
        " ",
    ],
)
@pytest.mark.parametrize(
    "frame", ["{}", '{{"a": "{}"}}', '{{"a": 1}}{}', "<tool_call>{}</tool_call>", "```{}```"]
)
def test_400_000_hostile_characters_take_no_time(piece: str, frame: str) -> None:
    text = frame.format(piece * (400_000 // len(piece)))
    with linear_time():
        read_arguments(text)
        parse_reply(text)


def test_arguments_nested_too_deeply_are_not_read() -> None:
    for text in ("[" * 5000 + "]" * 5000, '{"a":' * 150 + "1" + "}" * 149, "{a: " * 150 + "1" + "}" * 150):
        assert read_arguments(text) == Arguments(None, text)


def test_a_number_of_too_many_digits_is_not_read() -> None:
    text = f"{{a: {'9' * 5000}}}"
    assert read_arguments(text) == Arguments(None, text)
