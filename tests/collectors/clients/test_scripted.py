"""Given replies are played as given, in any number of conversations at once."""

import asyncio
from pathlib import Path
from typing import Any

import pytest

from eops_traj.collectors.clients.scripted import ScriptedChat
from eops_traj.errors import ConfigError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.options import client_options
from eops_traj.messages import reply_message
from eops_traj.schema import Turn

REPLIES = [
    {"reasoning": "Find her.", "tool_calls": [{"name": "find_user", "arguments": {"name": "Ana"}}]},
    {"tool_calls": [{"name": "close_case", "arguments": "{'id': 7}"}], "input_tokens": 9},
    "Done.",
]
YAML = """
- reasoning: Find her.
  tool_calls: [{name: find_user, arguments: {name: Ana}}]
- tool_calls: [{name: close_case, arguments: "{'id': 7}"}]
  input_tokens: 9
- Done.
"""
LINES = """
{"reasoning": "Find her.", "tool_calls": [{"name": "find_user", "arguments": {"name": "Ana"}}]}
{"tool_calls": [{"name": "close_case", "arguments": "{'id': 7}"}], "input_tokens": 9}
"Done."
"""


async def played(chat: Any, replies: int) -> list[Turn]:
    said: list[dict[str, Any]] = [{"role": "user", "content": "Go."}]
    turns = []
    for _ in range(replies):
        turns.append(await chat.reply(Request(list(said))))
        said.append(reply_message(turns[-1]))
        said += [{"role": "tool", "tool_call_id": c.id, "content": "ok"} for c in turns[-1].tool_calls]
    return turns


def opened(**options: Any) -> Any:
    return client_options({"kind": "scripted", **options}).open()


def test_a_list_is_played_in_each_conversation() -> None:
    chat = opened(replies=REPLIES)

    async def run() -> tuple[list[Turn], list[Turn]]:
        return await asyncio.gather(played(chat, 3), played(chat, 3))

    one, other = asyncio.run(run())
    assert one == other
    assert [turn.text for turn in one] == ["", "", "Done."]
    assert [turn.finish_reason for turn in one] == ["tool_calls", "tool_calls", "stop"]
    calls = [call for turn in one for call in turn.tool_calls]
    assert [(c.id, c.arguments, c.raw) for c in calls] == [
        ("call_1_0", '{"name":"Ana"}', None),
        ("call_3_0", '{"id":7}', "{'id': 7}"),
    ]
    assert (one[0].reasoning, one[1].input_tokens) == ("Find her.", 9)


@pytest.mark.parametrize(("name", "content"), [("r.yaml", YAML), ("r.jsonl", LINES)])
def test_a_file_is_the_same_as_a_list(name: str, content: str, tmp_path: Path) -> None:
    path = tmp_path / name
    path.write_text(content)
    listed = client_options({"kind": "scripted", "replies": REPLIES})
    from_file = client_options({"kind": "scripted", "file": str(path)})
    assert from_file.behaviour() == listed.behaviour()
    assert asyncio.run(played(from_file.open(), 3)) == asyncio.run(played(listed.open(), 3))


def test_a_function_is_asked() -> None:
    chat = ScriptedChat(lambda request: Turn(text=request.messages[-1]["content"]))
    assert [turn.text for turn in asyncio.run(played(chat, 1))] == ["Go."]


def test_a_script_that_is_over_fails_for_good() -> None:
    with pytest.raises(EndpointError, match="holds 3 replies") as found:
        asyncio.run(played(opened(replies=REPLIES), 4))
    assert found.value.kind == "request"


@pytest.mark.parametrize(
    ("content", "problems"),
    [
        ("replies: []", ["needs a list"]),
        ("- {txt: a}\n- {tool_calls: [{arguments: {}}]}\n", ["reply 1: txt", "reply 2: tool_calls.0.name"]),
        ("- [", ["not readable"]),
    ],
)
def test_every_reply_that_does_not_hold_is_named(content: str, problems: list[str], tmp_path: Path) -> None:
    path = tmp_path / "replies.yaml"
    path.write_text(content)
    with pytest.raises(ConfigError) as found:
        opened(file=str(path))
    assert all(problem in str(found.value) for problem in problems)


@pytest.mark.parametrize("options", [{}, {"replies": ["a"], "file": "b.yaml"}])
def test_replies_come_from_one_place(options: dict[str, Any]) -> None:
    with pytest.raises(ConfigError, match="either replies or a file"):
        opened(**options)
