"""Two actors make what one engine makes, and what a dead actor had under way is made again."""

import asyncio
import threading
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.collect import ray_runner
from eops_traj.collect.config import load_setup
from eops_traj.collect.job import Job, load_job, sole_collection
from eops_traj.collect.run import collect
from eops_traj.collect.stats import RunStats
from eops_traj.errors import InputError, WorkError
from eops_traj.store.store import Store
from tests.collect.test_run import identities, journal_size

Config = Callable[..., Path]


def job(config: Path, store: Path, *overrides: str) -> Job:
    return load_job(load_setup(config, overrides), str(store))


def test_a_job_is_dealt_out_whole(config: Config, tmp_path: Path):
    whole = job(config(), tmp_path / "s")
    shares = ray_runner.split_job(whole, 4)
    assert sorted(t.task_id for s in shares for t in s.tasks) == sorted(t.task_id for t in whole.tasks)
    assert {share.run_id for share in shares} == {whole.run_id}
    assert len(ray_runner.split_job(whole, 9)) == 6


def test_counts_on_the_way_never_take_the_place_of_the_last(monkeypatch: pytest.MonkeyPatch):
    pytest.importorskip("ray")

    async def both_come_at_once(share: ray_runner.JobShare) -> RunStats:
        last, earlier = (asyncio.get_running_loop().create_future() for _ in range(2))
        actor = SimpleNamespace(
            work=SimpleNamespace(remote=lambda: last),
            progress=SimpleNamespace(remote=lambda interrupted: earlier),
        )
        monkeypatch.setattr(ray_runner, "_actor", lambda job: actor)
        asked = asyncio.gather(share.run(), share.poll(interrupted=False))
        await asyncio.sleep(0)
        last.set_result(ray_runner.WorkerResult(RunStats(settled=6)))
        earlier.set_result(RunStats(settled=4))
        await asked
        return share.stats

    assert asyncio.run(both_come_at_once(ray_runner.JobShare(None))).settled == 6


def test_no_other_collection_of_the_agent_begins_while_the_actors_work(
    config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    whole = job(config(), tmp_path / "s", "engine=ray")

    async def work(driven: Job) -> tuple[RunStats, int]:
        refused = pytest.raises(InputError, match="another collection records 'clerk'")
        with Store.open(driven.store) as store, refused, sole_collection(store, driven.agent):
            pass
        return RunStats(), 1

    monkeypatch.setattr(ray_runner, "require", lambda name: None)
    monkeypatch.setattr(ray_runner, "connect", lambda workers: None)
    monkeypatch.setattr(ray_runner, "_drive", work)
    assert collect(whole).attempts == 6
    refused = pytest.raises(InputError, match="another collection records 'clerk'")
    with Store.open(whole.store) as store, sole_collection(store, whole.agent), refused:
        collect(whole)


@pytest.fixture(scope="module")
def ray() -> Iterator[Any]:
    found = pytest.importorskip("ray")
    found.init(num_cpus=2, include_dashboard=False, log_to_driver=False, logging_level="ERROR")
    yield found
    found.shutdown()


@pytest.mark.slow
def test_it_gives_the_same_episodes_as_one_engine(ray: Any, config: Config, tmp_path: Path):
    path = config()
    stats = collect(job(path, tmp_path / "ray", "attempts=3", "engine=ray", "workers=2"))
    alone = collect(job(path, tmp_path / "alone", "attempts=3"))
    assert identities(tmp_path / "ray") == identities(tmp_path / "alone")
    assert (stats.settled, stats.outcomes, stats.input_tokens) == (18, alone.outcomes, alone.input_tokens)
    assert stats.traffic.requests == alone.traffic.requests


@pytest.mark.slow
def test_it_resumes_what_one_engine_began(ray: Any, config: Config, tmp_path: Path):
    path, store = config(), tmp_path / "s"
    collect(job(path, store, "tasks.limit=2"))
    assert collect(job(path, store, "engine=ray"), resume=True).settled == 4
    with Store.open(store) as opened:
        assert opened.scan().collect().height == 6


@pytest.mark.slow
def test_an_actor_that_dies_loses_only_what_was_under_way(
    ray: Any, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    path, store, actors = config(), tmp_path / "s", list[Any]()
    make = ray_runner._actor
    monkeypatch.setattr(ray_runner, "_actor", lambda job: actors.append(make(job)) or actors[-1])
    killing = threading.Thread(target=kill_two, args=(ray, store, actors))
    killing.start()
    stats = collect(job(path, store, "attempts=30", "engine=ray", "workers=2", "pace.episodes=2"))
    killing.join()
    assert len(actors) == 4  # two at first, and one in the place of each that died
    assert (stats.settled, stats.episodes, stats.outcomes["success"]) == (180, 180, 180)
    collect(job(path, tmp_path / "alone", "attempts=30"))
    assert identities(store) == identities(tmp_path / "alone")


def kill_two(ray: Any, store: Path, actors: list[Any]) -> None:
    """End two actors in the middle of their work, one after the other."""
    for enough in (10, 30):
        while journal_size(store) < enough:
            time.sleep(0.02)
        ray.kill(actors[-1])


@pytest.mark.slow
def test_what_stops_an_engine_stops_the_collection(ray: Any, config: Config, tmp_path: Path):
    lost = {"kind": "openai_api", "model": "clerk", "base_url": "http://127.0.0.1:9/v1"}
    path = config(models={"executor": lost}, requests={"failures": 0, "pause": 0.01})
    with pytest.raises(WorkError, match="ended in error: connection: "):
        collect(job(path, tmp_path / "s", "engine=ray", "pace.most_errors=2"))
