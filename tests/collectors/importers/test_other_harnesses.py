"""Result files of harnesses that descend from EnterpriseOps-Gym's: numbered repeats, blocks, other agents."""

import json
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.errors import FormatError
from eops_traj.exporters.enterpriseops import run_record
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.enterpriseops_conversation import HarnessConversation
from eops_traj.tasks import load_folder

NAME = "results_oracle__csm__task_20260302_demo_0001.json"
HARNESSES = ("numbered", "blocks", "replayed", "one_call_a_reply")


def read(fixtures: Path, harness: str) -> EpisodeBundle:
    importer = open_importer("enterpriseops", load_folder(fixtures / "tasks"))
    (found,) = importer.read(fixtures / "other_harnesses" / harness / NAME)
    return found


def written(fixtures: Path, harness: str) -> dict[str, Any]:
    content = json.loads((fixtures / "other_harnesses" / harness / NAME).read_text())
    return dict(content["runs"][0])


def test_numbered_results_go_to_their_own_verifiers(fixtures: Path) -> None:
    episode = read(fixtures, "numbered").episode
    assert [(v.passed_parity, v.actual) for v in episode.verdicts] == [(True, "1"), (False, "1"), (True, "7")]
    assert not episode.success_parity and episode.verifier_pass_parity == pytest.approx(2 / 3)


def test_recorded_queries_tell_whose_a_numbered_result_is(fixtures: Path, tmp_path: Path) -> None:
    content = json.loads((fixtures / "other_harnesses" / "numbered" / NAME).read_text())
    results = content["runs"][0]["verification_results"]
    first, second = "Case is assigned", "Case is assigned_1"
    results[first], results[second] = results[second], results[first]
    (tmp_path / NAME).write_text(json.dumps(content))
    (found,) = open_importer("enterpriseops", load_folder(fixtures / "tasks")).read(tmp_path / NAME)
    assert [v.passed_parity for v in found.episode.verdicts] == [True, False, True]


def test_results_that_could_be_anyones_are_given_to_none(fixtures: Path, tmp_path: Path) -> None:
    content = json.loads((fixtures / "other_harnesses" / "numbered" / NAME).read_text())
    results = content["runs"][0]["verification_results"]
    results["Case is assigned_2"] = results["Case is assigned_1"]
    (tmp_path / NAME).write_text(json.dumps(content))
    (found,) = open_importer("enterpriseops", load_folder(fixtures / "tasks")).read(tmp_path / NAME)
    of_the_task, others = found.episode.verdicts[:3], found.episode.verdicts[3:]
    assert [v.passed_parity for v in of_the_task] == [True, None, None]
    assert [v.name for v in others] == ["Case is assigned", "Case is assigned_1", "Case is assigned_2"]


def test_content_is_a_text_or_blocks(fixtures: Path) -> None:
    found, plain = read(fixtures, "blocks"), json.loads((fixtures / "results" / NAME).read_text())
    episode, flow = found.episode, plain["runs"][0]["conversation_flow"]
    assert found.prompt.text == flow[0]["content"] and episode.turns[0].nudge is None
    assert episode.turns[-1].text == flow[-1]["content"] and episode.turns[-1].reasoning == "Both are done."
    results = [e["result"]["result"]["content"][0]["text"] for e in flow if e["type"] == "tool_result"]
    assert [call.result for turn in episode.turns for call in turn.tool_calls] == results


def test_replayed_calls_are_turns_without_words(fixtures: Path) -> None:
    episode = read(fixtures, "replayed").episode
    assert episode.orchestrator == "golden" and episode.success_parity
    assert [[c.name for c in turn.tool_calls] for turn in episode.turns] == [
        ["search_cases"],
        ["find_user"],
        ["update_case"],
    ]
    assert json.loads(episode.turns[2].tool_calls[0].arguments)["assigned_to"] == 7


def test_a_result_finds_its_call_by_the_arguments(fixtures: Path) -> None:
    episode = read(fixtures, "one_call_a_reply").episode
    calls = [call for turn in episode.turns for call in turn.tool_calls]
    assert episode.orchestrator == "claude_code" and episode.n_turns == 5
    assert calls[0].result and "CS-0000041" in calls[0].result and calls[1].result == "[]"
    assert [call.server for call in calls] == ["mcp", "mcp", "builtin", "mcp"]
    assert episode.turns[0].cached_tokens == 300


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_results_of_one_tool_come_in_any_order(order: tuple[int, int]) -> None:
    words = ("Pump", "Hose")
    calls = [{"name": "search_cases", "args": {"word": word}} for word in words]
    results = [
        {
            "type": "tool_result",
            "tool_name": "search_cases",
            "arguments": {"word": w},
            "result": {"result": w},
        }
        for w in words
    ]
    flow = [*({"type": "ai_message", "content": "", "tool_calls": [call]} for call in calls)]
    read = HarnessConversation.read([*flow, *(results[i] for i in order)], "")
    assert [turn.tool_calls[0].result for turn in read.turns] == ["Pump", "Hose"]


@pytest.mark.parametrize("harness", HARNESSES)
def test_what_was_read_is_written_again(fixtures: Path, harness: str) -> None:
    run, wanted = run_record(read(fixtures, harness)), written(fixtures, harness)
    for part in ("conversation_flow", "tool_results", "model_response", "verification_summary"):
        assert run[part] == wanted[part], part
    assert run["verification_results"].keys() == wanted["verification_results"].keys()


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"orchestrator": "swarm"}, "swarm"),
        ({"golden_substitutions": []}, "golden_guided"),
        ({"generated_plan": "1."}, "planner_react"),
        ({"conversation_flow": [{"type": "subtask_start"}]}, "decomposing"),
        ({"conversation_flow": [{"type": "debate"}]}, "unknown"),
    ],
)
def test_the_orchestrator_is_told_by_what_it_leaves(
    fixtures: Path, tmp_path: Path, change: dict[str, Any], name: str
) -> None:
    content = json.loads((fixtures / "results" / NAME).read_text())
    content["runs"] = [content["runs"][0] | change]
    (tmp_path / NAME).write_text(json.dumps(content))
    assert open_importer("enterpriseops").read(tmp_path / NAME)[0].episode.orchestrator == name


def test_a_replay_of_other_calls_is_refused(fixtures: Path, tmp_path: Path) -> None:
    content = json.loads((fixtures / "other_harnesses" / "replayed" / NAME).read_text())
    content["runs"][0]["tool_results"].pop()
    (tmp_path / NAME).write_text(json.dumps(content))
    with pytest.raises(FormatError, match="tool_results are not the results"):
        open_importer("enterpriseops").read(tmp_path / NAME)
