"""Trajectories of the Agent Data Protocol as others write them: each item finds its place."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.convert import recognise


def text(content: str, source: str = "environment", **more: Any) -> dict[str, Any]:
    return {"class_": "text_observation", "content": content, "source": source, **more}


def api(function: str, **more: Any) -> dict[str, Any]:
    return {"class_": "api_action", "function": function, "kwargs": {"n": 1}, **more}


CONTENT = [
    text("Be brief.", name="system"),
    text("List the files.", "user"),
    {"class_": "message_action", "content": "I list them.", "reasoning_content": "A shell."},
    {"class_": "code_action", "language": "bash", "content": "ls", "description": "list"},
    text("a.txt"),
    api("first", tool_call_id="x"),
    api("second", tool_call_id="y"),
    text("two", tool_call_id="y"),
    {"class_": "json_observation", "content": {"one": 1}, "source": "environment", "tool_call_id": "x"},
    {"class_": "message_action", "content": "Done.", "reward": 1.0},
    text("Thanks. And?", "user"),
    {"class_": "message_action", "content": "Nothing else."},
]


def read(tmp_path: Path, content: list[dict[str, Any]], **more: Any) -> EpisodeBundle:
    """The episode of a file with this content."""
    path = tmp_path / "t.jsonl"
    path.write_text(json.dumps({"id": "t1", "content": content, "details": {"dataset": "d"}} | more) + "\n")
    [bundle] = open_importer("adp").read(path)
    return bundle


def test_a_foreign_trajectory_is_read_item_by_item(tmp_path: Path) -> None:
    bundle = read(tmp_path, CONTENT, schema_version="1.2.0", available_apis=["first", "second"])
    shell, both, done, last = bundle.episode.turns
    assert recognise(tmp_path / "t.jsonl") == "adp"
    assert (bundle.prompt.text, bundle.episode.user_prompt) == ("Be brief.", "List the files.")
    assert (shell.text, shell.reasoning) == ("I list them.\nlist", "A shell.")
    assert [(c.name, c.arguments, c.result) for c in shell.tool_calls] == [("bash", '{"code":"ls"}', "a.txt")]
    assert [(c.id, c.name, c.result) for c in both.tool_calls] == [
        ("x", "first", '{"one": 1}'),
        ("y", "second", "two"),
    ]
    assert (done.text, last.nudge, last.text) == ("Done.", "Thanks. And?", "Nothing else.")
    details = json.loads(bundle.episode.details)["adp"]
    assert details == {
        "dataset": "d",
        "id": "t1",
        "rewards": {"9": 1.0},
        "available_apis": ["first", "second"],
    }
    assert bundle.episode.outcome == "unverified"


def test_without_ids_results_go_to_the_calls_in_order(tmp_path: Path) -> None:
    content = [text("Go.", "user"), api("a"), api("b"), text("1"), text("2"), text("3")]
    [turn] = read(tmp_path, content).episode.turns
    assert [call.result for call in turn.tool_calls] == ["1", "2"]


@pytest.mark.parametrize(
    ("content", "more", "problem"),
    [
        (CONTENT, {"schema_version": "2.0.0"}, "schema_version '2.0.0'; this eops-traj reads 1.0.0 to 1.5.0"),
        (CONTENT, {"schema_version": "1.6.0"}, "schema_version '1.6.0'"),
        ([{"class_": "dance_action"}], {}, "class_"),
        ([text("x", tool_call_id="nobody")], {}, "which no call waits for"),
        ([{"class_": "code_action", "content": "ls"}], {}, "without a language"),
        ([], {}, "content"),
    ],
)
def test_what_is_of_no_known_form_is_refused(content: list, more: dict, problem: str, tmp_path: Path) -> None:
    with pytest.raises(FormatError, match=problem):
        read(tmp_path, content, **more)
