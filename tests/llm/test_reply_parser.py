"""A reply that is one text comes apart into what the chat template put together."""

import json

import jinja2
import pytest
from hypothesis import given
from hypothesis import strategies as st

from eops_traj.llm.reply_parser import parse_reply
from eops_traj.llm.tool_arguments import is_unreadable, tool_call
from eops_traj.train.scratch_model import chat_template

WORDS = st.text(alphabet="abc é\n{}\"'<>_", min_size=1).filter(lambda t: t == t.strip() and "<t" not in t)
ARGUMENTS = st.dictionaries(WORDS, WORDS | st.integers() | st.none() | st.lists(st.booleans()), max_size=3)
CALLS = st.lists(st.tuples(st.sampled_from(["find_user", "close"]), ARGUMENTS), max_size=3)


def said(text: str, calls: list[tuple[str, dict[str, object]]], reasoning: str | None) -> str:
    """What the model writes, by the project's own chat template."""
    environment = jinja2.Environment()
    environment.filters["tojson"] = lambda value: json.dumps(value, ensure_ascii=False)
    asked = [{"function": {"name": name, "arguments": arguments}} for name, arguments in calls]
    reply = {"role": "assistant", "content": text, "tool_calls": asked, "reasoning_content": reasoning}
    template = chat_template().replace("{%- generation %}", "").replace("{%- endgeneration %}", "")
    whole = environment.from_string(template).render(messages=[{"role": "user", "content": ""}, reply])
    return whole.partition("<|im_start|>assistant\n")[2].rstrip().removesuffix("<|im_end|>")


@given(WORDS, CALLS, st.none() | WORDS)
def test_what_the_template_writes_is_read_back(text: str, calls, reasoning: str | None) -> None:
    parts = parse_reply(said(text, calls, reasoning))
    assert (parts.text, parts.reasoning) == (text, reasoning)
    assert [(call.name, call.arguments.value) for call in parts.calls] == calls
    assert all(call.arguments.raw is None for call in parts.calls)


@pytest.mark.parametrize(
    ("block", "name", "arguments"),
    [
        ('{"name": "find", "arguments": "{\\"a\\": 1}"}', "find", {"a": 1}),
        ('{"name": "find", "parameters": {"a": 1}}', "find", {"a": 1}),
        ("{'name': 'find', 'arguments': {'a': 1}}", "find", {"a": 1}),
        ('{"name": "find", "arguments": {"a": "x"}', "find", {"a": "x"}),
        ('{"name": "find", "arguments": {"a": "x', "find", None),
        ('{"name": "find"}', "find", {}),
    ],
)
def test_blocks_that_are_nearly_right(block: str, name: str, arguments: dict[str, object] | None) -> None:
    parts = parse_reply(f"Looking.\n<tool_call>\n{block}\n</tool_call>")
    call = parts.calls[0]
    assert (parts.text, call.name, call.arguments.value) == ("Looking.", name, arguments)


@pytest.mark.parametrize(
    ("block", "written"),
    [
        ('{"name": "find", "arguments": {"a": "é", "b": [1]}}', '{"a": "é", "b": [1]}'),
        ('{"name": "find", "arguments": "{\'a\': 1}"}', "{'a': 1}"),
        ("{'name': 'find', 'arguments': {'a': 1}}", "{'name': 'find', 'arguments': {'a': 1}}"),
        ("{'name': 'find', 'arguments': {}}", "{}"),
        ("{'name': 'find', 'arguments': '[1, 2]'}", "[1, 2]"),
    ],
)
def test_what_is_kept_of_a_call_is_its_arguments_where_they_stand_apart(block: str, written: str) -> None:
    [call] = parse_reply(f"<tool_call>{block}</tool_call>").calls
    assert call.written == written and call.arguments.raw in (None, written)
    assert (call.arguments.value is None) == is_unreadable(tool_call("c", "find", call.arguments))


@pytest.mark.parametrize("text", ["<tool_call>\nhelp\n</tool_call>", "a < b", "say <tool_call>", ""])
def test_what_is_no_call_stays_text(text: str) -> None:
    assert parse_reply(text) == (text, None, ())


def test_a_call_that_was_cut_is_not_completed() -> None:
    cut = '<tool_call>\n{"name": "find", "arguments": {"a": "x"}'
    assert parse_reply(cut, cut=True).calls[0].arguments == (None, cut.partition("\n")[2])
    assert parse_reply(cut).calls[0].arguments.value == {"a": "x"}


def test_reasoning_that_the_prompt_opened() -> None:
    assert parse_reply("I look first.</think>\n\nDone.", thinking=True)[:2] == ("Done.", "I look first.")
    assert parse_reply("I look fir", thinking=True, cut=True)[:2] == ("", "I look fir")


@pytest.mark.parametrize("thinking", [False, True])
def test_a_thought_that_nothing_opened_began_with_the_reply(thinking: bool) -> None:
    call = '<tool_call>\n{"name": "%s", "arguments": {}}\n</tool_call>'
    parts = parse_reply(f"Close it? {call % 'close'}\n</think>\n\n{call % 'find'}", thinking=thinking)
    assert (parts.text, parts.reasoning) == ("", f"Close it? {call % 'close'}")
    assert [call.name for call in parts.calls] == ["find"]
    assert parse_reply("One.</think>Two.</think>Three.")[:2] == ("Two.</think>Three.", "One.")


def test_a_thought_that_opens_in_the_middle_of_a_text_is_text() -> None:
    assert parse_reply("One.<think>Two.</think>Three.") == ("One.<think>Two.</think>Three.", None, ())


def test_the_channels_of_gpt_oss_are_thoughts_calls_and_text() -> None:
    said = (
        "<|channel|>analysis<|message|>I look.<|end|><|start|>assistant<|channel|>commentary<|message|>Wait."
        "<|end|><|start|>assistant<|channel|>commentary to=functions.find <|constrain|>json<|message|>"
        '{"a": {"b": [1, "é"]}}<|call|>'
    )
    parts = parse_reply(said, style="harmony")
    assert parts[:2] == ("Wait.", "I look.")
    assert [(call.name, call.arguments) for call in parts.calls] == [("find", ({"a": {"b": [1, "é"]}}, None))]
    cut = said.replace(', "é"]}}<|call|>', "")
    assert parse_reply(cut, style="harmony", cut=True).calls[0].arguments == (None, '{"a": {"b": [1')
    assert parse_reply("<|channel|>final<|message|>Done.", style="harmony") == ("Done.", None, ())
    assert parse_reply("Done.", style="harmony") == ("Done.", None, ())


@pytest.mark.parametrize(
    ("said", "arguments"),
    [
        ('{"name": "find", "parameters": {"a": [1, {"b": "é"}]}}', {"a": [1, {"b": "é"}]}),
        ('<|python_tag|>{"type": "function", "name": "find", "parameters": {}}', {}),
        ("{'name': 'find', 'parameters': {'a': 1}}", {"a": 1}),
        ('{"name": "Odile", "id": 7}', None),
        ('["name", "find"]', None),
        ('The call: {"name": "find", "parameters": {}}', None),
    ],
)
def test_a_call_of_llama_is_a_whole_reply_of_json(said: str, arguments: dict[str, object] | None) -> None:
    parts = parse_reply(said, style="llama3_json")
    assert [call.arguments.value for call in parts.calls] == ([] if arguments is None else [arguments])
    assert parts.text == (said if arguments is None else "")
    assert parse_reply(said) == (said, None, ())
