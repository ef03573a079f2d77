"""Records of Anthropic's Messages API: every block in its place, and none that acts left out."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.convert import recognise
from tests.attacks.result_files import read_case
from tests.attacks.tally import HELD, Tally
from tests.hostile import VALUES, kinds_of_paths, render, with_value

SCHEMA = {"type": "object", "properties": {"city": {"type": "string"}}, "required": ["city"]}
CITIES = [("t1", "Oslo"), ("t2", "Bonn")]


def use(call_id: str, city: str) -> dict[str, Any]:
    """A call of the one tool."""
    return {"type": "tool_use", "id": call_id, "name": "weather", "input": {"city": city}}


def record(**more: Any) -> dict[str, Any]:
    """A request with its whole conversation: two calls beside each other, one of which fails."""
    thinking = {"type": "thinking", "thinking": "Two cities.", "signature": "s"}
    failed = {"type": "tool_result", "tool_use_id": "t2", "content": "no such city", "is_error": True}
    found = {"type": "tool_result", "tool_use_id": "t1", "content": [{"type": "text", "text": "3 degrees"}]}
    said = [
        {"role": "user", "content": "Is it cold?"},
        {"role": "assistant", "content": [thinking, text("I look."), *(use(*one) for one in CITIES)]},
        {"role": "user", "content": [failed, found, text("Be quick.")]},
        {"role": "assistant", "content": [text("In Oslo.")], "stop_reason": "max_tokens"},
    ]
    tools = [{"name": "weather", "description": "Tells it.", "input_schema": SCHEMA}]
    return {
        "model": "claude-fine-4",
        "max_tokens": 64,
        "system": "Be brief.",
        "tools": tools,
        "messages": said,
    } | more


def text(words: str) -> dict[str, Any]:
    """A block of text."""
    return {"type": "text", "text": words}


def read(tmp_path: Path, what: dict[str, Any], source: str = "anthropic") -> EpisodeBundle:
    """The one episode of a record."""
    (tmp_path / "d.jsonl").write_text(json.dumps(what) + "\n")
    [found] = open_importer(source).read(tmp_path / "d.jsonl")
    return found


def test_every_block_is_in_its_place(tmp_path: Path) -> None:
    found = read(tmp_path, record())
    look, answer = found.episode.turns
    assert (found.prompt.text, found.episode.user_prompt, found.episode.model) == (
        "Be brief.", "Is it cold?", "claude-fine-4",
    )  # fmt: skip
    assert (look.text, look.reasoning, answer.nudge, answer.text) == (
        "I look.", "Two cities.", "Be quick.", "In Oslo.",
    )  # fmt: skip
    assert [(c.arguments, c.result, c.is_error) for c in look.tool_calls] == [
        ('{"city":"Oslo"}', "3 degrees", False),
        ('{"city":"Bonn"}', "no such city", True),
    ]
    assert [tool["inputSchema"] for tool in json.loads(found.toolset.tools)] == [SCHEMA]
    assert (found.episode.stop_reason, json.loads(found.episode.details)) == (
        "max_tokens", {"anthropic": {"max_tokens": 64}},
    )  # fmt: skip


@pytest.mark.parametrize(
    ("change", "source"),
    [
        ({}, "anthropic"),
        ({"tools": None}, "anthropic"),
        (
            {"messages": [{"role": "user", "content": "Hi"}], "tools": None, "system": [text("Hm.")]},
            "anthropic",
        ),
        ({"messages": [{"role": "user", "content": [text("Hi")]}], "tools": None}, "openai"),
        ({"messages": [{"role": "developer", "content": "Hi"}]}, "openai"),
    ],
)
def test_it_is_told_from_chat_lines(change: dict[str, Any], source: str, tmp_path: Path) -> None:
    (tmp_path / "d.jsonl").write_text(json.dumps(record(**change)))
    assert recognise(tmp_path / "d.jsonl") == source
    wanted = {"Hm."} if "system" in change else {"Be brief.", "Be brief.\n\nHi"}
    assert read(tmp_path, record(**change), source).prompt.text in wanted


def test_as_chat_lines_it_is_refused_with_the_way_out(tmp_path: Path, cli: Callable) -> None:
    (tmp_path / "d.jsonl").write_text(json.dumps(record()))
    ran = cli("convert", tmp_path / "d.jsonl", tmp_path / "out", "--from", "openai")
    assert ran.code == 2 and "which the format anthropic reads" in ran.err and ran.err.count("\n") == 1
    assert not (tmp_path / "out").exists()


@pytest.mark.parametrize("kind", ["server_tool_use", "mcp_tool_result", "toolUse", "function_call"])
@pytest.mark.parametrize("source", ["anthropic", "openai"])
def test_a_block_that_acts_is_never_left_out(kind: str, source: str, tmp_path: Path) -> None:
    block = {"type": kind, "id": "s", "name": "search"} if kind != "toolUse" else {kind: {"name": "search"}}
    call = {"id": "c", "function": {"name": "now"}}
    reply: dict[str, Any] = {"role": "assistant", "content": [text("Yes."), block]}
    if source == "openai":
        reply["tool_calls"] = [call]  # so that it is no record of the other API
    with pytest.raises(
        FormatError, match=rf"d\.jsonl:1: not {source}: a part of the type '{kind}' is a call"
    ):
        read(tmp_path, {"messages": [{"role": "user", "content": "Hi"}, reply]}, source)


def test_what_only_names_a_tool_is_no_action(tmp_path: Path) -> None:
    said = record()["messages"]
    said[2]["content"][1]["content"] = [text("found"), {"type": "tool_reference", "tool_name": "weather"}]
    said[1]["content"].append({"type": "redacted_thinking", "data": "x"})
    episode = read(tmp_path, record(messages=said)).episode
    assert episode.turns[0].tool_calls[0].result == "found\n[tool_reference left out]"
    assert (episode.turns[0].text, "redacted_thinking" in episode.details) == ("I look.", True)


def test_hostile_values_are_refused_or_harmless(tmp_path: Path) -> None:
    tally, path = Tally("anthropic"), tmp_path / "s.jsonl"
    for at in kinds_of_paths(record()):
        for name in VALUES:
            path.write_text(with_value(record(), at, name).replace("\n", " ") + "\n")
            read_case(f"{render(at)} = {name}", path, open_importer("anthropic"), tally)
            read_case(f"{render(at)} = {name}", path, open_importer("openai"), tally)
    assert len(tally.cases[HELD]) > 500 and not tally.fell(), tally.fell()[:20]
