"""The embedded gym over HTTP, in a thread of this process: every session has an address of its own."""

import asyncio
import threading
from collections.abc import AsyncIterator, Collection, Iterator
from concurrent.futures import Future
from contextlib import AsyncExitStack, asynccontextmanager, contextmanager

import uvicorn
from starlette.applications import Starlette
from starlette.responses import JSONResponse
from starlette.types import Receive, Scope, Send

from eops_traj.errors import SandboxError
from eops_traj.gym import registry
from eops_traj.gym.http.app import ServingOptions, make_app
from eops_traj.gym.http.connections import Bounds, within
from eops_traj.gym.http.databases import Limits
from eops_traj.gym.http.sockets import listen, socket_url
from eops_traj.harness.recording import SESSION, RecordedDatabases, RecordedSession

_START_SECONDS = 60.0
_SWEEP_SECONDS = 0.5
DATABASES_A_TASK = 12
"""A task's servers, and those of a try before that are being dropped."""


class ServedGym:
    """A served gym that tells what happened in a session."""

    def __init__(self, tasks: int, servers: Collection[str]) -> None:
        """Prepare for so many tasks at a time, which need no other servers than these."""
        self._servers = servers
        self._databases = RecordedDatabases(limits=Limits(databases=max(256, DATABASES_A_TASK * tasks)))
        self._url = ""
        self._loop: asyncio.AbstractEventLoop | None = None

    def address(self, session: str, server: str) -> str:
        """Return the base URL of a server for a session; the server goes by its name or its gym_name."""
        return f"{self._url}/{session}/{registry.server(server).name}"

    def take(self, session: str) -> RecordedSession:
        """Return what a session's last try did, and drop what is left of it."""
        assert self._loop is not None, "the gym is not served"
        taken: Future[RecordedSession] = asyncio.run_coroutine_threadsafe(
            self._databases.take(session), self._loop
        )
        return taken.result()

    @contextmanager
    def serving(self) -> Iterator["ServedGym"]:
        """Serve for as long as this context lasts. Raises SandboxError where it does not start."""
        socket = listen("127.0.0.1", {"gym": 0})["gym"]
        self._url = socket_url(socket)
        config = uvicorn.Config(
            self._app(), http=within(Bounds()), log_level="warning", access_log=False, lifespan="on",
            ws="none", timeout_keep_alive=75, timeout_graceful_shutdown=1,
        )  # fmt: skip
        server = uvicorn.Server(config)
        started = threading.Event()
        thread = threading.Thread(target=self._run, args=(server, socket, started), daemon=True, name="gym")
        thread.start()
        if not started.wait(_START_SECONDS):
            raise SandboxError("the gym does not start")
        try:
            yield self
        finally:
            server.should_exit = True
            thread.join()

    def _run(self, server: uvicorn.Server, socket: object, started: threading.Event) -> None:
        async def serve() -> None:
            self._loop = asyncio.get_running_loop()
            serving = asyncio.create_task(server.serve([socket]))  # type: ignore[list-item]
            sweeping = asyncio.create_task(self._sweep())
            while not (server.started or serving.done()):
                await asyncio.sleep(0.01)
            started.set()
            await serving
            sweeping.cancel()
            self._databases.close()

        asyncio.run(serve())

    async def _sweep(self) -> None:
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            self._databases.sweep()
            self._databases.stop_late()

    def _app(self) -> Starlette:
        serving = ServingOptions(self._databases, observe=self._databases.observe)
        servers = {name: make_app(registry.server(name), serving) for name in self._servers}

        @asynccontextmanager
        async def lifespan(_: Starlette) -> AsyncIterator[None]:
            async with AsyncExitStack() as stack:
                for app in servers.values():
                    await stack.enter_async_context(app.router.lifespan_context(app))
                yield

        app = Starlette(lifespan=lifespan)
        app.mount("/", _Addresses(servers))
        return app


class _Addresses:
    """``/SESSION/SERVER/...``: the rest of the path is the server's own."""

    def __init__(self, servers: dict[str, Starlette]) -> None:
        self._servers = servers

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        session, _, rest = scope["path"].lstrip("/").partition("/")
        name, _, path = rest.partition("/")
        app = self._servers.get(name)
        if app is None:
            await JSONResponse({"detail": "Not Found"}, 404)(scope, receive, send)
            return
        SESSION.set(session)
        own = {"path": f"/{path}", "raw_path": f"/{path}".encode(), "root_path": ""}
        await app({**scope, **own}, receive, send)
