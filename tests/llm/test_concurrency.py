import asyncio
from functools import partial
from itertools import count

import pytest

from eops_traj.llm import concurrency
from eops_traj.llm.concurrency import AdaptiveLimiter
from tests.waiting import PATIENCE


class VirtualTime(asyncio.SelectorEventLoop):
    """A loop in which nothing takes time, and what sleeps is woken at once, in the order of its time."""

    seconds = 0.0

    def time(self) -> float:
        return self.seconds

    def _run_once(self) -> None:
        if self._scheduled and not self._ready:  # type: ignore[attr-defined]
            self.seconds = max(self.seconds, self._scheduled[0].when())  # type: ignore[attr-defined]
        super()._run_once()


async def ask(
    gate: AdaptiveLimiter, seconds: float = 0.0, retry_after: float | None = None, refused: bool = False
) -> None:
    async with gate.slot() as since:
        await asyncio.sleep(seconds)
        if refused:
            gate.throttled(since, retry_after)
        else:
            gate.replied()


def test_no_more_than_its_width_are_let_in():
    async def run() -> int:
        gate, most = AdaptiveLimiter(3), 0

        async def one() -> None:
            nonlocal most
            async with gate.slot():
                most = max(most, gate.under_way)
                await asyncio.sleep(0.001)

        await asyncio.gather(*(one() for _ in range(20)))
        assert gate.under_way == 0
        return most

    assert asyncio.run(run()) == 3


def test_it_widens_while_it_is_full_and_no_further_than_allowed():
    async def run() -> float:
        gate = AdaptiveLimiter(40, start=2, now=partial(next, count()))  # replies come at an even pace
        await asyncio.gather(*(ask(gate, 0.001) for _ in range(200)))
        return gate.width

    assert asyncio.run(run()) == 40


def test_one_request_at_a_time_teaches_it_nothing():
    async def run() -> float:
        gate = AdaptiveLimiter(40, start=8)
        for _ in range(50):
            await ask(gate)
        return gate.width

    assert asyncio.run(run()) == 8


def test_a_429_halves_it_once_for_all_that_were_under_way():
    async def run() -> float:
        gate = AdaptiveLimiter(64, start=16)
        await asyncio.gather(*(ask(gate, 0.01, refused=True) for _ in range(16)))
        return gate.width

    assert asyncio.run(run()) == 8


def test_it_never_closes_for_good():
    async def run() -> float:
        gate = AdaptiveLimiter(8)
        for _ in range(10):
            await ask(gate, 0.001, refused=True)
        return gate.width

    assert asyncio.run(run()) == 1


def test_retry_after_keeps_everyone_out_for_that_long():
    async def run() -> float:
        loop = asyncio.get_running_loop()
        gate = AdaptiveLimiter(8, now=loop.time)
        await ask(gate, refused=True, retry_after=0.2)
        await asyncio.gather(*(ask(gate) for _ in range(5)))
        return loop.time()

    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        assert runner.run(run()) == pytest.approx(0.2)


def test_one_that_gives_up_waiting_takes_no_slot():
    async def run() -> int:
        gate = AdaptiveLimiter(1)
        async with gate.slot():
            waiting = [asyncio.create_task(ask(gate)) for _ in range(3)]
            await asyncio.sleep(0)
            waiting[0].cancel()
        await asyncio.gather(*waiting[1:])
        return gate.under_way

    assert asyncio.run(run()) == 0


def test_one_that_is_cancelled_as_it_is_let_in_passes_its_slot_on():
    async def run() -> None:
        gate = AdaptiveLimiter(1)
        async with gate.slot():
            first, second = asyncio.create_task(ask(gate)), asyncio.create_task(ask(gate))
            await asyncio.sleep(0)
        first.cancel()  # let in, but not yet run
        await asyncio.wait_for(second, PATIENCE)
        assert gate.under_way == 0

    asyncio.run(run())


def test_where_wider_is_slower_it_goes_back(monkeypatch: pytest.MonkeyPatch):
    """An endpoint that answers 8 at a time, and the more there are the slower."""
    monkeypatch.setattr(concurrency, "_SHORTEST_WINDOW", 8)

    async def run() -> float:
        gate = AdaptiveLimiter(64, start=4, now=asyncio.get_running_loop().time)
        await asyncio.gather(*(slow(gate) for _ in range(600)))
        return gate.width

    async def slow(gate: AdaptiveLimiter) -> None:
        async with gate.slot():
            await asyncio.sleep(0.002 * max(1.0, (gate.under_way / 8) ** 2))
            gate.replied()

    with asyncio.Runner(loop_factory=VirtualTime) as runner:
        assert runner.run(run()) < 32
