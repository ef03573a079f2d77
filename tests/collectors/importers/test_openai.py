"""Chat lines and ShareGPT conversations as others write them."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.base import open_importer
from eops_traj.messages import messages

CALL = {"id": "c", "type": "function", "function": {"name": "now", "arguments": '{"tz": "UTC"}'}}


def read(tmp_path: Path, format_: str, record: Any) -> EpisodeBundle:
    """The one episode of a record."""
    (tmp_path / "d.json").write_text(json.dumps([record]))
    [found] = open_importer(format_).read(tmp_path / "d.json")
    return found


@pytest.mark.parametrize("arguments", ['{"tz": "UTC"}', {"tz": "UTC"}])
def test_messages_become_turns(tmp_path: Path, arguments: Any) -> None:
    call = {**CALL, "function": {"name": "now", "arguments": arguments}}
    said = [
        {"role": "developer", "content": "Brief."},
        {"role": "user", "content": "Time?"},
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c", "content": "noon"},
        {"role": "user", "content": "Well?"},
        {"role": "assistant", "content": "Noon.", "reasoning_content": "Hm."},
    ]
    found = read(tmp_path, "openai", {"messages": said, "weight": 2})
    first, last = found.episode.turns
    assert (found.prompt.text, found.episode.user_prompt, last.nudge) == ("Brief.", "Time?", "Well?")
    assert (first.tool_calls[0].arguments, first.tool_calls[0].result) == ('{"tz":"UTC"}', "noon")
    assert (last.text, last.reasoning, found.episode.outcome) == ("Noon.", "Hm.", "unverified")
    assert json.loads(found.episode.details) == {"openai": {"weight": 2}}


def test_arguments_that_do_not_parse_are_kept_as_they_were(tmp_path: Path) -> None:
    call = {**CALL, "function": {"name": "now", "arguments": '{"tz": "U'}}
    said = [{"role": "user", "content": "Time?"}, {"role": "assistant", "tool_calls": [call]}]
    [made] = read(tmp_path, "openai", {"messages": said}).episode.tool_calls()
    assert (made.arguments, made.raw) == ("{}", '{"tz": "U')


def test_functions_are_tools_of_the_older_form(tmp_path: Path) -> None:
    older = {"name": "now", "arguments": '{"tz": "UTC"}'}
    said = [
        {"role": "user", "content": "Time?"},
        {"role": "assistant", "content": None, "function_call": older},
        {"role": "function", "name": "now", "content": "noon"},
        {"role": "assistant", "content": None, "function_call": older, "tool_calls": [CALL]},
        {"role": "tool", "tool_call_id": "c", "content": "still noon"},
        {"role": "assistant", "content": "Noon.", "function_call": None},
    ]
    functions = [{"name": "now", "parameters": {"type": "object", "required": ["tz"]}}]
    found = read(tmp_path, "openai", {"messages": said, "functions": functions})
    calls = [(call.name, call.arguments, call.result) for call in found.episode.tool_calls()]
    assert calls == [("now", '{"tz":"UTC"}', "noon"), ("now", '{"tz":"UTC"}', "still noon")]
    assert (found.toolset.origin, found.episode.details) == ("listed", "{}")
    assert json.loads(found.toolset.tools)[0]["inputSchema"] == functions[0]["parameters"]


def test_a_functions_result_is_of_the_call_of_its_name(tmp_path: Path) -> None:
    made = {"role": "assistant", "function_call": {"name": "now", "arguments": "{}"}}
    said = [made, {"role": "function", "name": "nows", "content": "noon"}]
    with pytest.raises(FormatError, match="a result of the function 'nows', which no call waits for"):
        read(tmp_path, "openai", {"messages": said})


def _unnamed(call: str, zone: str) -> dict[str, Any]:
    """A reply that makes a call without an id."""
    function = {"name": call, "arguments": {"tz": zone}}
    return {"role": "assistant", "tool_calls": [{"function": function}]}


@pytest.mark.parametrize(
    ("answers", "results"),
    [
        ([("tool", None, "noon"), ("tool", None, "one")], ["noon", "one", None]),
        ([("function", "now", "noon"), ("function", "now", "one")], ["noon", "one", None]),
        ([("function", "day", "Monday"), ("function", "now", "noon")], ["noon", None, "Monday"]),
        ([("tool", "day", "Monday"), ("tool", "date", "noon")], ["noon", None, "Monday"]),
    ],
)
def test_results_without_ids_are_of_the_calls_in_order_and_of_the_name(
    answers: list[tuple[str, str | None, str]], results: list[str | None], tmp_path: Path
) -> None:
    said = [_unnamed("now", "UTC"), _unnamed("now", "CET"), _unnamed("day", "CET")]
    said += [{"role": role, "name": name, "content": text} for role, name, text in answers]
    found = read(tmp_path, "openai", {"messages": said})
    assert [call.result for call in found.episode.tool_calls()] == results


def test_a_call_that_was_given_up_takes_no_result_of_a_later_one(tmp_path: Path) -> None:
    said = [_unnamed("now", "UTC"), {"role": "user", "content": "Not that."}, _unnamed("now", "CET")]
    said += [{"role": "tool", "content": "one"}, {"role": "tool", "content": "noon"}]
    found = read(tmp_path, "openai", {"messages": said})
    assert [call.result for call in found.episode.tool_calls()] == ["noon", "one"]


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": None, "refusal": "I can't help."}, "I can't help.", None),
        ({"content": "Noon.", "refusal": None}, "Noon.", None),
        ({"content": "Noon.", "reasoning": "Hm."}, "Noon.", "Hm."),
        ({"content": "Noon.", "reasoning_content": "Ha.", "reasoning": "Hm."}, "Noon.", "Ha."),
        ({"content": "Noon.", "reasoning_content": None, "reasoning": "Hm.", "weight": 1}, "Noon.", "Hm."),
    ],
)
def test_refusals_are_text_and_reasoning_has_two_names(
    message: dict[str, Any], text: str, reasoning: str | None, tmp_path: Path
) -> None:
    said = [{"role": "user", "content": "Time?"}, {"role": "assistant", **message}]
    [turn] = read(tmp_path, "openai", {"messages": said}).episode.turns
    assert (turn.text, turn.reasoning) == (text, reasoning)


def test_what_the_system_says_later_comes_before_the_next_reply(tmp_path: Path) -> None:
    said = [("system", "Brief."), ("user", "Time?"), ("developer", "In UTC."), ("assistant", "Noon.")]
    said += [("system", "In French."), ("user", "Well?"), ("assistant", "Midi."), ("system", "Stop.")]
    lines = [{"role": role, "content": text} for role, text in said]
    found = read(tmp_path, "openai", {"messages": lines})
    assert found.prompt.text == "Brief.\n\nIn UTC."
    assert [turn.nudge for turn in found.episode.turns] == [None, "In French.\n\nWell?"]
    aside = [{"after_turns": 1, "system": "In French."}, {"after_turns": 2, "system": "Stop."}]
    assert json.loads(found.episode.details) == {"openai": {"aside": aside}}


def test_a_conversation_may_begin_with_the_agent(tmp_path: Path) -> None:
    said = [("assistant", "How can I help?"), ("user", "Time?"), ("assistant", "Noon.")]
    lines = [{"role": role, "content": text} for role, text in said]
    assert messages(read(tmp_path, "openai", {"messages": lines}).episode, "") == lines


@pytest.mark.parametrize("name", ["d.json", "d.jsonl"])
def test_a_mark_of_byte_order_is_no_part_of_the_json(name: str, tmp_path: Path) -> None:
    line = json.dumps({"messages": [{"role": "assistant", "content": "Noon."}]})
    (tmp_path / name).write_text(f"\ufeff{line}\n", encoding="utf-8")
    [found] = open_importer("openai").read(tmp_path / name)
    assert found.episode.response == "Noon."


@pytest.mark.parametrize("weight", [0, 0.5])
def test_a_reply_that_is_not_to_be_trained_on_is_refused(
    weight: float, tmp_path: Path, cli: Callable[..., Any]
) -> None:
    said = [
        {"role": "assistant", "content": "Ten."},
        {"role": "assistant", "content": "Noon.", "weight": weight},
    ]
    (tmp_path / "d.json").write_text(json.dumps([{"messages": said}]))
    ran = cli("import", "openai", tmp_path / "d.json", "--store", tmp_path / "s")
    assert ran.code == 2 and f"reply 2 has the weight {weight}, of which a turn has no field" in ran.err
    assert ran.err.count("\n") == 1 and not (tmp_path / "s").exists()


def test_sharegpt_in_the_words_of_either_harness(tmp_path: Path) -> None:
    calls = [{"name": "now", "arguments": {"tz": zone}} for zone in ("UTC", "CET")]
    said = [
        {"from": "user", "value": "Time?"},
        {"from": "function_call", "value": json.dumps(calls)},
        {"from": "observation", "value": '["noon", "one"]'},
        {"from": "gpt", "value": "Noon."},
    ]
    tools = json.dumps([{"name": "now", "parameters": {"type": "object"}}])
    found = read(tmp_path, "sharegpt", {"conversations": said, "system": "Brief.", "tools": tools})
    assert [call.result for call in found.episode.tool_calls()] == ["noon", "one"]
    assert (found.prompt.text, found.episode.response, found.toolset.origin) == ("Brief.", "Noon.", "listed")


def test_observations_after_several_calls_are_theirs_in_order(tmp_path: Path) -> None:
    calls = [json.dumps({"name": "price", "arguments": {"of": item}}) for item in ("ink", "pen")]
    said = [{"from": "function_call", "value": call} for call in calls]
    said += [{"from": "observation", "value": value} for value in ("ink: 1", "pen: 2")]
    found = read(tmp_path, "sharegpt", {"conversations": said})
    assert [call.result for call in found.episode.tool_calls()] == ["ink: 1", "pen: 2"]


@pytest.mark.parametrize(
    ("values", "results"),
    [
        (['[{"temp": 3}, {"temp": 15}]'], ['{"temp": 3}', '{"temp": 15}']),
        (['["cold", {"temp": 15}]'], ["cold", '{"temp": 15}']),
        (["[3, null]"], ["3", "null"]),
        (['[{"temp": 3}]'], ['[{"temp": 3}]', None]),
        (['{"a": 1, "b": 2}'], ['{"a": 1, "b": 2}', None]),
        (['[{"temp": 3}, {"temp": 4}]', "[]"], ['[{"temp": 3}, {"temp": 4}]', "[]"]),
        (['["a", "b"]', "c"], ['["a", "b"]', "c"]),
    ],
)
def test_each_of_several_calls_has_its_own_result(
    values: list[str], results: list[str | None], tmp_path: Path
) -> None:
    calls = [{"name": "weather", "arguments": {"city": city}} for city in ("Oslo", "Bonn")]
    said = [{"from": "human", "value": "Cold?"}, {"from": "function_call", "value": json.dumps(calls)}]
    said += [{"from": "observation", "value": value} for value in values]
    found = read(tmp_path, "sharegpt", {"conversations": [*said, {"from": "gpt", "value": "Yes."}]})
    assert [call.result for call in found.episode.tool_calls()] == results


def test_a_list_that_is_the_result_of_one_call_is_its_whole(tmp_path: Path) -> None:
    call = json.dumps({"name": "weather", "arguments": {}})
    said = [{"from": "function_call", "value": call}, {"from": "observation", "value": '[{"temp": 3}]'}]
    [made] = read(tmp_path, "sharegpt", {"conversations": said}).episode.tool_calls()
    assert made.result == '[{"temp": 3}]'


@pytest.mark.parametrize(
    ("said", "wrong"),
    [
        ([{"from": "king", "value": "!"}], "nobody is called 'king'; choose from system, human"),
        ([{"from": "observation", "value": "!"}], "which no call waits for"),
        ([{"from": "function_call", "value": "now()"}], "not JSON"),
        ([{"from": "human"}], "conversations.0.value: Field required"),
        ([], "conversations: List should have at least 1 item"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, said: list[Any], wrong: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, "sharegpt", {"conversations": said})
    assert "d.json record 1: not sharegpt" in str(caught.value) and wrong in str(caught.value)
