"""The harness's result files: a real file comes back equal but for its secrets; its script reads our runs."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import InputError
from eops_traj.export.run import Export
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.enterpriseops_files import FolderLayout, ResultFileKey
from eops_traj.messages import calls, messages
from eops_traj.privacy.redact import scrub
from eops_traj.schema import Json, Server, Turn, Verdict
from tests.episodes import episode
from tests.export.real_results import some_results
from tests.selected import call, certificate, exported


def contents(folder: Path) -> dict[str, Any]:
    """The JSON of every file under a folder, by its name."""
    return {path.name: json.loads(path.read_text("utf-8")) for path in folder.rglob("*.json")}


def typed(value: Any) -> str:
    """JSON text that tells 1 from 1.0 and true."""
    return json.dumps(value, sort_keys=True)


def again(cli: Callable, source: Path, folder: Path, *options: object) -> Path:
    """The files of an import that is exported again."""
    store, out = folder / "store", folder / "out"
    assert cli("import", "enterpriseops", source, "--store", store, *options).code == 0
    (folder / "all.yaml").write_text("rules: []")
    assert cli("filter", folder / "all.yaml", "--store", store, "--name", "all").code == 0
    ran = cli("export", "enterpriseops", "--store", store, "--selection", "all", "--out", out)
    assert ran.code == 0, ran.err
    return out / "results"


def test_our_own_small_files_come_back_equal(cli: Callable, fixtures: Path, tmp_path: Path) -> None:
    written = contents(again(cli, fixtures / "results", tmp_path))
    assert {n: typed(c) for n, c in written.items()} == {
        n: typed(c) for n, c in contents(fixtures / "results").items()
    }


def test_a_time_of_another_zone_comes_back_as_it_was_written(
    cli: Callable, fixtures: Path, tmp_path: Path
) -> None:
    [source] = (fixtures / "results").glob("*csm*")
    content = json.loads(source.read_text("utf-8"))
    content["runs"][0]["started_at"] = "2026-03-02T09:00:00-05:00"
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / source.name).write_text(json.dumps(content), encoding="utf-8")
    assert contents(again(cli, tmp_path / "in", tmp_path)) == {source.name: content}


@pytest.mark.parametrize(
    ("count", "part"),
    [(12, "."), (5, "teams"), pytest.param(52, ".", marks=pytest.mark.slow)],
    ids=["some, with their tasks", "some, alone", "all, with their tasks"],
)
def test_the_real_files_come_back_equal(
    cli: Callable, shared: Path, tmp_path: Path, count: int, part: str
) -> None:
    whole = shared / "eog" / "results"
    source = (whole if count == 52 else some_results(shared, tmp_path / "results")) / part
    tasks = ("--tasks", shared / "eog" / "tasks", "--tools", shared / "eog" / "tools") if part == "." else ()
    written = again(cli, source, tmp_path, *tasks)
    assert {p.name for p in written.iterdir()} == ({"csm", "teams"} if part == "." else {part})
    assert len(contents(written)) == count
    assert {n: typed(c) for n, c in contents(written).items()} == {
        n: typed(json.loads(scrub(json.dumps(c)))) for n, c in contents(source).items()
    }


def test_calls_that_were_no_json_are_given_as_they_were_run(tmp_path: Path) -> None:
    salvaged = replace(call("c0", name="Odile"), raw="{'name': 'Odile'}", envelope=Json("{}"))
    given_up = replace(call("c1"), raw='{"name": "Od', envelope=Json("{}"))
    turns = (Turn(text="", tool_calls=(salvaged, given_up)), Turn(text="!"))
    folder = exported(tmp_path, [episode("e", turns=turns)], "enterpriseops")
    (content,) = contents(folder / "results").values()
    flow = content["runs"][0]["conversation_flow"]
    calls = next(entry["tool_calls"] for entry in flow if entry.get("tool_calls"))
    assert [one["args"] for one in calls] == [{"name": "Odile"}, {}]


def test_a_run_of_our_own_is_read_as_the_harness_would_write_it(tmp_path: Path) -> None:
    verdicts = (
        Verdict(
            name="v",
            kind="database_state",
            query="SELECT 1",
            comparison="equals",
            expected=Json("1"),
            actual=Json("0"),
            passed_parity=True,
            passed_strict=True,
        ),
        Verdict(
            name="v",
            kind="database_state",
            passed_parity=False,
            passed_strict=False,
            error="SQL query failed: no",
            query="SELECT",
        ),
        Verdict(name="skipped", kind="database_state", passed_parity=None, passed_strict=False),
    )
    server = Server(name="sn-csm-server", seed="gym:csm/demo")
    mine = episode(
        "e",
        verdicts=verdicts,
        servers=(server,),
        duration_ms=12.0,
        turns=(
            Turn(
                text="",
                tool_calls=(call("c", name="Odile"), replace(call("d"), result=None, error="timeout")),
            ),
            Turn(text="Done.", input_tokens=3),
        ),
    )
    [content] = contents(exported(tmp_path, [mine], "enterpriseops") / "results").values()
    [run] = content["runs"]
    assert (
        content["statistics"]["overall_success_rate"] == 0.0
        and content["statistics"]["total_verifiers_checked"] == 1
    )
    assert run["verification_results"] == {
        "v": {"passed": False, "error": "SQL query failed: no", "query": "SELECT"}
    }
    assert [r["result"]["success"] for r in run["tool_results"]] == [True, False]
    assert run["tool_results"][0]["result"]["result"]["content"] == [
        {"type": "text", "text": '{"user_id": 7}'}
    ]
    assert [e["type"] for e in run["conversation_flow"]][2:] == [
        "ai_message",
        "tool_result",
        "tool_result",
        "ai_message",
    ]


def test_the_importer_reads_a_run_of_our_own(tmp_path: Path) -> None:
    mine = episode(
        "e",
        servers=(Server(name="s", seed="x"),),
        turns=(Turn(text="", tool_calls=(call("c", name="O"),)), Turn(text="!")),
    )
    [path] = (exported(tmp_path, [mine], "enterpriseops") / "results").rglob("*.json")
    [counts] = open_importer("enterpriseops").read(path)
    assert calls(messages(counts.episode, "")) == calls(messages(mine, "")) and counts.episode.response == "!"


def test_each_attempt_has_a_file_in_the_folder_of_its_run(tmp_path: Path) -> None:
    runs = [episode("e2", attempt=2), episode("e1"), episode("again"), episode("other", task_id="task_1")]
    written = exported(tmp_path, runs, "enterpriseops")
    counts = {
        p.relative_to(written / "results").as_posix(): len(json.loads(p.read_text())["runs"])
        for p in written.rglob("results_*.json")
    }
    name = "csm/results_oracle__csm__task_{}.json"
    assert counts == {
        "run_1/" + name.format(0): 1,
        "run_1/" + name.format(1): 1,
        "run_2/" + name.format(0): 1,
        "run_3/" + name.format(0): 1,
    }
    assert certificate(written)["checks"]["tool_calls_round_trip"]["rows"] == 4


def test_several_agents_are_kept_apart(tmp_path: Path) -> None:
    written = exported(
        tmp_path, [episode("a"), episode("b", agent_hash="b0", model="org/m 2")], "enterpriseops"
    )
    assert sorted(p.name for p in (written / "results").iterdir()) == ["m__react__a0", "org_m_2__react__b0"]


def test_names_of_others_lead_nowhere_else(tmp_path: Path) -> None:
    """Agent and domain of an imported episode are names of folders."""
    away = episode("b", agent_hash="b0", orchestrator="/../../../../away", domain="..")
    written = exported(tmp_path, [episode("a"), away], "enterpriseops")
    assert sorted(path.relative_to(written).as_posix() for path in written.rglob("*.json")) == [
        "certificate.json",
        "results/m___.._.._.._.._away__b0/_/results_oracle__..__task_0.json",
        "results/m__react__a0/csm/results_oracle__csm__task_0.json",
    ]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["enterpriseops", "store"]


def key(task_id: str) -> ResultFileKey:
    """Return what tells the file of a task from others."""
    return ResultFileKey("m__react__a0", "oracle", "csm", task_id, 1)


def test_tasks_whose_names_come_to_the_same_have_a_file_each(tmp_path: Path) -> None:
    names = {"e0": "q 1", "e1": "q_1", "e2": "q/1", "e3": "q 2"}
    written = exported(tmp_path, [episode(e, task_id=name) for e, name in names.items()], "enterpriseops")
    files = sorted(path.stem.removeprefix("results_oracle__csm__") for path in written.rglob("results_*"))
    assert [name for name in files if len(name) == 3] == ["q_1", "q_2"] and len(files) == 4
    assert certificate(written)["rows"] == 4
    layout, [other, own] = FolderLayout(False, False), [key("q 1"), key("q_1")]
    assert layout.paths([other, own])[Path("results/csm/results_oracle__csm__q_1.json")] == own
    assert layout.paths([own, other]) == layout.paths([other, own])


def test_an_errored_run_counts_as_the_harness_counts_it(tmp_path: Path) -> None:
    lost = episode("e", turns=(), error="sandbox lost", outcome="error", success_parity=None)
    [content] = contents(exported(tmp_path, [lost], "enterpriseops") / "results").values()
    assert content["runs"] == [{"run_number": 1, "error": "sandbox lost", "overall_success": False}]
    assert content["statistics"]["total_runs"] == 1 and content["statistics"]["mean_execution_time_ms"] == 0


def test_reasoning_is_no_option_of_the_format(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="leave --reasoning out"):
        Export("enterpriseops", "s", "x", tmp_path / "out", reasoning=True).run()
