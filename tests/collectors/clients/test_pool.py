"""Several endpoints as one: the least loaded is asked, an episode stays, a failing one is left alone."""

import asyncio
from collections.abc import Callable
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.collectors.clients import pool
from eops_traj.collectors.clients.pool import ChatPool
from eops_traj.collectors.clients.scripted import ScriptedChat
from eops_traj.errors import ConfigError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.options import client_options
from eops_traj.schema import Turn
from tests.endpoint import Answer, completion, endpoint


class Replica:
    """An endpoint that answers when it is told to, or fails as it is told."""

    model = "m"

    def __init__(self, name: str) -> None:
        self.name, self.asked, self.fails, self.closed = name, 0, "", False
        self.retry_after: float | None = None
        self.gate = asyncio.Event()
        self.gate.set()

    async def reply(self, request: Request) -> Turn:
        self.asked += 1
        await self.gate.wait()
        if self.fails:
            raise EndpointError(self.fails, self.name, self.retry_after)
        return Turn(text=self.name)

    async def close(self) -> None:
        self.closed = True


async def texts(chat: ChatPool, *episodes: str) -> list[str]:
    replies = await asyncio.gather(*(chat.reply(Request([], episode=episode)) for episode in episodes))
    return [turn.text for turn in replies]


def with_replicas(work: Callable[[ChatPool, list[Replica]], object]) -> None:
    async def run() -> None:
        replicas = [Replica(name) for name in "abc"]
        chat = ChatPool(replicas)
        await work(chat, replicas)
        await chat.close()
        assert all(replica.closed for replica in replicas)

    asyncio.run(run())


def test_the_load_is_shared() -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        assert sorted(await texts(chat, *(f"e{n}" for n in range(9)))) == sorted("abc" * 3)

    with_replicas(work)


def test_an_episode_stays_where_it_began() -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        began = await texts(chat, "e0", "e1", "e2")
        assert [await texts(chat, "e2", "e0", "e1") for _ in range(3)] == [[began[2], *began[:2]]] * 3

    with_replicas(work)


def test_an_episode_moves_where_its_endpoint_is_much_busier() -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        home = (await texts(chat, "e0"))[0]
        busy = next(replica for replica in replicas if replica.name == home)
        busy.gate.clear()
        waiting = [asyncio.ensure_future(texts(chat, "e0")) for _ in range(pool.SLACK + 2)]
        await asyncio.sleep(0.01)
        assert (await waiting[-1])[0] != home
        busy.gate.set()
        await asyncio.gather(*waiting)

    with_replicas(work)


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Any:
    """The pool's clock, which stands still until it is moved."""
    made: Any = SimpleNamespace(now=100.0, monotonic=lambda: made.now)
    monkeypatch.setattr(pool, "time", made)
    return made


@pytest.mark.usefixtures("clock")
@pytest.mark.parametrize("kind", sorted(pool.ELSEWHERE))
def test_a_failing_endpoint_is_left_alone_and_another_answers(kind: str) -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        replicas[0].fails = kind
        found = [(await texts(chat, f"e{n}"))[0] for n in range(12)]
        assert "a" not in found and replicas[0].asked == 1

    with_replicas(work)


def test_it_is_asked_again_after_its_rest(clock: Any) -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        replicas[0].fails, replicas[0].retry_after = "throttled", 7
        await texts(chat, "e0")
        replicas[0].fails, clock.now = "", 106.9
        assert "a" not in await texts(chat, "e1", "e2", "e3")
        clock.now = 107
        assert "a" in await texts(chat, "e4", "e5", "e6")

    with_replicas(work)


@pytest.mark.parametrize("kind", ["context", "auth", "request", "timeout", "garbled"])
def test_a_failure_of_the_request_is_raised_at_once(kind: str) -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        for replica in replicas:
            replica.fails = kind
        with pytest.raises(EndpointError) as found:
            await texts(chat, "e0")
        assert found.value.kind == kind and sum(replica.asked for replica in replicas) == 1

    with_replicas(work)


def test_where_all_fail_each_was_asked_once() -> None:
    async def work(chat: ChatPool, replicas: list[Replica]) -> None:
        for replica in replicas:
            replica.fails = "server"
        with pytest.raises(EndpointError):
            await texts(chat, "e0")
        assert [replica.asked for replica in replicas] == [1, 1, 1]

    with_replicas(work)


def test_two_addresses_make_a_pool() -> None:
    with endpoint(Answer(completion("one"))) as one, endpoint(Answer(completion("two"))) as two:

        async def run() -> set[str]:
            chat = client_options({"kind": "openai_api", "model": "m", "base_url": [one.url, two.url]}).open()
            try:
                turns = [chat.reply(Request([], episode=str(n))) for n in range(4)]
                return {turn.text for turn in await asyncio.gather(*turns)}
            finally:
                await chat.close()

        assert asyncio.run(run()) == {"one", "two"}
        assert len(one.requests) == len(two.requests) == 2


def test_a_pool_of_different_kinds() -> None:
    with endpoint(Answer(completion("over HTTP"))) as server:
        members = [
            {"kind": "openai_api", "base_url": server.url, "model": "org/m-7"},
            {"kind": "openai_api", "base_url": "http://elsewhere/v1", "model": "org/m-7"},
            {"kind": "scripted", "replies": ["from here"]},
        ]
        options = {"kind": "pool", "model": "m-7", "sampling": {"temperature": 0.5}}
        both = client_options({**options, "members": [members[0], members[2]]})

        async def run() -> set[str]:
            chat = both.open()
            try:
                return {(await chat.reply(Request([], episode=str(n)))).text for n in range(2)}
            finally:
                await chat.close()

        assert asyncio.run(run()) == {"over HTTP", "from here"}
    assert (server.requests[0].body["model"], server.requests[0].body["temperature"]) == ("org/m-7", 0.5)
    assert client_options({**options, "members": members}).behaviour() == both.behaviour()


def test_every_member_that_does_not_hold_is_named() -> None:
    members = [
        {"kind": "openai"},
        {"kind": "openai_api", "base_url": "x", "api_key": "sk-a1b2c3d4e5f6g7h8i9j0k"},
    ]
    with pytest.raises(ConfigError) as found:
        client_options({"kind": "pool", "model": "m", "members": members})
    for told in ("kind of client 'openai'", "member 1", "base_url", "unknown key 'api_key'"):
        assert told in str(found.value)
    assert "sk-a1b2" not in str(found.value)


def test_what_is_put_around_each_client_is_asked() -> None:
    seen: list[str] = []

    class Around(Replica):
        async def reply(self, request: Request) -> Turn:
            seen.append(self.name)
            return await super().reply(request)

    chat = ChatPool([Replica("a"), Replica("b")])
    chat.wrap(lambda inner: Around(f"around {getattr(inner, 'name', '')}"))
    assert asyncio.run(texts(chat, "e0", "e1")) == seen == ["around a", "around b"]


def test_the_model_is_that_of_its_endpoints() -> None:
    assert ChatPool([ScriptedChat([], "m-7")]).model == "m-7"
