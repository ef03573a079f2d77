"""A proxy that breaks things, in front of a model's endpoint and a gym.

    python -m tests.collect.faulty_proxy SHARE SEED ENDPOINT GYM

serves on a free port, which it prints; paths under ``/v1`` go to the endpoint, all others to the gym. So
large a share of the requests is broken, in one of eight ways: before they were passed on, or after it.
"""

import asyncio
import json
import random
import sys
from collections.abc import Awaitable, Callable
from typing import Any

import aiohttp
from aiohttp import web

from tests.collect.fake_endpoint import serve

Answer = tuple[int, bytes]
HANG = 30.0
"""Seconds: longer than anyone waits."""


def busy(answer: Answer) -> web.Response:
    return web.Response(status=429, text='{"detail": "slow down"}')


def busy_for_a_while(answer: Answer) -> web.Response:
    return web.Response(status=429, text='{"detail": "slow down"}', headers={"retry-after": "0.05"})


def failing(answer: Answer) -> web.Response:
    return web.Response(status=500, text="Internal Server Error")


def cut_json(answer: Answer) -> web.Response:
    status, body = answer
    return web.Response(status=status, body=body[: len(body) // 2], content_type="application/json")


def garbled_arguments(answer: Answer) -> web.Response:
    """Cut the end off the arguments of a tool call; a reply without one is cut instead."""
    reply: dict[str, Any] = json.loads(answer[1])
    calls = reply["choices"][0]["message"].get("tool_calls") if "choices" in reply else None
    if not calls:
        return cut_json(answer)
    function = calls[0]["function"]
    function["arguments"] = function["arguments"][:-6]
    return web.json_response(reply)


BEFORE = (busy, busy_for_a_while, failing)
"""Faults in the place of the request."""
AFTER = (failing, cut_json, garbled_arguments)
"""Faults of its answer."""
CUTS = ("hang up", "keep waiting")
"""Faults of the connection, before or after."""


def app(share: float, seed: int, endpoint: str, gym: str) -> web.Application:
    """Make the proxy's web application."""
    rng, session = random.Random(seed), list[aiohttp.ClientSession]()

    async def forward(request: web.Request) -> Answer:
        if not session:
            session.append(aiohttp.ClientSession())
        target = endpoint if request.path.startswith("/v1") else gym
        headers = {k: v for k, v in request.headers.items() if k.lower() not in ("host", "content-length")}
        body = await request.read()
        async with session[0].request(
            request.method, target + request.path_qs, data=body, headers=headers
        ) as response:
            return response.status, await response.read()

    async def answer(request: web.Request) -> web.StreamResponse:
        if rng.random() >= share:
            status, body = await forward(request)
            return web.Response(status=status, body=body, content_type="application/json")
        return await broken_answer(request, rng, forward)

    application = web.Application(client_max_size=2**26)
    application.router.add_route("*", "/{path:.*}", answer)
    return application


async def broken_answer(
    request: web.Request, rng: random.Random, forward: Callable[[web.Request], Awaitable[Answer]]
) -> web.StreamResponse:
    """Answer a request with a fault."""
    fault = rng.choice((*BEFORE, *AFTER, *CUTS))
    if fault in BEFORE and not isinstance(fault, str):
        return fault((0, b""))
    before = isinstance(fault, str) and rng.random() < 0.5
    answer = (0, b"") if before else await forward(request)
    if not isinstance(fault, str):
        return fault(answer)
    if fault == "keep waiting":
        await asyncio.sleep(HANG)
    if request.transport is not None:  # who waited may have left
        request.transport.abort()
    return web.Response()


if __name__ == "__main__":
    proxy = app(float(sys.argv[1]), int(sys.argv[2]), *sys.argv[3:5])
    asyncio.run(serve(proxy, lambda port: print(port, flush=True)))
