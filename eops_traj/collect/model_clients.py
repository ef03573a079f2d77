"""The models of a collection: a client for each role, behind gates, asked patiently; and the judge."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from eops_traj.collect.contract import Chat, EndpointError, Request
from eops_traj.errors import SandboxError
from eops_traj.llm.concurrency import Gate
from eops_traj.llm.retry import GatedChat, PatientChat, Traffic
from eops_traj.verify.judge import Judge

if TYPE_CHECKING:
    from eops_traj.collect.config import CollectConfig, Setup
    from eops_traj.llm.options import ClientOptions


@asynccontextmanager
async def open_models(setup: "Setup", traffic: Traffic) -> AsyncIterator[dict[str, PatientChat]]:
    """The client of each role, and under ``judge`` the judge's; roles of the same model share one.

    Raises ConfigError where a key is missing.
    """
    async with AsyncExitStack() as stack:
        opened: dict[int, PatientChat] = {}
        wanted = setup.roles | ({"judge": setup.judge} if setup.judge else {})
        for options in wanted.values():
            if id(options) not in opened:
                opened[id(options)] = chat = paced(options, setup.config, traffic)
                stack.push_async_callback(chat.close)
        yield {role: opened[id(options)] for role, options in wanted.items()}


def paced(options: "ClientOptions", config: "CollectConfig", traffic: Traffic) -> PatientChat:
    """A client with a gate before each of its endpoints, that asks again where that may help."""
    from eops_traj.collectors.clients.pool import Pool

    def gated(chat: Chat) -> Chat:
        return GatedChat(chat, Gate(config.requests_at_once), traffic)

    chat = options.open()
    if isinstance(chat, Pool):
        chat.wrap(gated)
    else:
        chat = gated(chat)
    return PatientChat(chat, config.requests, traffic)


def judge_of(chat: Chat, loop: asyncio.AbstractEventLoop) -> Judge:
    """The judge model as verifiers call it, from a thread. One that does not answer is no verdict at all."""

    def judge(prompt: str) -> str:
        request = Request([{"role": "user", "content": prompt}])
        asked = asyncio.run_coroutine_threadsafe(chat.reply(request), loop)
        try:
            return asked.result().text
        except EndpointError as error:
            raise SandboxError(f"judge: {error}") from error

    return judge
