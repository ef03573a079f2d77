"""An environment served over real HTTP, in a thread of the test, on a free port."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

from eops_traj.environments.pool import PoolLimits
from eops_traj.environments.served_tasks import ServedTasks
from eops_traj.environments.service import GymService
from eops_traj.environments.serving import Address, bind, make_app, make_server
from eops_traj.gym.http.sockets import socket_url
from eops_traj.schema import Task


@contextlib.contextmanager
def served_environment(
    kind: str, *tasks: Task, limits: PoolLimits | None = None
) -> Iterator[tuple[str, GymService]]:
    """The URL of the server and the service behind it."""
    service = GymService(ServedTasks(tasks), limits)
    address = Address(port=0)
    server, bound = make_server(make_app(kind, service, address)), bind(address)
    up = threading.Event()

    async def serve() -> None:
        serving = asyncio.create_task(server.serve([bound]))
        while not (server.started or serving.done()):
            await asyncio.sleep(0.005)
        up.set()
        await serving

    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(asyncio.run, serve())
        up.wait(120)
        try:
            yield socket_url(bound), service
        finally:
            server.should_exit = True
            running.result(120)
