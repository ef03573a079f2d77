"""Thousands of rollouts leave nothing behind."""

import asyncio
import ctypes
import gc
import platform
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path

import pytest

from eops_traj.environments.served_tasks import Selection, ServedTasks
from eops_traj.environments.service import GymService
from tests.collectors.group_tasks import TASK, TWIN
from tests.environments.cases import CASES, Case

TOGETHER = 16


async def roll_out(service: GymService, case: Case, abandoned: bool) -> float | None:
    episode = await service.begin(Selection(task_id=case.task_id))
    for name, arguments in case.calls:
        await service.call(episode.id, name, arguments)
    if abandoned:
        await service.close(episode.id)
        return None
    return (await service.finish(episode.id, case.reply)).reward


async def roll_out_many(service: GymService, rollouts: int) -> None:
    for start in range(0, rollouts, TOGETHER):
        cases = [CASES[number % len(CASES)] for number in range(start, start + TOGETHER)]
        left = [number % 7 == 0 for number in range(start, start + TOGETHER)]
        rewards = await asyncio.gather(*map(lambda c, a: roll_out(service, c, a), cases, left))
        assert all(r in (None, c.reward) for r, c in zip(rewards, cases, strict=True))


def resident_mb() -> float:
    """Return the resident memory without freed pages: glibc keeps those, more of them on a busy machine."""
    gc.collect()
    if platform.libc_ver()[0] == "glibc":
        ctypes.CDLL("libc.so.6").malloc_trim(0)
    return int(Path("/proc/self/statm").read_text().split()[1]) * 4096 / 1e6


def readings() -> tuple[list[float], int]:
    """Return the megabytes of this process after each thousand of rollouts, and the episodes left open."""
    service = GymService(ServedTasks([TASK, TWIN]))
    found = []
    for _ in range(6):
        asyncio.run(roll_out_many(service, 1008))
        found.append(resident_mb())
    left = len(service.pool)
    service.shut()
    return found, left


@pytest.mark.slow
def test_memory_is_flat_over_thousands_of_rollouts() -> None:
    """In a process of its own, whose size rises and falls by some 5 MB: a leak of 10 kB each is seen."""
    if not Path("/proc/self/statm").exists():
        pytest.skip("needs /proc")
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as alone:
        megabytes, left = alone.submit(readings).result()
    assert min(megabytes[3:]) < max(megabytes[:3]) + 5 and left == 0, megabytes
