"""A pool of containers that are nothing but names: what it gives out, and when it replaces."""

import asyncio
import itertools
import threading
from concurrent.futures import ThreadPoolExecutor
from functools import partial

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from eops_traj.errors import SandboxError
from eops_traj.sandbox.container_pool import ContainerPool, PooledContainer
from eops_traj.sandbox.docker import Container
from eops_traj.sandbox.options import MOST_THREADS, FleetSandbox
from tests.waiting import eventually


class Yard:
    """Where containers are started and ended; ``failing`` starts fail."""

    def __init__(self, failing: int = 0) -> None:
        self.started: list[Container] = []
        self.ended: list[Container] = []
        self.failing = failing
        self._names = itertools.count()

    def start(self) -> Container:
        if self.failing:
            self.failing -= 1
            raise SandboxError("csm: no room")
        self.started.append(Container("csm", f"http://{next(self._names)}", docker=None))  # type: ignore[arg-type]
        return self.started[-1]


def pool(
    yard: Yard, executor: ThreadPoolExecutor, size: int = 1, at_once: int = 1, in_all: int = 9
) -> ContainerPool:
    return ContainerPool(yard.start, yard.ended.append, executor, size=size, at_once=at_once, in_all=in_all)


@settings(max_examples=40)
@given(
    size=st.integers(1, 3),
    at_once=st.integers(1, 3),
    in_all=st.integers(1, 5),
    moves=st.lists(st.tuples(st.booleans(), st.booleans(), st.integers(0, 9)), max_size=40),
)
def test_no_container_has_more_than_it_may_and_none_is_ended_in_use(
    size: int, at_once: int, in_all: int, moves: list[tuple[bool, bool, int]]
) -> None:
    yard = Yard()
    open_: list[PooledContainer] = []
    with ThreadPoolExecutor(2) as executor:
        made = pool(yard, executor, size, at_once, in_all)
        for take, well, which in moves:
            if take and len(open_) < size * at_once:
                open_.append(made.take())
            elif open_:
                made.give_back(open_.pop(which % len(open_)), healthy=well)
            members = set(open_)
            assert all(m.open == open_.count(m) <= at_once and m.total <= in_all for m in members)
            assert not {id(m.container) for m in members} & {id(c) for c in yard.ended}
        for member in open_:
            made.give_back(member, healthy=False)
    assert len(yard.ended) == len(set(map(id, yard.ended)))
    assert len(yard.started) - len(yard.ended) <= size


def test_the_least_used_is_given_and_a_full_pool_waits() -> None:
    yard = Yard()
    with ThreadPoolExecutor(4) as executor:
        made = pool(yard, executor, size=2, at_once=2)
        made.fill()
        assert eventually(lambda: len(yard.started) == 2 and not made._starting)
        four = [made.take() for _ in range(4)]
        assert sorted(m.container.url for m in four) == ["http://0", "http://0", "http://1", "http://1"]
        waiting = executor.submit(made.take)
        assert not waiting.done()
        made.give_back(four[0])
        assert waiting.result(60) is four[0]


def test_a_worn_container_is_succeeded_at_once_and_ended_with_its_last_session() -> None:
    yard = Yard()
    with ThreadPoolExecutor(2) as executor:
        made = pool(yard, executor, in_all=2)
        first = made.take()
        beside = made.take_again(first)
        assert eventually(lambda: len(yard.started) == 2)
        made.give_back(first)
        assert yard.ended == []
        made.give_back(beside)
        assert yard.ended == [yard.started[0]]


def test_who_waits_is_told_why_nothing_starts_and_who_comes_later_tries_again() -> None:
    yard = Yard(failing=1)
    with ThreadPoolExecutor(1) as executor:
        made = pool(yard, executor)
        with pytest.raises(SandboxError, match="csm: no room"):
            made.take()
        assert made.take().container.url == "http://0"


def test_closing_wakes_who_waits() -> None:
    with ThreadPoolExecutor(2) as executor:
        made = pool(Yard(), executor)
        made.take()
        waiting = executor.submit(made.take)
        threading.Timer(0.05, made.close).start()
        with pytest.raises(SandboxError, match="the fleet is closed"):
            waiting.result(60)


def test_however_many_wait_for_room_who_has_it_can_give_it_back() -> None:
    many = MOST_THREADS + 2
    with ThreadPoolExecutor(1) as executor:
        made = pool(Yard(), executor, in_all=many + 1)
        sandbox = FleetSandbox(None, None, many)  # type: ignore[arg-type]

        async def episode() -> str:
            member = await sandbox.do(made.take)
            await sandbox.do(partial(made.give_back, member))
            return member.container.url

        async def episodes() -> list[str]:
            return await asyncio.wait_for(asyncio.gather(*(episode() for _ in range(many))), 20)

        try:
            assert asyncio.run(episodes()) == ["http://0"] * many
        finally:
            made.close()
