"""A gym served over real HTTP from a thread of the test, on free ports."""

import asyncio
import contextlib
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor

import uvloop

from eops_traj.gym.http.app import ServingOptions, serve
from eops_traj.gym.http.databases import Databases
from eops_traj.gym.http.sockets import listen, socket_url
from eops_traj.gym.server import Server


@contextlib.contextmanager
def served(
    *servers: Server, databases: Databases | None = None, **options: object
) -> Iterator[dict[str, str]]:
    """The URL of each server, by name; what makes the servers fail is raised."""
    serving = ServingOptions(databases or Databases(), **options)
    sockets = listen(serving.host, {server.name: 0 for server in servers})
    loop, up, stop = uvloop.new_event_loop(), threading.Event(), asyncio.Event()
    with ThreadPoolExecutor(1) as thread:
        running = thread.submit(loop.run_until_complete, serve(servers, serving, sockets, stop, up.set))
        while not up.wait(0.01) and not running.done():
            pass
        try:
            if up.is_set():
                yield {name: socket_url(bound) for name, bound in sockets.items()}
        finally:
            loop.call_soon_threadsafe(stop.set)
            running.result(120)
            loop.close()
