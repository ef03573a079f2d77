"""Result files of the EnterpriseOps-Gym harness become episodes, nothing lost."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle, check_bundle
from eops_traj.errors import FormatError
from eops_traj.files import find_files
from eops_traj.gym import registry
from eops_traj.interchange import enterpriseops_conversation
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.enterpriseops_calls import result_of
from eops_traj.messages import messages
from eops_traj.schema import BENCHMARK_SUITE
from eops_traj.store.store import Store
from eops_traj.taskgen.save import save_suite
from eops_traj.tasks import in_mode, load_folder
from tests.conftest import Ran
from tests.tasks.small_suite import small_suite

DEMO = "results_oracle__csm__task_20260302_demo_0001.json"
TEAMS = "results_plus_5_tools__teams__task_20260302_demo_0002.json"
PLANNED = "results_oracle__itsm__task_20260302_demo_0003.json"


def read(path: Path, tasks: Path | None = None, tools: list[Path] | None = None) -> list[EpisodeBundle]:
    return open_importer("enterpriseops", load_folder(tasks) if tasks else [], tools or []).read(path)


def conversation(found: EpisodeBundle) -> list[dict[str, Any]]:
    aside = json.loads(found.episode.details).get("conversation_flow", [])
    return enterpriseops_conversation.write_flow(
        found.episode.turns, found.prompt.text, found.episode.user_prompt, aside
    )


def test_a_run_becomes_an_episode(fixtures: Path) -> None:
    episode = read(fixtures / "results" / DEMO)[0].episode
    assert (episode.task_id, episode.domain, episode.mode) == ("task_20260302_demo_0001", "csm", "oracle")
    assert (episode.n_turns, episode.n_steps, episode.n_tool_errors) == (3, 3, 0)
    assert (episode.input_tokens, episode.output_tokens, episode.reasoning_tokens) == (4310, 164, 72)
    assert episode.cost is None and episode.duration_ms == 5400
    assert [t.latency_ms for t in episode.turns] == [900, 440, 300]
    assert [c.name for c in episode.turns[0].tool_calls] == ["search_cases", "find_user"]
    assert json.loads(episode.turns[0].tool_calls[1].result or "")["user_id"] == 7
    assert episode.response.startswith("The Birchfield case")
    assert episode.outcome == "success" and episode.stop_reason == "completed"


def test_verdicts_keep_query_expected_and_actual(fixtures: Path) -> None:
    verdict = read(fixtures / "results" / TEAMS)[0].episode.verdicts[1]
    assert verdict.comparison == "contains" and json.loads(verdict.expected or "") == "bram"
    assert json.loads(verdict.actual or "") == {"roles": '["owner"]', "user_id": "bram"}
    assert verdict.query and verdict.query.startswith("SELECT cm.user_id")


def test_a_run_that_failed_in_the_harness_is_an_error_and_no_failure(fixtures: Path) -> None:
    episode = read(fixtures / "results" / DEMO)[2].episode
    assert episode.outcome == "error" and episode.error == "Connection to the sandbox was lost"
    assert episode.success_parity is None and episode.verifier_pass_strict is None
    assert episode.prompt_hash == read(fixtures / "results" / DEMO)[0].episode.prompt_hash


def test_runs_are_attempts_of_one_task(fixtures: Path) -> None:
    episodes = [found.episode for found in read(fixtures / "results" / DEMO)]
    assert [e.attempt for e in episodes] == [1, 2, 3]
    assert len({e.task_hash for e in episodes}) == 1 and len({e.episode_id for e in episodes}) == 3


def test_a_joined_task_gives_tools_context_and_the_verifiers_that_collided(fixtures: Path) -> None:
    plain = read(fixtures / "results" / DEMO)[0]
    joined = read(fixtures / "results" / DEMO, fixtures / "tasks")[0]
    assert joined.episode.episode_id == plain.episode.episode_id
    assert json.loads(joined.episode.servers[0].context) == {"x-user-email": "desk@pumps.example"}
    assert [t["name"] for t in json.loads(joined.toolset.tools)][-1] == "list_users"
    assert len(plain.episode.verdicts) == 2 and len(joined.episode.verdicts) == 3
    assert joined.episode.success_parity and not joined.episode.success_strict


def test_tools_are_observed_unless_their_declarations_are_given(fixtures: Path, tmp_path: Path) -> None:
    found = read(fixtures / "results" / PLANNED, fixtures / "tasks")[0]
    assert found.toolset.origin == "observed"
    whole = {"name": "find_incident_by_number", "description": "d", "inputSchema": {"type": "object"}}
    declared = [whole, {"name": "update_incident", "inputSchema": {}}]  # MCP asks for no description
    (tmp_path / "itsm.json").write_text(json.dumps({"tools": declared}))
    found = read(fixtures / "results" / PLANNED, fixtures / "tasks", [tmp_path])[0]
    assert found.toolset.origin == "listed" and json.loads(found.toolset.tools) == declared


@pytest.mark.parametrize(
    ("suite", "files", "mode", "shown"),
    [
        ("ours", ("oracle", "plus_5_tools"), "plus_5_tools", "plus_5_tools"),
        ("ours", ("oracle", "plus_5_tools"), "oracle", "oracle"),
        ("ours", ("oracle",), "plus_10_tools", "plus_10_tools"),
        ("ours", ("oracle",), "plus_6_tools", None),
        (BENCHMARK_SUITE, ("oracle", "all"), "all", "all"),
        (BENCHMARK_SUITE, ("oracle", "all"), "plus_5_tools", None),
    ],
)
def test_a_result_has_the_tools_of_its_own_mode_or_those_that_its_calls_show(
    suite: str, files: tuple[str, ...], mode: str, shown: str | None,
    fixtures: Path, tmp_path: Path, cli: Callable[..., Ran],
) -> None:  # fmt: skip
    task = replace(next(task for task in small_suite() if task.domain == "csm"), suite=suite)
    save_suite([task], tmp_path / "suite", {}, files, seeds=False)
    path, declared = tmp_path / f"results_{mode}__csm__{task.task_id}.json", tmp_path / "declared.json"
    path.write_text((fixtures / "results" / DEMO).read_text())
    declared.write_text(json.dumps({"tools": [t.listing() for t in registry.server("csm").tools.values()]}))
    joined = ("--tasks", tmp_path / "suite" / "tasks", "--tools", declared)
    assert cli("import", "enterpriseops", path, "--store", tmp_path / "s", *joined).code == 0
    with Store.open(tmp_path / "s") as store:
        found = next(store.episodes())
        toolset = store.toolset(found.toolset_hash)
    names = {tool["name"] for tool in json.loads(toolset.tools)}
    called = {call.name for call in found.tool_calls()}
    wanted = ("listed", set(in_mode(task, shown).tools)) if shown else ("observed", called)
    assert (found.mode, toolset.origin, names) == (mode, *wanted)
    assert {v.name for v in found.verdicts} >= {v.name for v in task.verifiers}


@pytest.mark.parametrize(
    ("error", "text"), [({"code": -32603, "message": "gone"}, "gone"), ([1], "[1]"), ("", None)]
)
def test_an_error_that_is_no_text_is_told_as_one(
    error: Any, text: str | None, fixtures: Path, tmp_path: Path
) -> None:
    file = json.loads((fixtures / "results" / DEMO).read_text())
    told = {"success": True, "result": None, "error": error}
    flow = file["runs"][0]["conversation_flow"]
    next(entry for entry in flow if entry["type"] == "tool_result")["result"] = told
    (tmp_path / DEMO).write_text(json.dumps(file))
    found, *_ = read(tmp_path / DEMO)
    check_bundle(found)
    call = found.episode.tool_calls()[0]
    assert (call.error, result_of(call)) == (text, told)


def test_a_planner_run_keeps_its_plan_and_what_the_model_was_shown(fixtures: Path) -> None:
    episode = read(fixtures / "results" / PLANNED)[0].episode
    assert episode.orchestrator == "planner_react" and episode.stop_reason == "max_turns"
    assert "A colleague suggests" in (episode.turns[0].nudge or "")
    assert json.loads(episode.details)["run"]["generated_plan"].startswith("1. Find the incident")


def test_every_message_before_a_reply_was_sent(fixtures: Path, tmp_path: Path) -> None:
    file = json.loads((fixtures / "results" / DEMO).read_text())
    flow, request = file["runs"][0]["conversation_flow"], file["benchmark_config"]["user_prompt"]
    today, last = ({"type": "user_message", "content": text} for text in ("Today is Monday.", "Be quick."))
    flow[2:2], flow[-1:] = [today, last], [last, today, flow[-1]]
    (tmp_path / DEMO).write_text(json.dumps(file))
    found = read(tmp_path / DEMO)[0]
    said = [m["content"] for m in messages(found.episode, "") if m["role"] == "user"]
    assert said == [f"{request}\n\nToday is Monday.\n\nBe quick.", "Be quick.\n\nToday is Monday."]
    assert conversation(found) == flow


@pytest.mark.parametrize("name", [DEMO, TEAMS, PLANNED])
def test_the_conversation_comes_back_to_the_letter(fixtures: Path, name: str) -> None:
    runs = json.loads((fixtures / "results" / name).read_text())["runs"]
    for found, run in zip(read(fixtures / "results" / name), runs, strict=True):
        assert conversation(found) == run.get("conversation_flow", []) or run.get("error")


def test_real_conversations_come_back_to_the_letter(shared: Path) -> None:
    files = list(find_files([shared / "eog" / "results"]))
    assert len(files) == 52
    for path in files:
        (found,) = read(path)
        assert conversation(found) == json.loads(path.read_text())["runs"][0]["conversation_flow"], path.name


def test_real_labels_are_the_files_own(shared: Path) -> None:
    for path in find_files([shared / "eog" / "results"]):
        (found,), run = read(path), json.loads(path.read_text())["runs"][0]
        assert found.episode.success_parity == run["overall_success"]
        assert found.episode.verifier_pass_parity == run["verification_summary"]["pass_rate"]


@pytest.mark.parametrize(
    ("damage", "reason"),
    [
        (lambda t: t[: len(t) // 2], "not JSON"),
        (lambda t: "{}", "benchmark_config: Field required"),
        (lambda t: "[1, 2]", "valid dictionary"),
        (lambda t: t.replace('"conversation_flow": [', '"conversation_flow": [3,'), "conversation_flow.0"),
        (lambda t: t.replace('"tool_name": "find_user",', '"tool_name": "someone_else",'), "answers no call"),
        (lambda t: t.replace('"type": "ai_message"', '"kind": "ai_message"'), "KeyError"),
        (
            lambda t: t.replace('"latency_checkpoint": {', '"x": NaN, "latency_checkpoint": {'),
            "not JSON",
        ),
    ],
)
def test_a_file_that_cannot_be_read_is_named_with_the_reason(
    fixtures: Path, tmp_path: Path, damage: Any, reason: str
) -> None:
    path = tmp_path / DEMO
    path.write_text(damage((fixtures / "results" / DEMO).read_text()))
    with pytest.raises(FormatError, match=f"{DEMO}.*{reason}"):
        read(path)


def test_replies_in_blocks_give_text_and_reasoning() -> None:
    blocks = [{"type": "thinking", "thinking": "Hm."}, {"type": "text", "text": "Done."}]
    assert enterpriseops_conversation.text_of(blocks) == ("Done.", "Hm.")
    turn = enterpriseops_conversation.HarnessConversation.read(
        [{"type": "ai_message", "content": blocks}], ""
    ).turns[0]
    assert json.loads(turn.provider)["content"] == blocks
