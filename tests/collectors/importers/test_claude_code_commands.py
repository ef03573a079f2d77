"""Commands in sessions of Claude Code: what they leave is not the user's, and what is taken back is gone."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.interchange.base import open_importer
from tests.collectors.importers.sessions import Line, write

CLEAR = "<command-name>/clear</command-name>\n            <command-message>clear</command-message>"
STDOUT = "<local-command-stdout></local-command-stdout>"
CAVEAT = "<local-command-caveat>Caveat: made by local commands.</local-command-caveat>"
REVIEW = "<command-message>review is running</command-message>\n<command-name>/review</command-name>"


def line(uuid: str, parent: str | None, kind: str, words: str, **more: Any) -> Line:
    """A line of a session; a reply has an id of its own."""
    message: Line = {"role": kind, "content": [{"type": "text", "text": words}]}
    message |= {"id": f"m{uuid}", "model": "claude-fine-4"} if kind == "assistant" else {}
    return {"uuid": uuid, "parentUuid": parent, "type": kind, "message": message, "sessionId": "s1",
            "version": "2.0.61", "timestamp": "2026-01-05T09:00:00.000Z", **more}  # fmt: skip


def chain(*said: tuple[str, str], parent: str | None = None, first: int = 0, **more: Any) -> list[Line]:
    """Lines that follow each other, named by their number."""
    parents = [parent, *(f"u{first + n}" for n in range(len(said)))]
    return [line(f"u{first + n}", parents[n], *one, **more) for n, one in enumerate(said)]


def read(tmp_path: Path, lines: list[Line]) -> EpisodeBundle:
    """The one episode of a session."""
    [found] = open_importer("claude_code").read(write(tmp_path / "s.jsonl", lines))
    return found


def aside(found: EpisodeBundle) -> dict[str, Any]:
    """What the importer kept beside the turns."""
    details: dict[str, Any] = json.loads(found.episode.details).get("claude_code", {})
    return details


def test_sessions_after_clear_are_of_the_tasks_that_were_asked(tmp_path: Path) -> None:
    asked = ["Mend the parser.", "Name the rivers.", "<command-name> is in the docs twice; why?"]
    found = []
    for request in asked:
        cleared = chain(("user", CAVEAT), ("user", CLEAR), ("user", STDOUT))
        local = chain(("user", "<bash-input>ls</bash-input>"), ("user", "<bash-stdout>a</bash-stdout>"),
                      ("user", request), ("assistant", "Done."), parent="u2", first=3)  # fmt: skip
        found.append(read(tmp_path, cleared + local))
    assert [one.episode.user_prompt for one in found] == asked
    assert len({one.episode.task_id for one in found}) == len(asked)
    assert [len(aside(one)["aside"]) for one in found] == [5, 5, 5]
    assert not any(turn.nudge for one in found for turn in one.episode.turns)


def test_a_command_that_is_a_prompt_is_what_the_reply_answers(tmp_path: Path) -> None:
    begun = chain(("user", CLEAR), ("user", STDOUT), ("user", REVIEW))
    prompt = chain(("user", "Review the last change."), parent="u2", first=3, isMeta=True)
    rest = chain(("assistant", "It is sound."), ("user", REVIEW), parent="u3", first=4)
    again = chain(("user", "Review it again."), parent="u5", first=6, isMeta=True)
    found = read(tmp_path, [*begun, *prompt, *rest, *again, line("u7", "u6", "assistant", "Still.")])
    assert found.episode.user_prompt == f"{REVIEW}\n\nReview the last change."
    assert [turn.nudge for turn in found.episode.turns] == [None, f"{REVIEW}\n\nReview it again."]
    assert [one["program"] for one in aside(found)["aside"]] == [CLEAR, STDOUT]


def first_try() -> list[Line]:
    """A session's beginning."""
    return chain(("user", "Mend it."), ("assistant", "How?"))


@pytest.mark.parametrize("before", [[], [CAVEAT, CLEAR, STDOUT]], ids=["at once", "after a command"])
def test_a_first_message_that_was_rewound_is_gone(before: list[str], tmp_path: Path) -> None:
    said = [*(("user", words) for words in before), ("user", "Mend the parser."), ("assistant", "Mended.")]
    found = read(tmp_path, [*first_try(), *chain(*said, first=10)])
    assert (found.episode.user_prompt, [turn.text for turn in found.episode.turns]) == (
        "Mend the parser.", ["Mended."],
    )  # fmt: skip
    assert aside(found)["taken_back_lines"] == 2


@pytest.mark.parametrize(
    ("words", "marked"),
    [
        ("It was about a parser.", True),
        ("This session is being continued from a previous conversation.", False),
    ],
)
@pytest.mark.parametrize("boundary", [True, False])
def test_a_compaction_takes_nothing_back(words: str, marked: bool, boundary: bool, tmp_path: Path) -> None:
    summary = line(
        "u10", "b" if boundary else None, "user", words, **({"isCompactSummary": True} if marked else {})
    )
    head = {
        "type": "system",
        "subtype": "compact_boundary",
        "uuid": "b",
        "parentUuid": None,
        "sessionId": "s1",
    }
    rest = chain(("user", CLEAR.replace("clear", "compact")), ("user", STDOUT), ("user", "Go on."),
                 ("assistant", "Mended."), parent="u10", first=11)  # fmt: skip
    found = read(tmp_path, [*first_try(), *([head] if boundary else []), summary, *rest])
    assert (found.episode.user_prompt, [turn.text for turn in found.episode.turns]) == (
        "Mend it.", ["How?", "Mended."],
    )  # fmt: skip
    assert found.episode.turns[1].nudge == f"{words}\n\nGo on." and "taken_back_lines" not in aside(found)


def test_a_command_without_a_reply_takes_no_request_back(tmp_path: Path) -> None:
    alone = [line(f"u{n}", None, "user", words) for n, words in enumerate((CLEAR, STDOUT), 10)]
    found = read(tmp_path, [*first_try(), *alone])
    assert found.episode.user_prompt == "Mend it." and len(aside(found)["aside"]) == 2


def test_a_command_that_was_rewound_is_gone_with_its_reply(tmp_path: Path) -> None:
    reviewed = chain(("user", REVIEW), ("user", "Review it."), parent="u1", first=10, isMeta=True)
    hook = {"type": "attachment", "uuid": "h", "parentUuid": "u11", "sessionId": "s1"}
    replied = [line("u12", "u11", "assistant", "Sound."), line("u13", "h", "assistant", "Very.")]
    other = chain(("user", "The parser."), ("assistant", "Mended."), parent="u1", first=20)
    found = read(tmp_path, [*first_try(), *reviewed, hook, *replied, *other])
    assert [turn.text for turn in found.episode.turns] == ["How?", "Mended."]
    assert aside(found)["taken_back_lines"] == 4
