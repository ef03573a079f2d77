"""The benchmark's harness as a source, by a stand-in: what it makes of tasks are episodes like our own."""

import json
import os
import shutil
import signal
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.job import sole_collection
from eops_traj.errors import StoreError, UnknownName
from eops_traj.harness.episode import DISAGREES
from eops_traj.harness.job import find_harness_job
from eops_traj.harness.recording import RecordedSession
from eops_traj.harness.run import servers_of
from eops_traj.harness.served_gym import ServedGym
from eops_traj.interchange.import_files import append_bundles
from eops_traj.schema import Episode, Server
from eops_traj.store.store import Store
from tests.collect.case_tasks import task, write_tasks
from tests.collect.test_run import journal_size
from tests.harness.checkouts import case_script, write_config, write_llm, write_small_tasks
from tests.waiting import eventually


def scripts(count: int, **more: Any) -> dict[str, Any]:
    """Every third task is done wrongly."""
    return {task(n).user_prompt: case_script(task(n), n, n % 3 != 0, **more) for n in range(1, count + 1)}


def episodes(store: Path) -> list[Episode]:
    with Store.open(str(store)) as opened:
        return list(opened.episodes())


def labels(made: list[Episode]) -> dict[str, Any]:
    return {e.episode_id: (e.success_parity, e.success_strict, e.outcome, e.failure_modes) for e in made}


def test_the_gym_serves_every_server_that_a_task_names_and_no_other() -> None:
    both = (Server(name="sn-csm-server", seed=""), Server(name="gym-email-mcp", seed=""))
    tasks = [task(1, servers=both[:1]), task(2, servers=both), task(3, servers=())]
    assert servers_of(tasks) == {"csm", "email"}
    with pytest.raises(UnknownName, match="no-such-server"):
        servers_of([task(1, servers=(Server(name="no-such-server", seed=""),))])


def test_every_episode_has_a_changeset_and_both_labels(cli: Callable[..., Any], tmp_path: Path) -> None:
    count = 3
    tasks = write_tasks(tmp_path / "tasks", count)
    config = write_config(tmp_path, tasks, scripts(count))
    ran = cli("collect", config, "--store", tmp_path / "store", "--json")
    assert ran.code == 0, ran.err
    made = episodes(tmp_path / "store")
    assert len({episode.task_id for episode in made}) == count == len(made)
    for episode in made:
        good = int(episode.task_id.rpartition("_")[2]) % 3 != 0
        assert episode.changeset and (episode.success_parity, episode.success_strict) == (good, good)
        assert episode.outcome == ("success" if good else "failure")
        assert [change.table for call in episode.tool_calls() for change in call.changes] == ["customer_case"]
        assert [verdict.passed_strict for verdict in episode.verdicts] == [good, True]
        assert (episode.suite, episode.split, episode.feasible) == ("tests", "train", True)
    assert json.loads(made[0].settings)["protocol"] == "benchmark"
    assert (made[0].model, made[0].orchestrator, made[0].input_tokens) == ("vllm/stub", "react", 30)
    assert cli("verify", "--store", tmp_path / "store", "--json").code == 0
    assert labels(episodes(tmp_path / "store")) == labels(made), "verified again, no label changes"


def test_a_run_that_erred_is_an_error_and_is_owed_again(cli: Callable[..., Any], tmp_path: Path) -> None:
    tasks = write_small_tasks(tmp_path / "tasks", 3)
    said = scripts(3)
    said[task(2).user_prompt] |= {"error": "No active exception to reraise"}
    ran = cli("collect", write_config(tmp_path, tasks, said), "--store", tmp_path / "store")
    assert ran.code == 1 and "1 of 3 attempts ended in error" in ran.err
    made = {episode.task_id: episode for episode in episodes(tmp_path / "store")}
    assert made["case_002"].error == "harness: No active exception to reraise"
    assert made["case_002"].success_parity is None and made["case_001"].success_strict is True
    config = write_config(tmp_path, tasks, scripts(3))
    assert cli("collect", config, "--store", tmp_path / "store", "--resume").code == 0
    again = sorted(episodes(tmp_path / "store"), key=lambda e: (e.task_id, e.attempt))[1:3]
    assert [(e.attempt, e.supersedes is None, e.error is None) for e in again] == [
        (1, True, False),
        (2, False, True),
    ]


def test_a_result_file_that_no_store_can_hold_costs_no_other_its_episode(
    cli: Callable[..., Any], tmp_path: Path
) -> None:
    """Before, it ended the collection, and what the gym had recorded of the others was lost with it."""
    tasks, store = write_small_tasks(tmp_path / "tasks", 3), tmp_path / "store"
    right = {task(n).user_prompt: case_script(task(n), n, good=True) for n in (1, 2, 3)}
    said = right | {task(2).user_prompt: case_script(task(2), 2, good=True, input_tokens=5.5)}
    ran = cli("collect", write_config(tmp_path, tasks, said), "--store", store)
    assert ran.code == 1 and ran.err.count("\n") <= 2
    assert "the result file of case_002: " in ran.err and "5.5" in ran.err and "--resume" in ran.err
    made = {episode.task_id: episode for episode in episodes(store)}
    assert all(made[f"case_00{n}"].success_strict and made[f"case_00{n}"].changeset for n in (1, 3))
    assert (made["case_002"].error or "").startswith("record: ") and made["case_002"].turns == ()
    assert made["case_002"].source == made["case_001"].source
    config = write_config(tmp_path, tasks, right)
    assert cli("collect", config, "--store", store, "--resume").code == 0
    again = [episode for episode in episodes(store) if episode.task_id == "case_002"]
    assert sorted((e.attempt, e.error is None, bool(e.changeset)) for e in again) == [
        (1, False, False),
        (2, True, True),
    ]


def test_of_several_tries_the_last_one_is_recorded(cli: Callable[..., Any], tmp_path: Path) -> None:
    """The harness seeds new databases for each, and drops those of the tries before again and again."""
    tasks = write_small_tasks(tmp_path / "tasks", 2)
    said = scripts(2)
    said[task(2).user_prompt] |= {"flaky": 3}
    assert cli("collect", write_config(tmp_path, tasks, said), "--store", tmp_path / "store").code == 0
    once, flaky = sorted(episodes(tmp_path / "store"), key=lambda e: e.task_id)
    assert flaky.success_strict and len(flaky.changeset or b"") == len(once.changeset or b"")
    assert [len(call.changes) for call in flaky.tool_calls()] == [0, 1]


def test_attempts_are_numbered_and_made_once(cli: Callable[..., Any], tmp_path: Path) -> None:
    tasks = write_small_tasks(tmp_path / "tasks", 3)
    config, store = write_config(tmp_path, tasks, scripts(3), attempts=2), tmp_path / "store"
    assert cli("collect", config, "--store", store, "attempts=1").code == 0
    assert cli("collect", config, "--store", store, "--resume").code == 0
    made = sorted((e.task_id, e.attempt) for e in episodes(store))
    assert made == [(f"case_{n:03}", attempt) for n in (1, 2, 3) for attempt in (1, 2)]
    assert json.loads(cli("collect", config, "--store", store, "--resume", "--json").out)["owed"] == 0


def test_a_second_collection_of_the_agent_is_refused(cli: Callable[..., Any], tmp_path: Path) -> None:
    tasks, store = write_small_tasks(tmp_path / "tasks", 1), tmp_path / "store"
    config = write_config(tmp_path, tasks, scripts(1))
    job = find_harness_job(str(config), (), str(store))
    assert job
    with Store.open(store, create=True) as opened, sole_collection(opened, job.agent):
        ran = cli("collect", config, "--store", store)
    assert ran.code == 2 and ran.err.startswith("eops-traj: another collection records 'vllm/stub' in ")
    assert len(ran.err.splitlines()) == 1 and episodes(store) == []


def test_ctrl_c_keeps_what_is_whole(cli: Callable[..., Any], tmp_path: Path) -> None:
    tasks, store = write_small_tasks(tmp_path / "tasks", 12), tmp_path / "store"
    said = scripts(12, seconds=600) | scripts(4)  # the others are under way whenever we stop it
    config = write_config(tmp_path, tasks, said, concurrency=12)
    command = [sys.executable, "-m", "eops_traj.cli", "collect", config, "--store", store]
    with subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as process:
        assert eventually(lambda: journal_size(store) >= 2, 300)
        process.send_signal(signal.SIGINT)
        _, told = process.communicate(timeout=120)
    assert process.returncode == 130, told
    assert "still to be made: the same command with --resume goes on" in told
    assert 2 <= len(episodes(store)) <= 4 and not running(tmp_path / "checkout")


def test_ctrl_c_while_an_episode_is_taken_leaves_none_without_its_changes(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What the gym recorded is given once: who is stopped between that and the store has lost it."""
    take, sent = ServedGym.take, list[str]()

    def interrupted(gym: ServedGym, session: str) -> RecordedSession:
        taken = take(gym, session)
        if not sent:
            os.kill(os.getpid(), signal.SIGINT)
        sent.append(session)
        return taken

    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    right = {task(n).user_prompt: case_script(task(n), n, good=True) for n in range(1, 5)}
    config = write_config(tmp_path, write_small_tasks(tmp_path / "tasks", 4), right)
    try:
        with monkeypatch.context() as patched:
            patched.setattr(ServedGym, "take", interrupted)
            assert cli("collect", config, "--store", tmp_path / "store").code == 130
    finally:
        signal.signal(signal.SIGINT, before)
    made = episodes(tmp_path / "store")
    assert 0 < len(made) == len(sent)
    assert all(one.changeset and one.success_strict for one in made)
    assert cli("collect", config, "--store", tmp_path / "store", "--resume").code == 0
    assert len(episodes(tmp_path / "store")) == 4


def test_episodes_that_could_not_be_stored_at_first_are_stored_with_their_changes(
    cli: Callable[..., Any], tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Before, they came without: the gym had given what it recorded, and it was lost with the first try."""
    failed = list[int]()

    def locked(store: Store, bundles: list[EpisodeBundle]) -> int:
        if bundles and not failed:
            failed.append(len(bundles))
            raise StoreError("the journal is locked")
        return append_bundles(store, bundles)

    monkeypatch.setattr("eops_traj.harness.run.append_bundles", locked)
    said = scripts(2, seconds=600) | scripts(1)  # what is stored last is stored because the first time failed
    config = write_config(tmp_path, write_small_tasks(tmp_path / "tasks", 2), said)
    ran = cli("collect", config, "--store", tmp_path / "store")
    assert ran.err == "eops-traj: the journal is locked\n"
    [made] = episodes(tmp_path / "store")
    assert made.changeset and made.success_strict and failed == [1]


def test_a_task_without_a_result_file_is_still_owed(cli: Callable[..., Any], tmp_path: Path) -> None:
    """What goes wrong outside of a run is named in the script's log alone, and its exit code is 0."""
    tasks = write_small_tasks(tmp_path / "tasks", 3)
    said = scripts(3)
    said[task(2).user_prompt] |= {"crash": "No module named 'langchain_openai'"}
    ran = cli("collect", write_config(tmp_path, tasks, said), "--store", tmp_path / "store")
    assert ran.code == 1 and ran.err.count("\n") <= 2
    assert "1 tasks left no result file" in ran.err and "langchain_openai" in ran.err
    assert len(episodes(tmp_path / "store")) == 2
    refused = cli("collect", write_config(tmp_path, tasks, scripts(3)), "--store", tmp_path / "store")
    assert refused.code == 2 and "has 2 attempts of this agent" in refused.err


def test_a_verdict_that_we_do_not_come_to_is_noted(cli: Callable[..., Any], tmp_path: Path) -> None:
    """The benchmark's verdict stands, and is no strict pass."""
    tasks = write_small_tasks(tmp_path / "tasks", 1)
    said = {task(1).user_prompt: case_script(task(1), 1, good=False, told=True)}
    config = write_config(tmp_path, tasks, said)
    assert cli("collect", config, "--store", tmp_path / "store").code == 0
    [made] = episodes(tmp_path / "store")
    assert (made.success_parity, made.success_strict) == (True, False)
    assert json.loads(made.details)["harness"] == {DISAGREES: ["Counted"]}


def test_kill_9_loses_none_and_doubles_none(cli: Callable[..., Any], tmp_path: Path) -> None:
    count, store = 18, tmp_path / "store"
    tasks = write_small_tasks(tmp_path / "tasks", count)
    config = write_config(tmp_path, tasks, scripts(count), concurrency=count)
    assert cli("collect", config, "--store", store, "tasks.limit=4").code == 0
    write_llm(tmp_path, scripts(count, seconds=600) | scripts(10))  # the others are under way at its end
    command = [sys.executable, "-m", "eops_traj.cli", "collect", config, "--store", store, "--resume"]
    with subprocess.Popen(command) as process:
        assert eventually(lambda: journal_size(store) >= 4 or process.poll() is not None, 300)
        process.kill()
    assert process.returncode == -9
    some = len(episodes(store))
    assert 8 <= some < count
    assert eventually(lambda: not running(tmp_path / "checkout"), 60), "the script ended with us"
    assert len(episodes(store)) == some
    write_llm(tmp_path, scripts(count))
    assert cli("collect", config, "--store", store, "--resume").code == 0
    made = episodes(store)
    assert len(made) == count == len({(e.task_id, e.attempt) for e in made})
    assert all(e.changeset and e.error is None for e in made)


def running(checkout: Path) -> list[str]:
    """The processes that run a checkout's script."""
    lines = []
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            lines.append((folder / "cmdline").read_bytes().decode(errors="replace"))
        except OSError:
            continue
    return [line for line in lines if str(checkout) in line and str(os.getpid()) not in line]


REAL_TASK = "task_20251212_172511_458_e6427839_47076c15"
REAL_CALLS = [
    ["find_incident_by_number", {"number": "INC0000003"}],
    ["update_incident", {"incident_id": "INC_003", "impact": "high", "priority": "high"}],
    [
        "link_new_incident_sla",
        {"incident_id": "INC_003", "sla_def_id": "SLA_002", "start_time": "2026-01-05T09:00:00"},
    ],
]


@pytest.mark.parametrize(("calls", "passed"), [(REAL_CALLS, True), (REAL_CALLS[:2], False)])
def test_a_task_of_the_benchmarks_own_is_worked_too(
    calls: list[Any], passed: bool, shared: Path, cli: Callable[..., Any], tmp_path: Path
) -> None:
    """Its seed is a file, named from the folder of the tasks."""
    document = json.loads((shared / "eog" / "tasks" / f"{REAL_TASK}.json").read_text())
    seed = tmp_path / "tasks" / document["gym_servers_config"][0]["seed_database_file"]
    seed.parent.mkdir(parents=True)
    shutil.copyfile(shared / "eog" / "seeds" / seed.name, seed)
    (tmp_path / "tasks" / f"oracle__itsm__{REAL_TASK}.json").write_text(json.dumps(document))
    said = {document["user_prompt"]: {"calls": calls, "answer": "The impact is high now."}}
    config = write_config(tmp_path, tmp_path / "tasks", said)
    assert cli("collect", config, "--store", tmp_path / "store").code == 0
    [made] = episodes(tmp_path / "store")
    assert (made.task_id, made.suite, made.success_parity) == (REAL_TASK, "enterpriseops-gym", passed)
    assert made.success_strict is passed and made.changeset
    assert [bool(call.changes) for call in made.tool_calls()] == [False, *[True] * (len(calls) - 1)]
