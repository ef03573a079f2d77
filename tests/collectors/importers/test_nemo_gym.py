"""NeMo Gym rollouts as others write them."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.interchange.base import open_importer

TOOL = {
    "type": "function",
    "name": "now",
    "description": "d",
    "parameters": {"type": "object"},
    "strict": True,
}
IDS = {"prompt_token_ids": [1, 2], "generation_token_ids": [3], "generation_log_probs": [-0.5]}


def said(text: str, **more: Any) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {
        "type": "message",
        "role": "assistant",
        "id": "m",
        "content": content,
        "status": "completed",
    } | more


def asked(call_id: str, **more: Any) -> dict[str, Any]:
    return {"type": "function_call", "call_id": call_id, "name": "now", "arguments": '{"tz":"UTC"}'} | more


def answered(call_id: str) -> dict[str, Any]:
    return {"type": "function_call_output", "call_id": call_id, "output": f"noon {call_id}"}


def read(tmp_path: Path, output: list[Any], given: Any = "What time is it?", **more: Any) -> EpisodeBundle:
    """The episode of a rollout with this output."""
    response = {"id": "r", "created_at": 1760000000.5, "model": "m", "object": "response", "output": output}
    record = {
        "responses_create_params": {"input": given, "tools": [TOOL], "temperature": 0.5},
        "response": response,
        "reward": 1.0,
        "agent_ref": {"type": "responses_api_agents", "name": "simple_agent"},
        "_ng_rollout_index": 2,
        **more,
    }
    (tmp_path / "r.jsonl").write_text(json.dumps(record) + "\n")
    [found] = open_importer("nemo_gym").read(tmp_path / "r.jsonl")
    return found


def test_items_become_replies(tmp_path: Path) -> None:
    thought = {"type": "reasoning", "id": "t", "summary": [{"type": "summary_text", "text": "Hm."}]}
    user = {"type": "message", "role": "user", "content": "Really?"}
    output = [
        thought,
        asked("a"),
        asked("b"),
        answered("b"),
        answered("a"),
        said("Noon."),
        user,
        said("Yes."),
    ]
    turns = read(tmp_path, output).episode.turns
    assert [(t.text, t.reasoning, t.nudge) for t in turns] == [
        ("", "Hm.", None),
        ("Noon.", None, None),
        ("Yes.", None, "Really?"),
    ]
    assert [(c.id, c.result) for c in turns[0].tool_calls] == [("a", "noon a"), ("b", "noon b")]


def test_token_ids_end_a_reply(tmp_path: Path) -> None:
    turns = read(tmp_path, [asked("a", **IDS), asked("b"), said("Noon.")]).episode.turns
    assert [(len(turn.tool_calls), turn.token_ids) for turn in turns] == [(1, (3,)), (1, None), (0, None)]
    assert (turns[0].prompt_token_ids, turns[0].logprobs) == ((1, 2), (-0.5,))


def test_a_reward_is_kept_and_makes_no_label(tmp_path: Path) -> None:
    found = read(tmp_path, [said("Noon.")], judge={"score": 1})
    episode = found.episode
    assert (episode.outcome, episode.success_strict, episode.attempt) == ("unverified", None, 3)
    assert (episode.model, episode.orchestrator, episode.settings) == (
        "m",
        "simple_agent",
        '{"temperature":0.5}',
    )
    kept = json.loads(episode.details)["nemo_gym"]
    assert (kept["reward"], kept["judge"], kept["response"]["id"]) == (1.0, {"score": 1}, "r")
    assert (
        json.loads(found.toolset.tools)[0]["name"] == "now"
        and episode.started_at == "2025-10-09T08:53:20.500+00:00"
    )


def test_an_earlier_conversation_is_kept_aside(tmp_path: Path) -> None:
    given = [
        {"role": "system", "content": "Brief."},
        {"role": "user", "content": "Hi."},
        {"role": "assistant", "content": "Hello."},
        {"role": "user", "content": [{"type": "input_text", "text": "Time?"}]},
    ]
    found = read(tmp_path, [said("Noon.")], given)
    assert (found.prompt.text, found.episode.user_prompt, found.episode.n_turns) == ("Brief.", "Time?", 1)
    assert json.loads(found.episode.details)["nemo_gym"]["input"] == given


@pytest.mark.parametrize(
    ("output", "wrong"),
    [
        ([answered("z")], "a result for 'z', which no call waits for"),
        ([{"type": "function_call", "call_id": "a", "arguments": "{}"}], "no 'name'"),
        (["hello"], "response.output.0: Input should be a valid dictionary"),
    ],
)
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, output: list[Any], wrong: str) -> None:
    with pytest.raises(FormatError) as caught:
        read(tmp_path, output)
    assert "r.jsonl:1: not nemo_gym" in str(caught.value) and wrong in str(caught.value)
