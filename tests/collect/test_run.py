"""A whole collection: every attempt is made, once, and what is stored says what is owed."""

import json
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import count
from pathlib import Path
from threading import Event

import pytest

from eops_traj.collect.config import load_setup
from eops_traj.collect.job import load_job
from eops_traj.collect.run import collect
from eops_traj.collect.stats import RunStats
from eops_traj.errors import InputError, WorkError
from eops_traj.schema import Episode, Json, Verifier
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from tests.collect import fake_endpoint
from tests.collect.case_tasks import SERVER, task
from tests.endpoint import Answer, ReceivedRequest, completion, endpoint
from tests.waiting import eventually

Config = Callable[..., Path]


def run(config: Path, store: Path, *overrides: str, resume: bool = False) -> RunStats:
    return collect(load_job(load_setup(config, overrides), str(store)), resume=resume)


def stored(store: Path) -> list[Episode]:
    with Store.open(store) as opened:
        return sorted(opened.episodes(), key=lambda e: (e.task_id, e.attempt))


def identities(store: Path) -> list[tuple[object, ...]]:
    """Return the columns that two runs of the same collection have in common."""
    return [(e.episode_id, e.attempt, e.supersedes, e.outcome, e.run_id, e.changeset) for e in stored(store)]


def test_every_attempt_at_every_task_is_made_and_stored_once(config: Config, tmp_path: Path):
    stats = run(config(), tmp_path / "s", "attempts=2")
    episodes = stored(tmp_path / "s")
    assert len({e.episode_id for e in episodes}) == len(episodes) == 12 == stats.settled
    assert {e.outcome for e in episodes} == {"success"} and stats.pass_rate == 1.0
    assert {e.run_id for e in episodes} == {stored_run_id(tmp_path / "s")}
    assert stats.traffic.requests == 12 * 4


def stored_run_id(store: Path) -> str:
    with Store.open(store) as opened:
        [run_id] = opened.scan(table="runs").collect()["run_id"]
        assert json.loads(opened.run(run_id).config)["attempts"] == 2
        return str(run_id)


def test_a_store_that_has_attempts_wants_resume_and_then_gets_what_is_owed(config: Config, tmp_path: Path):
    path, store = config(), tmp_path / "s"
    run(path, store, "tasks.limit=2")
    with pytest.raises(InputError, match="2 attempts of this agent at these tasks already; --resume"):
        run(path, store, "attempts=2")
    assert run(path, store, "attempts=2", resume=True).settled == 10
    assert run(path, store, "attempts=2", resume=True).settled == 0
    run(path, tmp_path / "whole", "attempts=2")
    assert [e[:4] for e in identities(store)] == [e[:4] for e in identities(tmp_path / "whole")]


@contextmanager
def judged(at: Path) -> Iterator[dict[str, object]]:
    """Write a task whose only verifier is a judge, and serve that judge; its options."""
    wanted = {"sql_query": "SELECT 1", "comparison_prompt": "It is said."}
    verifier = Verifier(name="said", kind="response_check", server=SERVER, config=Json(json.dumps(wanted)))
    at.write_text(json.dumps(dump_task(task(verifiers=(verifier,)))))
    with endpoint(Answer(completion('{"score": 9, "reasoning": "yes"}'))) as model:
        url = model.url.replace("127.0.0.1", "localhost")
        yield {"kind": "openai_api", "model": "judge", "base_url": url, "timeout": 60}


def test_a_judge_is_found_by_the_name_of_its_host_while_every_episode_waits_for_it(
    config: Config, tmp_path: Path
):
    with judged(tmp_path / "judged.json") as judge:
        path = config(tasks={"source": str(tmp_path / "judged.json")}, judge=judge, requests={"failures": 0})
        run(path, tmp_path / "s", "pace.episodes=1", "pace.retries=0")
    [episode] = stored(tmp_path / "s")
    assert (episode.error, [v.passed_strict for v in episode.verdicts]) == (None, [True])


def test_an_attempt_ends_at_a_reply_whose_cost_nobody_tells(config: Config, tmp_path: Path):
    path, cheap = config(limits={"cost": 1.0}), "models.executor.prices={input: 1, output: 2}"
    run(path, tmp_path / "s", "tasks.limit=1")
    [episode] = stored(tmp_path / "s")
    assert "request: limits.cost cannot be kept" in str(episode.error) and episode.turns == ()
    run(path, tmp_path / "s", "tasks.limit=1", cheap, resume=True)
    assert [e.error is None for e in stored(tmp_path / "s")] == [False, True]


def test_a_limit_on_the_cost_is_not_for_judges_and_scripts(config: Config, tmp_path: Path):
    with judged(tmp_path / "judged.json") as judge:
        script = {"kind": "scripted", "replies": ["Done."]}
        tasks, limits = {"source": str(tmp_path / "judged.json")}, {"cost": 0.01}
        run(config(tasks=tasks, judge=judge, models={"executor": script}, limits=limits), tmp_path / "s")
    [episode] = stored(tmp_path / "s")
    assert (episode.error, [v.passed_strict for v in episode.verdicts]) == (None, [True])


def test_a_second_collection_of_an_agent_is_refused_until_the_first_has_ended_or_was_killed(
    config: Config, tmp_path: Path
):
    store = tmp_path / "s"
    with halting_model(episodes=2) as (model, _):
        path = config(models={"executor": model})
        with started(path, store, "pace.episodes=1", "attempts=2") as first:
            assert eventually(lambda: journal_size(store) == 2, 120)
            with pytest.raises(
                InputError, match=r"^another collection records 'clerk' in .*s; wait for its end"
            ):
                run(config(), store, "attempts=3", resume=True)
            assert run(config(), store, "limits.turns=9", "tasks.limit=1").settled == 1  # another agent
            first.kill()
            first.communicate()
    assert run(config(), store, "attempts=2", resume=True).settled == 10


def test_another_agent_owes_its_own(config: Config, tmp_path: Path):
    path, store = config(), tmp_path / "s"
    run(path, store)
    assert run(path, store, "limits.turns=9").settled == 6
    assert len(stored(store)) == 12


def test_errors_are_tried_again_under_new_numbers_and_kept(config: Config, tmp_path: Path):
    lost = {"kind": "openai_api", "model": "clerk", "base_url": "http://127.0.0.1:9/v1"}
    store = tmp_path / "s"
    path = config(models={"executor": lost}, requests={"failures": 1, "pause": 0.01})
    stats = run(path, store, "tasks.limit=2", "pace.retries=1", "attempts=1")
    assert (stats.settled, stats.given_up, stats.episodes) == (2, 2, 4)
    for first, second in zip(*[iter(stored(store))] * 2, strict=True):
        assert (first.attempt, second.attempt, second.supersedes) == (1, 2, first.episode_id)
        assert str(second.error).startswith("connection: ") and second.outcome == "error"


def test_errors_in_a_row_stop_it(config: Config, tmp_path: Path):
    lost = {"kind": "openai_api", "model": "clerk", "base_url": "http://127.0.0.1:9/v1"}
    path = config(models={"executor": lost}, requests={"failures": 0, "pause": 0.01})
    with pytest.raises(WorkError, match="the last 3 episodes ended in error: connection: "):
        run(path, tmp_path / "s", "pace.most_errors=3", "pace.episodes=1")
    assert len(stored(tmp_path / "s")) == 3


def test_an_interrupted_collection_is_resumed_to_the_same_store(config: Config, tmp_path: Path):
    store = tmp_path / "s"
    interrupted(config, store, "attempts=5", "pace.episodes=2")
    some, path = stored(store), config()
    assert 0 < len(some) < 30 and {e.outcome for e in some} == {"success"}
    run(path, store, "attempts=5", resume=True)
    run(path, tmp_path / "whole", "attempts=5")
    assert identities(store) == identities(tmp_path / "whole")
    with Store.open(store) as opened:  # what was owed at first, not what was left for the second time
        assert opened.run(some[0].run_id).attempts == 30


def interrupted(config: Config, store: Path, *overrides: str) -> None:
    """Start a collection as a process, and press Ctrl-C once some of it is there and it waits for answers."""
    with (
        halting_model(episodes=4) as (model, go_on),
        started(config(models={"executor": model}), store, *overrides) as process,
    ):
        while process.poll() is None and journal_size(store) < 2:
            time.sleep(0.02)
        process.send_signal(signal.SIGINT)
        go_on.set()
        _, errors = process.communicate(timeout=120)
    assert process.returncode == 130, errors
    assert (
        "are still to be made: the same command with --resume goes on" in errors and "Traceback" not in errors
    )


@contextmanager
def halting_model(episodes: int) -> Iterator[tuple[dict[str, str], Event]]:
    """A model of the config's name, which replies for so many episodes, and then on once it is told to."""
    go_on, requests = Event(), count(1)

    def answer(request: ReceivedRequest) -> Answer:
        if next(requests) > 4 * episodes:
            go_on.wait()
        return Answer(fake_endpoint.completion(request.body["messages"], 2))

    with endpoint(answer) as model:
        try:
            yield {"kind": "openai_api", "model": "clerk", "base_url": model.url}, go_on
        finally:
            go_on.set()


def started(path: Path, store: Path, *overrides: str) -> subprocess.Popen[str]:
    command = [sys.executable, "-m", "eops_traj.cli", "collect", path, "--store", store, *overrides]
    return subprocess.Popen(command, stderr=subprocess.PIPE, stdout=subprocess.PIPE, text=True)


def test_a_second_ctrl_c_abandons_what_is_under_way(config: Config, tmp_path: Path):
    with socket.create_server(("127.0.0.1", 0)) as silent:
        url = f"http://127.0.0.1:{silent.getsockname()[1]}/v1"
        path = config(models={"executor": {"kind": "openai_api", "model": "clerk", "base_url": url}})
        with started(path, tmp_path / "s") as process:
            silent.accept()  # it is asked, and never answers
            process.send_signal(signal.SIGINT)
            with pytest.raises(subprocess.TimeoutExpired):
                process.wait(1)
            assert eventually(lambda: not is_pending(process.pid, signal.SIGINT), 120)
            process.send_signal(signal.SIGINT)
            _, errors = process.communicate(timeout=120)
    assert process.returncode == 130 and "6 attempts are still" in errors and "Traceback" not in errors
    assert stored(tmp_path / "s") == []


def is_pending(process: int, number: signal.Signals) -> bool:
    """Return whether a signal was sent and has not arrived: another one like it would be the same one."""
    status = Path(f"/proc/{process}/status").read_text()
    waiting = (line.split()[1] for line in status.splitlines() if line.startswith(("SigPnd:", "ShdPnd:")))
    return any(int(mask, 16) & 1 << number - 1 for mask in waiting)


def journal_size(store: Path) -> int:
    """Count the episodes in the journal, without opening the store, which would empty it."""
    import sqlite3

    journal = store / "journal.sqlite"
    if not journal.exists():
        return 0
    try:
        with sqlite3.connect(f"file:{journal}?mode=ro", uri=True) as db:
            return int(db.execute("SELECT count(*) FROM entry WHERE kind = 'episodes'").fetchone()[0])
    except sqlite3.Error:
        return 0
