"""Serving an environment: one kind of protocol, on one port, until interrupted."""

import asyncio
import contextlib
import socket
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import dataclass
from typing import Protocol

import uvicorn
from starlette.applications import Starlette
from starlette.routing import BaseRoute

from eops_traj.environments.guard import Guard, add_error_answers
from eops_traj.environments.nemo_gym import NemoGymRoutes
from eops_traj.environments.openenv import OpenEnvRoutes
from eops_traj.environments.service import GymService
from eops_traj.errors import InputError, UnknownName
from eops_traj.gym.http.connections import Bounds, allow_open_files, within
from eops_traj.gym.http.hosts import LOOPBACK, AllowedHosts
from eops_traj.gym.http.sockets import listen, socket_url
from eops_traj.optional import require

MESSAGE_BYTES = 4 * 1024 * 1024
"""The size limit of a WebSocket's message."""
_GRACE_SECONDS = 2  # for requests that are being answered when the server is stopped
_SWEEP_SECONDS = 0.5


class Routes(Protocol):
    """A protocol's routes on a service."""

    def routes(self) -> list[BaseRoute]:
        """Return all routes."""
        ...

    async def sweep(self) -> None:
        """Close what the protocol holds beside episodes and nobody uses."""
        ...


KINDS: dict[str, Callable[[GymService], Routes]] = {"openenv": OpenEnvRoutes, "nemo-gym": NemoGymRoutes}
"""The protocols that are served over HTTP."""


@dataclass(frozen=True)
class Address:
    """Where to listen, and by which names clients may call."""

    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: Sequence[str] = ()
    """Names beside loopback, the host and this machine's."""


def make_app(kind: str, service: GymService, address: Address | None = None) -> Starlette:
    """Make the web application of a kind. Raises UnknownName for one that there is none of."""
    check_kind(kind)
    address, routes = address or Address(), KINDS[kind](service)

    @contextlib.asynccontextmanager
    async def lifespan(app: Starlette) -> AsyncIterator[None]:
        tasks = [asyncio.create_task(service.keep_bounds()), asyncio.create_task(_sweep(routes))]
        try:
            yield
        finally:
            for task in tasks:
                task.cancel()
            service.shut()

    app = Starlette(routes=routes.routes(), lifespan=lifespan)
    add_error_answers(app)
    app.add_middleware(Guard, hosts=AllowedHosts(address.host, address.allowed_hosts))
    return app


def check_kind(kind: str) -> None:
    """Check the name of a kind. Raises UnknownName; InputError for verifiers, which needs no server."""
    if kind == "verifiers":
        raise InputError("verifiers needs no server: it loads the taskset eops-traj in its own process")
    if kind not in KINDS:
        raise UnknownName("kind", kind, KINDS)


def make_server(app: Starlette) -> uvicorn.Server:
    """Make the server of an application, within the bounds on connections that the gym's own has."""
    http = within(Bounds(allow_open_files()))
    config = uvicorn.Config(
        app, http=http, ws="auto", ws_max_size=MESSAGE_BYTES, log_level="warning", access_log=False,
        lifespan="on", server_header=False, timeout_keep_alive=75, timeout_graceful_shutdown=_GRACE_SECONDS,
    )  # fmt: skip
    return uvicorn.Server(config)


def bind(address: Address) -> socket.socket:
    """Bind the socket of an address; port 0 is any free one. Raises InputError where it is taken."""
    return listen(address.host, {"gym": address.port})["gym"]


def run(kind: str, service: GymService, address: Address, report: Callable[[str], None]) -> None:
    """Serve until interrupted. Raises InputError where the port is taken, or WebSockets cannot be served."""
    if kind == "openenv":
        require("openenv")  # its clients speak over WebSockets
    server, bound = make_server(make_app(kind, service, address)), bind(address)

    async def until_stopped() -> None:
        serving = asyncio.create_task(server.serve([bound]))
        while not (server.started or serving.done()):
            await asyncio.sleep(0.01)
        report(f"{len(service.tasks.tasks)} tasks are served at {socket_url(bound)} ({kind})")
        if service.tasks.left_out:
            report(f"{service.tasks.left_out} tasks are left out: a model has to judge their replies")
        if address.host not in LOOPBACK:
            report(f"whoever reaches {address.host} can use them: there is no password")
        await serving

    with contextlib.suppress(KeyboardInterrupt), asyncio.Runner() as runner:
        runner.run(until_stopped())


async def _sweep(routes: Routes) -> None:
    while True:
        await asyncio.sleep(_SWEEP_SECONDS)
        await routes.sweep()
