"""The formats of exchange as ``eops-traj export`` writes them: valid, certified, and read by the command."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import atif
import pytest
from openai.types.responses import (
    ResponseFunctionToolCall,
    ResponseOutputMessage,
    ResponseReasoningItem,
    response_input_item,
)
from pydantic import TypeAdapter

from eops_traj.schema import Turn
from tests.episodes import episode
from tests.selected import call, calling, certificate, exported, lines, store_of

IDS: dict[str, Any] = {"prompt_token_ids": (1, 2), "token_ids": (3,), "logprobs": (-0.1234567890123456,)}
COUNTED = {"input_tokens": 9, "cached_tokens": 0, "output_tokens": 4, "reasoning_tokens": 1}
RECORDED = episode(
    "e",
    turns=(Turn(text="", tool_calls=(call("c", x=None),), reasoning="Hm.", **IDS), Turn(text="Done.")),
    **COUNTED,
)


def test_a_trajectory_validates_and_says_so(tmp_path: Path) -> None:
    folder = exported(tmp_path, [RECORDED, calling("weird/ id", {"a": 1})], "atif", reasoning=True)
    for path in (folder / "trajectories").iterdir():
        trajectory = atif.Trajectory.model_validate_json(path.read_text("utf-8"))
        assert trajectory.schema_version == "ATIF-v1.8" and trajectory.agent.tool_definitions
    checks = certificate(folder)["checks"]
    assert checks["valid_atif"]["status"] == checks["tool_calls_round_trip"]["status"] == "passed"
    assert json.loads((folder / "loss.json").read_text())["episodes"] == 2


def test_rollout_items_are_those_of_the_responses_api(tmp_path: Path) -> None:
    folder = exported(tmp_path, [RECORDED], "nemo_gym", reasoning=True)
    [row] = map(json.loads, (folder / "data" / "rollouts.jsonl").read_text("utf-8").splitlines())
    reasoning, function_call, output, message = row["response"]["output"]
    assert ResponseReasoningItem.model_validate(reasoning).summary[0].text == "Hm."
    assert ResponseFunctionToolCall.model_validate(function_call).call_id == "c"
    assert (
        TypeAdapter(response_input_item.FunctionCallOutput).validate_python(output).output == '{"user_id": 7}'
    )
    assert ResponseOutputMessage.model_validate(message).content[0].text == "Done."
    assert row["response"]["usage"]["total_tokens"] == 13
    assert (function_call["generation_token_ids"], function_call["generation_log_probs"]) == (
        [3],
        [-0.1234567890123456],
    )
    assert (row["reward"], row["_ng_task_index"], row["agent_ref"]["name"]) == (1.0, 0, "react")
    assert set(row["responses_create_params"]) <= {"input", "tools"}  # the gym takes no key of its own there


STARTED = {
    "2026-01-02T00:00:00": 1767312000.0,
    "2026-01-02T09:00:00+09:00": 1767312000.0,
    "1969-12-31T23:59:59Z": 0.0,
    "0001-01-01T00:00:00Z": 0.0,
    "9999-12-31T23:59:59-01:00": 0.0,
    "yesterday": 0.0,
}


@pytest.mark.usefixtures("tokyo")
def test_a_rollout_has_its_time_in_utc_or_none(tmp_path: Path) -> None:
    started = [episode(f"e{n}", started_at=moment) for n, moment in enumerate(STARTED)]
    folder = exported(tmp_path, started, "nemo_gym")
    rows = map(json.loads, (folder / "data" / "rollouts.jsonl").read_text("utf-8").splitlines())
    assert [row["response"]["created_at"] for row in rows] == list(STARTED.values())


def test_sharegpt_takes_turns(tmp_path: Path) -> None:
    nudged = episode("n", turns=(Turn(text="Well."), Turn(text="Done.", nudge="Go on."), Turn(text="Again.")))
    two = episode("t", turns=(Turn(text="", tool_calls=(call("a", x=1), call("b", x=2))), Turn(text="Done.")))
    folder = exported(tmp_path, [two, nudged], "sharegpt")
    first, second = lines(folder)
    assert [m["from"] for m in first["conversations"]] == ["human", "function_call", "observation", "gpt"]
    assert json.loads(first["conversations"][2]["value"]) == ['{"user_id": 7}'] * 2
    assert [m["from"] for m in second["conversations"]][-2:] == ["gpt", "gpt"]
    assert certificate(folder)["counts"]["conversations out of turn, which LLaMA-Factory passes over"] == 1
    assert certificate(folder)["checks"]["reads_as_written"]["status"] == "passed"


def test_a_trajectory_of_the_agent_data_protocol_ends_in_its_reward(tmp_path: Path) -> None:
    bad = episode("bad", outcome="failure", turns=(Turn(text="", tool_calls=(call("c", x=1),)),))
    open_ = episode("open", outcome="unverified", turns=(Turn(text="Done."),))
    folder = exported(tmp_path, [RECORDED, bad, open_], "adp")
    rewards = {}
    for line in lines(folder):
        actions = [item for item in line["content"] if item["class_"].endswith("_action")]
        rewards[line["id"]] = [item.get("reward") for item in actions]
        ids = [item["tool_call_id"] for item in line["content"] if item.get("tool_call_id")]
        assert line["schema_version"] == "1.5.0" and len(ids) == 2 * len(set(ids))
    assert rewards == {"e": [None, 1.0], "bad": [0.0], "open": [None]}
    assert certificate(folder)["checks"]["valid_adp"]["status"] == "passed"


@pytest.mark.parametrize("format_", ["atif", "nemo_gym", "sharegpt", "adp"])
def test_the_command_exports_and_imports(format_: str, tmp_path: Path, cli: Callable) -> None:
    store = store_of(tmp_path, [calling("e0", {"name": "Odile"})])
    ran = cli(
        "export", format_, "--store", store, "--selection", "chosen", "--out", tmp_path / "out", "--json"
    )
    assert ran.code == 0 and json.loads(ran.out)["passed"]
    ran = cli("import", format_, tmp_path / "out", "--store", tmp_path / "back", "--json")
    assert json.loads(ran.out)["new"] == 1
    ran = cli("import", format_, tmp_path / "out", "--store", tmp_path / "b2", "--tools", tmp_path)
    assert ran.code == 2 and "leave --tasks and --tools out" in ran.err
