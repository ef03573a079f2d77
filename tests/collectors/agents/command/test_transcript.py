"""What a program says of its session is laid over what the gym recorded, where the two fit."""

import json
import sys
from dataclasses import replace
from pathlib import Path

import pytest

from eops_traj.collectors.agents.command.transcript import NoFit, told
from eops_traj.schema import Episode, Json, ToolCall, Turn
from tests.collectors.agents.command.programs import PLAIN, worked
from tests.collectors.importers.sessions import claude_lines, codex_lines, write

LEAVES = 'mkdir -p logs; cp "$1" logs/s.jsonl; exec "$2" "$3"'


def with_transcript(path: Path, source: str) -> Episode:
    """The episode of the small agent, which leaves a session file."""
    transcript = {"format": source, "files": "logs/*.jsonl"}
    return worked("sh", "-c", LEAVES, "sh", str(path), sys.executable, str(PLAIN), transcript=transcript)


@pytest.mark.parametrize(("source", "lines"), [("claude_code", claude_lines()), ("codex", codex_lines())])
def test_replies_and_tokens_are_the_transcripts_and_calls_the_gyms(
    source: str, lines: list, tmp_path: Path
) -> None:
    made = with_transcript(write(tmp_path / "s.jsonl", lines), source)
    look, done, answer = made.turns
    assert (look.reasoning, look.output_tokens, answer.text) == ("Look first.", 30, "Case 5 is done.")
    [write_call] = done.tool_calls
    assert write_call.name == "update_case" and write_call.changes and write_call.id in ("t3", "c3")
    [own] = json.loads(done.provider)["own_calls"]
    assert own["result"] == "Monday" and own["name"] in ("Bash", "shell")
    assert (made.outcome, made.response, made.details) == ("success", "Case 5 is done.", "{}")


def test_a_trajectory_of_atif_is_a_transcript_too(tmp_path: Path) -> None:
    look = {"tool_call_id": "a1", "function_name": "find_case_slas", "arguments": {"case_id": 5}}
    done = {
        "tool_call_id": "a2",
        "function_name": "update_case",
        "arguments": {"case_id": 5, "reopen_count": 9},
    }
    steps = [
        {"step_id": 1, "source": "user", "message": "Case 5."},
        {"step_id": 2, "source": "agent", "message": "I do both.", "tool_calls": [look, done]},
        {"step_id": 3, "source": "agent", "message": "Case 5 is done."},
    ]
    agent = {"name": "harbor", "version": "1", "model_name": "m"}
    record = {"schema_version": "ATIF-v1.8", "agent": agent, "steps": steps}
    made = with_transcript(write(tmp_path / "s.jsonl", [record]), "atif")
    assert [(turn.text, len(turn.tool_calls)) for turn in made.turns] == [
        ("I do both.", 2),
        ("Case 5 is done.", 0),
    ]
    assert made.turns[0].tool_calls[1].changes and made.outcome == "success"


def test_an_unknown_version_is_noted_and_the_record_stands(tmp_path: Path) -> None:
    made = with_transcript(write(tmp_path / "s.jsonl", claude_lines("9.0.0")), "claude_code")
    noted = json.loads(made.details)["transcript"]
    assert noted.endswith("written by Claude Code 9.0.0; this eops-traj reads versions 1 and 2")
    assert noted.startswith("logs/s.jsonl") and made.outcome == "success" and len(made.turns) == 3


def test_an_answer_that_the_transcript_has_not_is_kept_beside_it(tmp_path: Path) -> None:
    lines = claude_lines()
    lines[-1]["message"]["content"][0]["text"] = "As I said."
    made = with_transcript(write(tmp_path / "s.jsonl", lines), "claude_code")
    assert (made.turns[-1].text, made.response) == ("As I said.", "Case 5 is done.")


CALL = ToolCall(id="r1", name="find_user", arguments=Json('{"name":"Odile"}'), result="[]")


@pytest.mark.parametrize("name", ["find_user", "mcp__gym__find_user", "gym.find_user"])
def test_a_clients_name_before_the_tools_does_not_matter(name: str) -> None:
    [turn] = told([Turn(text="", tool_calls=(replace(CALL, id="t1", name=name, result="old"),))], [CALL])
    assert turn.tool_calls == (replace(CALL, id="t1"),)


@pytest.mark.parametrize(
    "other",
    [replace(CALL, name="refind_user"), replace(CALL, arguments=Json('{"name":"Odil"}'))],
    ids=["name", "arguments"],
)
def test_a_call_that_only_looks_alike_is_another(other: ToolCall) -> None:
    with pytest.raises(NoFit, match="does not tell of 1 of 1 calls, find_user"):
        told([Turn(text="", tool_calls=(other,))], [CALL])


def test_equal_calls_are_told_one_by_one() -> None:
    second = replace(CALL, id="r2", result="[1]")
    told_ = [
        Turn(text="", tool_calls=(CALL,)),
        Turn(text="", tool_calls=(CALL,)),
        Turn(text="", tool_calls=(CALL,)),
    ]
    turns = told(told_, [CALL, second])
    assert [[call.result for call in turn.tool_calls] for turn in turns] == [["[]"], ["[1]"], []]
