"""The models of a collection: a client for each role, limited and retried; and the judge."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager
from typing import TYPE_CHECKING

from eops_traj.collect.episode_recorder import Limits
from eops_traj.errors import SandboxError
from eops_traj.llm.base import Chat, EndpointError, PooledChat, Request
from eops_traj.llm.concurrency import AdaptiveLimiter
from eops_traj.llm.counted import counted
from eops_traj.llm.retry import HarnessChat, LimitedChat, RetryingChat, Traffic
from eops_traj.messages import Message
from eops_traj.protocol import ROBUST, RunProtocol
from eops_traj.verify.judge import Judge

if TYPE_CHECKING:
    from eops_traj.collect.config import CollectConfig, Setup
    from eops_traj.llm.options import ClientOptions


@asynccontextmanager
async def open_models(setup: "Setup", traffic: Traffic) -> AsyncIterator[dict[str, RetryingChat]]:
    """Open the client of each role, and under ``judge`` the judge's; roles of the same model share one.

    Raises ConfigError where a key is missing.
    """
    async with AsyncExitStack() as stack:
        opened: dict[int, RetryingChat] = {}
        by_role = setup.roles | ({"judge": setup.judge} if setup.judge else {})
        for options in by_role.values():
            if id(options) not in opened:
                limits = Limits() if options is setup.judge else setup.limits  # which no judge counts towards
                opened[id(options)] = chat = open_client(
                    options, setup.config, traffic, setup.protocol, limits
                )
                stack.push_async_callback(chat.close)
        yield {role: opened[id(options)] for role, options in by_role.items()}


def open_client(
    options: "ClientOptions", config: "CollectConfig", traffic: Traffic, protocol: RunProtocol = ROBUST,
    limits: Limits = Limits(),
) -> RetryingChat:  # fmt: skip
    """Open a client with a limiter before each of its endpoints, that asks again where that may help.

    Its replies have to tell what these limits of an attempt count.
    """

    def limited(chat: Chat) -> Chat:
        return LimitedChat(chat, AdaptiveLimiter(config.requests_at_once), traffic)

    chat = counted(options.open(), vars(limits))
    if isinstance(chat, PooledChat):
        chat.wrap(limited)
    else:
        chat = limited(chat)
    if protocol.reply_tries is not None:
        return HarnessChat(chat, config.requests, traffic, protocol.reply_tries)
    return RetryingChat(chat, config.requests, traffic)


def make_judge(chat: Chat, loop: asyncio.AbstractEventLoop, protocol: RunProtocol = ROBUST) -> Judge:
    """Return the judge model as verifiers call it, from a thread; no answer from it is no verdict at all.

    Where the executor judges, it is told the rules as the system and the case as the user, is asked once, and
    no answer from it is a failed verdict.
    """

    def judge(prompt: str) -> str:
        request = Request([{"role": "user", "content": prompt}])
        if protocol.executor_judges:
            request = Request(_rules_and_case(prompt), text_is_answer=protocol.text_is_answer, tries=1)
        reply = asyncio.run_coroutine_threadsafe(chat.reply(request), loop)
        try:
            return reply.result().text
        except EndpointError as error:
            if protocol.executor_judges:
                raise
            raise SandboxError(f"judge: {error}") from error

    return judge


def _rules_and_case(prompt: str) -> list[Message]:
    """Split a judge's prompt into its first paragraph, the rules, and the rest."""
    rules, _, case = prompt.partition("\n\n")
    return [{"role": "system", "content": rules}, {"role": "user", "content": case}]
