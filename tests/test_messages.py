"""Episodes become chat messages, whole and in order."""

from dataclasses import replace

from eops_traj.messages import calls, function_tools, messages, opening
from eops_traj.schema import Json, ToolCall, ToolSet, Turn
from tests.episodes import EPISODE, episode
from tests.selected import call, calling


def test_the_conversation_is_whole_and_in_order() -> None:
    roles = [m["role"] for m in messages(EPISODE, "Policy.")]
    assert roles == ["system", "user", "assistant", "tool", "assistant"]
    assert messages(EPISODE, "")[0]["role"] == "user"


def test_arguments_are_dicts_and_a_result_names_its_call() -> None:
    conversation = messages(calling("e", {"name": "Odile", "limit": None}), "Policy.")
    assert calls(conversation) == [("find_user", {"name": "Odile", "limit": None})]
    assert conversation[3] == {
        "role": "tool",
        "tool_call_id": "c0",
        "name": "find_user",
        "content": '{"user_id": 7}',
    }


def test_a_nudge_is_a_user_message_before_the_reply() -> None:
    conversation = messages(
        episode("e", turns=(Turn(text="Hm."), Turn(text="Done.", nudge="Go on."))), "Policy."
    )
    assert [m["content"] for m in conversation[2:]] == ["Hm.", "Go on.", "Done."]


def test_an_agent_that_speaks_first_was_asked_nothing() -> None:
    first, told = Turn(text="How can I help?"), Turn(text="Hm.", nudge="The pump.")
    assert [opening(episode("e", user_prompt="", source="openai"), turn) for turn in (first, told)] == [
        [],
        [{"role": "user", "content": "The pump."}],
    ]


def test_reasoning_is_there_only_on_request() -> None:
    thoughtful = episode("e", turns=(Turn(text="Done.", reasoning="First …"),))
    assert "reasoning_content" not in messages(thoughtful, "")[-1]
    assert messages(thoughtful, "", reasoning=True)[-1]["reasoning_content"] == "First …"


def test_an_unanswered_call_gets_a_result_unless_the_conversation_ends_there() -> None:
    open_call = replace(call("c"), result=None)
    lost = replace(open_call, error="timeout")
    ends = messages(episode("e", turns=(Turn(text="", tool_calls=(open_call,)),)), "")
    assert ends[-1]["role"] == "assistant"
    goes_on = messages(episode("e", turns=(Turn(text="", tool_calls=(open_call, lost)), Turn(text="!"))), "")
    assert [m["content"] for m in goes_on if m["role"] == "tool"] == ["", "timeout"]


def test_tools_become_functions_and_an_unknown_schema_takes_anything() -> None:
    schema = {"type": "object", "properties": {"x": {"type": "integer"}}}
    tools = ToolSet.of([{"name": "a", "description": "A.", "inputSchema": schema}, {"name": "b"}])
    assert function_tools(tools) == [
        {"type": "function", "function": {"name": "a", "description": "A.", "parameters": schema}},
        {"type": "function", "function": {"name": "b", "parameters": {"type": "object", "properties": {}}}},
    ]


def test_a_call_that_did_not_parse_keeps_its_place() -> None:
    broken = ToolCall(id="c", name="find_user", arguments=Json("{}"), raw='{"name": ', result="bad arguments")
    assert calls(messages(episode("e", turns=(Turn(text="", tool_calls=(broken,)),)), "")) == [
        ("find_user", {})
    ]
