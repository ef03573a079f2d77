"""Session files of Claude Code and Codex: whole replies, results with their calls, known versions."""

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
from tests.collectors.importers.sessions import Line, claude_lines, codex_lines, result, use, write
from tests.hostile import VALUES, kinds_of_paths, render, with_value

LINES: dict[str, Callable[..., list[Line]]] = {"claude_code": claude_lines, "codex": codex_lines}


def read(source: str, tmp_path: Path, lines: list[Line], cut: str = "") -> EpisodeBundle:
    [bundle] = open_importer(source).read(write(tmp_path / "session.jsonl", lines, cut))
    return bundle


@pytest.mark.parametrize("source", LINES)
def test_the_same_work_reads_the_same(source: str, tmp_path: Path) -> None:
    bundle = read(source, tmp_path, LINES[source]())
    episode = bundle.episode
    look, write_, answer = episode.turns
    assert (episode.user_prompt, look.reasoning, answer.text) == (
        "Case 5 was reopened again.", "Look first.", "Case 5 is done.",
    )  # fmt: skip
    assert [(c.name, c.result, c.is_error) for c in (*look.tool_calls, *write_.tool_calls)] == [
        ("mcp__gym__find_case_slas", "[]", False),
        ("Bash" if source == "claude_code" else "shell", "Monday", True),
        ("mcp__gym__update_case", "{}", False),
    ]
    assert json.loads(write_.tool_calls[1].arguments) == {"case_id": 5, "reopen_count": 9}
    assert (episode.outcome, episode.orchestrator, episode.n_tool_errors) == ("unverified", source, 1)
    assert "somebody" not in json.dumps(episode.details), "a folder's name is nobody's business"


def test_what_only_claude_code_tells(tmp_path: Path) -> None:
    bundle = read("claude_code", tmp_path, claude_lines())
    look = bundle.episode.turns[0]
    assert (look.text, look.input_tokens, look.cached_tokens, look.output_tokens) == (
        "I look it up.",
        127,
        100,
        30,
    )
    assert (bundle.episode.model, bundle.episode.started_at) == ("claude-fine-4", "2026-01-05T09:00:00.000Z")
    assert json.loads(bundle.episode.settings) == {"version": "2.0.61"}


def test_what_only_codex_tells(tmp_path: Path) -> None:
    bundle = read("codex", tmp_path, codex_lines())
    look, write_, answer = bundle.episode.turns
    assert (look.input_tokens, look.cached_tokens, look.output_tokens, look.reasoning_tokens) == (
        120,
        100,
        30,
        12,
    )
    assert (write_.output_tokens, answer.output_tokens) == (31, None), "a count that comes again is no other"
    assert (bundle.prompt.text, bundle.episode.model) == ("Be brief.", "gpt-fine")
    assert "environment_context" in bundle.episode.details
    assert json.loads(bundle.episode.settings) == {"version": "0.65.0", "effort": "high"}


@pytest.mark.parametrize(
    ("source", "version", "message"),
    [
        ("claude_code", "3.0.0", "written by Claude Code 3.0.0; this eops-traj reads versions 1 and 2"),
        ("claude_code", "2", "written by Claude Code 2;"),
        ("claude_code", "", "no line names the version"),
        ("codex", "1.0.0", "written by Codex 1.0.0; this eops-traj reads versions 0"),
        ("codex", "", "no session_meta with a cli_version"),
    ],
)
def test_an_unknown_version_is_refused_in_one_line(
    source: str, version: str, message: str, tmp_path: Path, cli: Callable
) -> None:
    path = write(tmp_path / "session.jsonl", LINES[source](version))
    ran = cli("import", source, path, "--store", tmp_path / "store")
    assert ran.code == 2 and message in ran.err and len(ran.err.splitlines()) == 1
    assert not (tmp_path / "store").exists()


@pytest.mark.parametrize("source", LINES)
def test_a_cut_last_line_is_left_out_and_any_other_refused(source: str, tmp_path: Path) -> None:
    whole = read(source, tmp_path, LINES[source]()).episode
    assert read(source, tmp_path, LINES[source](), cut='{"type": "assis').episode.turns == whole.turns
    path = tmp_path / "session.jsonl"
    path.write_text('{"type": "us\n' + path.read_text())
    with pytest.raises(FormatError, match=r"session\.jsonl:1"):
        open_importer(source).read(path)


@pytest.mark.parametrize("source", LINES)
def test_a_session_is_recognised_and_imported_once(source: str, tmp_path: Path, cli: Callable) -> None:
    path = write(tmp_path / "in" / "session.jsonl", LINES[source]())
    assert recognise(path) == source
    for new in (1, 0):
        ran = cli("import", source, tmp_path / "in", "--store", tmp_path / "store", "--json")
        assert ran.code == 0 and json.loads(ran.out)["new"] == new


def claude(number: int, parent: int, kind: str, content: Any, **more: Any) -> Line:
    """A line at any place of the tree."""
    line = claude_lines()[1 if kind == "user" else 3]
    message = {**line["message"], "content": content} | ({"id": f"m{number}"} if kind == "assistant" else {})
    return {**line, "uuid": f"u{number}", "parentUuid": f"u{parent}", "message": message, **more}


def test_a_request_that_was_taken_back_is_no_part_of_it(tmp_path: Path) -> None:
    lines = [
        *claude_lines(),
        claude(20, 9, "user", "And case 6."),
        claude(21, 20, "assistant", [{"type": "text", "text": "Six is done."}]),
        claude(22, 9, "user", "And case 7."),
        claude(23, 22, "assistant", [{"type": "text", "text": "Seven is done."}]),
        claude(24, 23, "assistant", [use("t9", "Task", {})], isSidechain=True),
        claude(25, 23, "user", [result("t404", "late")]),
        claude(26, 25, "user", "Caveat: generated", isMeta=True),
        claude(27, 26, "assistant", "No credit", isApiErrorMessage=True),
    ]
    episode = read("claude_code", tmp_path, lines).episode
    assert [turn.text for turn in episode.turns[2:]] == ["Case 5 is done.", "Seven is done."]
    assert episode.turns[3].nudge == "And case 7."
    details = json.loads(episode.details)["claude_code"]
    assert (details["taken_back_lines"], details["subagent_lines"]) == (2, 1)
    assert {"late", "Caveat: generated", "No credit"} <= {
        str(value) for aside in details["aside"] for value in aside.values()
    }


def test_what_a_later_codex_adds_is_kept_aside(tmp_path: Path) -> None:
    lines = codex_lines()
    lines.insert(5, {"type": "response_item", "payload": {"type": "telepathy", "thought": "?"}})
    episode = read("codex", tmp_path, lines).episode
    assert len(episode.turns) == 3 and "telepathy" in episode.details


@pytest.mark.parametrize("source", LINES)
def test_hostile_values_are_refused_or_harmless(source: str, tmp_path: Path) -> None:
    """Every kind of field of every line with every hostile value: an episode that fits, or a FormatError."""
    path, lines, tally = tmp_path / "s.jsonl", LINES[source](), Tally("sessions")
    kinds = {at: number for number, line in enumerate(lines) for at in kinds_of_paths(line)}
    sound = [json.dumps(line) for line in lines]
    for at, number in kinds.items():
        for name in VALUES:
            texts = [*sound]
            texts[number] = with_value(lines[number], at, name).replace("\n", " ")
            path.write_text("\n".join(texts) + "\n")
            read_case(f"{number} {render(at)} = {name}", path, open_importer(source), tally)
    assert len(tally.cases[HELD]) > 500 and not tally.fell(), tally.fell()[:20]
