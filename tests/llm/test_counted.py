"""What a limit counts has to be told by whoever bills it."""

import asyncio
from dataclasses import replace

import pytest

from eops_traj.collectors.clients.pool import ChatPool
from eops_traj.collectors.clients.scripted import ScriptedChat
from eops_traj.llm.base import Chat, EndpointError, Request
from eops_traj.llm.counted import counted
from eops_traj.schema import Turn

TOLD = Turn(text="Hi.", input_tokens=0, output_tokens=0, cost=0.0)


class BilledScript(ScriptedChat):
    """Scripted replies that somebody bills."""

    billed = True


def reply(chat: Chat, **limits: float | None) -> Turn:
    return asyncio.run(counted(chat, limits).reply(Request([])))


@pytest.mark.parametrize(
    ("lacking", "limit", "what"),
    [
        ("cost", "cost", "no cost; give the model's `prices`"),
        ("input_tokens", "tokens", "no count of its tokens"),
        ("output_tokens", "tokens", "no count of its tokens"),
    ],
)
def test_a_reply_that_does_not_tell_what_a_limit_counts_is_refused(
    lacking: str, limit: str, what: str
) -> None:
    silent = replace(TOLD, **{lacking: None})
    with pytest.raises(EndpointError, match=f"request: limits.{limit} cannot be kept: .* {what}"):
        reply(BilledScript([silent]), **{limit: 1})
    others = {"turns": 1, "seconds": 1, "cost": 1, "tokens": 1} | {limit: None}
    assert reply(BilledScript([silent]), **others) is silent


def test_what_is_told_as_nothing_is_told() -> None:
    assert reply(BilledScript([TOLD]), cost=1, tokens=1) is TOLD


def test_what_nobody_bills_need_not_tell() -> None:
    silent = Turn(text="Hi.")
    assert reply(ScriptedChat([silent]), cost=1, tokens=1) is silent


def test_each_endpoint_of_a_pool_is_looked_at_by_itself() -> None:
    silent, free = Turn(text="Hi."), Turn(text="Free.")
    pool = ChatPool([ChatPool([BilledScript([silent])]), ScriptedChat([free])])
    chat = counted(pool, {"cost": 1})

    async def both() -> list[object]:
        replies = (chat.reply(Request([])) for _ in range(2))
        return list(await asyncio.gather(*replies, return_exceptions=True))

    refused, told = asyncio.run(both())
    assert isinstance(refused, EndpointError) and told is free
