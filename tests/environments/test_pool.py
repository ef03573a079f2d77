"""Open episodes are bounded, idle ones are dropped, and what became of one is remembered."""

import asyncio
import threading
from copy import deepcopy

import pytest

from eops_traj.environments import pool as module
from eops_traj.environments.episode import EpisodeOver
from eops_traj.environments.pool import EpisodePool, EpisodesFull, PoolLimits, UnknownEpisode
from eops_traj.environments.served_tasks import Selection, ServedTasks
from eops_traj.environments.service import GymService
from eops_traj.errors import InputError
from tests.collectors.group_tasks import TASK


class Clock:
    now = 0.0

    def __call__(self) -> float:
        return self.now


def begin(pool: EpisodePool, episode_id: str | None = None):
    episode = pool.reserve(TASK, None, episode_id)
    episode.open(ServedTasks([TASK]).tools)
    return episode


def test_no_more_are_open_than_may_be_and_a_place_is_free_again() -> None:
    pool = EpisodePool(PoolLimits(episodes=2))
    first, _ = begin(pool), begin(pool)
    with pytest.raises(EpisodesFull, match="2 episodes are open, which is the limit; end one"):
        begin(pool)
    pool.close(first.id)
    assert len(pool) == 1 and first.over and begin(pool).id in pool._open


def test_an_idle_one_is_dropped_and_a_used_one_is_not() -> None:
    clock = Clock()
    pool = EpisodePool(PoolLimits(idle_seconds=10), clock)
    idle, used = begin(pool), begin(pool)
    clock.now = 8
    pool.find(used.id)
    clock.now = 11
    pool.sweep()
    assert (idle.over, used.over, len(pool)) == (True, False, 1)
    with pytest.raises(EpisodeOver, match="is over; begin another one"):
        pool.find(idle.id)


def test_one_at_work_is_not_dropped_as_idle() -> None:
    clock = Clock()
    pool = EpisodePool(PoolLimits(idle_seconds=10), clock)
    busy = begin(pool)
    clock.now = 11
    with busy._lock:
        pool.sweep()
        assert not busy.over and len(pool) == 1
    pool.sweep()
    assert busy.over and len(pool) == 0


def test_an_id_begins_one_episode() -> None:
    pool = EpisodePool()
    begin(pool, "mine")
    with pytest.raises(InputError, match="mine is running already"):
        begin(pool, "mine")
    pool.close("mine")
    with pytest.raises(EpisodeOver, match="mine is over"):
        begin(pool, "mine")
    for wrong in ("", "x" * 201):
        with pytest.raises(InputError, match="has 1 to 200 characters"):
            begin(pool, wrong)


def test_one_that_is_closed_before_it_began_never_begins() -> None:
    pool = EpisodePool()
    pool.close("late")
    with pytest.raises(EpisodeOver):
        begin(pool, "late")
    with pytest.raises(UnknownEpisode, match="no episode 'never'"):
        pool.find("never")


def test_its_worth_is_remembered_for_a_while(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "REMEMBERED", 2)
    pool, judged = EpisodePool(), []
    for name in "abc":
        episode = begin(pool, name)
        judged.append(episode.finish("Done."))
        pool.close(name)
    assert pool.judged("a") is None and pool.judged("c") is judged[2]
    assert len(pool) == 0


def test_a_copy_of_what_refers_to_it_refers_to_the_same() -> None:
    pool = EpisodePool()
    assert deepcopy({"pool": pool})["pool"] is pool


def test_all_can_be_closed() -> None:
    pool = EpisodePool()
    episodes = [begin(pool) for _ in range(3)]
    pool.close_all()
    assert len(pool) == 0 and all(episode.over for episode in episodes)


def test_a_client_that_is_cancelled_while_it_leaves_leaves_nothing_open() -> None:
    async def leave() -> int:
        service = GymService(ServedTasks([TASK]), threads=1)
        episode = await service.begin(Selection())
        held = threading.Event()
        busy = asyncio.ensure_future(service._threads.run(held.wait))  # so that the closing has to wait
        leaving = asyncio.ensure_future(service.close(episode.id))
        await asyncio.sleep(0)
        leaving.cancel()
        await asyncio.gather(leaving, return_exceptions=True)
        held.set()
        await busy
        await asyncio.gather(*service._closing)
        return len(service.pool)

    assert asyncio.run(leave()) == 0
