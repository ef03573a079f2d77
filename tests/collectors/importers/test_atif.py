"""ATIF as others write it: each step finds its place, what has none is kept, nobody is called a success."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.base import open_importer

AGENT = {"name": "terminus-2", "version": "2.0", "model_name": "m", "extra": {"temperature": 0.5}}
CALL = {"tool_call_id": "c1", "function_name": "now", "arguments": {"tz": "UTC"}, "extra": {"retries": 1}}
STEPS: list[dict[str, Any]] = [
    {"source": "system", "message": "Be brief."},
    {
        "source": "user",
        "message": [{"type": "text", "text": "What time is it?"}],
        "timestamp": "2026-05-16T12:00:00Z",
    },
    {
        "source": "agent",
        "message": "Let me see.",
        "reasoning_content": "A clock.",
        "tool_calls": [CALL],
        "observation": {"results": [{"source_call_id": "c1", "content": "noon"}]},
        "metrics": {
            "prompt_tokens": 9,
            "completion_tokens": 3,
            "cost_usd": 0.5,
            "extra": {"reasoning_tokens": 2},
        },
        "reasoning_effort": "high",
    },
    {"source": "agent", "message": "ls", "observation": {"results": [{"content": "a.txt"}]}},
    {
        "source": "agent",
        "message": "It is noon.",
        "metrics": {"completion_token_ids": [7], "logprobs": [-0.5]},
    },
]


def read(tmp_path: Path, steps: list[dict[str, Any]], **root: Any) -> EpisodeBundle:
    """The episode of a file with these steps."""
    numbered = [{"step_id": n, **step} for n, step in enumerate(steps, 1)]
    record = {"schema_version": "ATIF-v1.8", "agent": AGENT, "steps": numbered, **root}
    (tmp_path / "t.json").write_text(json.dumps(record))
    [found] = open_importer("atif").read(tmp_path / "t.json")
    return found


def test_a_foreign_trajectory_is_read_step_by_step(tmp_path: Path) -> None:
    found = read(tmp_path, STEPS)
    episode = found.episode
    first, second, last = episode.turns
    assert (found.prompt.text, episode.user_prompt) == ("Be brief.", "What time is it?")
    assert (episode.orchestrator, episode.model, episode.settings) == (
        "terminus-2",
        "m",
        '{"temperature":0.5}',
    )
    assert (first.reasoning, first.tool_calls[0].result, first.tool_calls[0].arguments) == (
        "A clock.",
        "noon",
        '{"tz":"UTC"}',
    )
    assert (first.input_tokens, first.output_tokens, first.cost, first.reasoning_tokens) == (9, 3, 0.5, 2)
    assert (second.nudge, last.nudge, last.token_ids, last.logprobs) == (None, "a.txt", (7,), (-0.5,))
    assert episode.started_at == "2026-05-16T12:00:00Z" and found.toolset.origin == "observed"


def test_nobody_verified_a_foreign_trajectory(tmp_path: Path) -> None:
    episode = read(tmp_path, STEPS, final_metrics={"extra": {"reward": 1.0}}).episode
    assert (episode.outcome, episode.success_parity, episode.success_strict) == ("unverified", None, None)
    assert (episode.verifier_pass_parity, episode.verifier_pass_strict, episode.verdicts) == (None, None, ())
    assert json.loads(episode.details)["atif"]["final_metrics"] == {"extra": {"reward": 1.0}}


def test_what_has_no_field_is_kept(tmp_path: Path) -> None:
    image = {"type": "image", "source": {"media_type": "image/png", "path": "a.png"}}
    copied = {"source": "agent", "message": "Earlier.", "is_copied_context": True}
    last = {"source": "user", "message": "Thanks."}
    picture = {"source": "user", "message": [image]}
    found = read(tmp_path, [copied, picture, *STEPS[2:], last], notes="n", session_id="s")
    kept = json.loads(found.episode.details)["atif"]
    assert (kept["notes"], kept["session_id"], kept["agent_version"]) == ("n", "s", "2.0")
    assert [set(aside) - {"after_turns"} for aside in kept["aside"]] == [{"copied"}, {"step"}, {"user"}]
    assert json.loads(found.episode.turns[0].provider)["atif"] == {
        "reasoning_effort": "high",
        "tool_calls_extra": {"c1": {"retries": 1}},
    }
    assert "Earlier." not in [turn.text for turn in found.episode.turns]


@pytest.mark.parametrize("version", ["ATIF-v1.0", "ATIF-v1.8"])
def test_older_versions_are_read(tmp_path: Path, version: str) -> None:
    assert read(tmp_path, STEPS, schema_version=version).episode.n_turns == 3


@pytest.mark.parametrize(
    ("changed", "said"),
    [
        ({"schema_version": "ATIF-v2.0"}, "schema_version 'ATIF-v2.0'"),
        ({"extra": {"eops_traj": {"schema": 99}}}, "schema version 99"),
        ({"extra": {"eops_traj": {"schema": 1, "episode": {"n_turns": "many"}}}}, "n_turns: Input should be"),
        (
            {"extra": {"eops_traj": {"schema": 1, "episode": {"outcome": "triumph"}}}},
            "no outcome is called 'triumph'",
        ),
        ({"extra": {"eops_traj": {"schema": 1, "episode": {"turns": [{}]}}}}, "does not fit it"),
        ({"extra": {"eops_traj": {"schema": 1, "episode": {"details": "{"}}}}, "does not fit it"),
        ({"extra": {"eops_traj": "mine"}}, "is none of ours"),
        ({"surprise": 1}, "surprise: Extra inputs are not permitted"),
    ],
)
def test_what_is_wrong_is_named(tmp_path: Path, changed: dict[str, Any], said: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, STEPS, **changed)
    assert said in str(caught.value) and "t.json: not atif" in str(caught.value)
