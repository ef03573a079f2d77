"""``gym serve --record``: tasks, or the gym alone, on one port, what agents do there kept in a store."""

import asyncio
import contextlib
import signal
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path

from starlette.requests import Request
from starlette.responses import JSONResponse, Response
from starlette.routing import Route

from eops_traj.bundle import build_run
from eops_traj.collect.attempt import RunContext
from eops_traj.collect.episode_recorder import Limits
from eops_traj.collect.mcp_sessions import make_app, serving
from eops_traj.collect.orchestrator import AgentContext
from eops_traj.collect.pending import load_ledgers
from eops_traj.collect.sole_recorder import sole_recorder
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.environments.recorded import RecordedSessions
from eops_traj.gym.http.hosts import AllowedHosts
from eops_traj.gym.identity import default_caller
from eops_traj.gym.server import Server
from eops_traj.hashing import canonical_json, digest
from eops_traj.sandbox.options import EmbeddedOptions
from eops_traj.schema import Agent, Json, Run, Task
from eops_traj.schema import Server as ServerRecord
from eops_traj.store.store import Store

ORCHESTRATOR = "connected"
"""The orchestrator's name in episodes of agents that connect by themselves."""
FREE = "gym"
"""The address of the gym alone, where no tasks are given."""
_ADVICE = "choose another --agent or --record, or stop that one"


@dataclass(frozen=True)
class Recording:
    """What is served, for whom and where."""

    store: str
    tasks: tuple[Task, ...]
    root: Path | None = None
    agent: str = "unknown"
    """The name of the agent's model, in its episodes."""
    host: str = "127.0.0.1"
    port: int = 8000
    allowed_hosts: Sequence[str] = ()
    idle_seconds: float = 1800.0
    turns: int | None = None
    """The most calls of an attempt."""
    sessions: int = 256
    """How many may be open."""
    sandbox: EmbeddedOptions = field(default_factory=EmbeddedOptions)

    def context(self) -> RunContext:
        """Return what all attempts share. Raises UnknownName for a quirk that there is none of."""
        limits, behaviour = Limits(turns=self.turns), self.sandbox.behaviour()
        settings = {"limits": vars(limits)} | ({"sandbox": behaviour} if behaviour else {})
        agent = Agent(model=self.agent, orchestrator=ORCHESTRATOR, settings=Json(canonical_json(settings)))
        run_id = digest("serve", agent.agent_hash, sorted(task.task_hash for task in self.tasks))
        return RunContext(run_id, agent, _Nobody(), {}, self.sandbox.open(self.root, 1), limits)


class _Nobody:
    """The orchestrator of no attempt: each visit puts its own in its place."""

    async def work(self, context: AgentContext) -> None:
        """Do nothing."""


def free_task(servers: Sequence[Server]) -> Task:
    """Return the task of an agent that is asked for nothing: all tools of servers, on their companies."""
    names = [server.name for server in servers]
    return Task(
        task_id=FREE,
        domain=names[0] if len(names) == 1 else "hybrid",
        mode="all",
        suite=FREE,
        system_prompt="",
        user_prompt="",
        servers=tuple(map(_server_record, servers)),
    )


def _server_record(server: Server) -> ServerRecord:
    caller = default_caller(server, server.template().open())
    headers = {server.identity.header: caller} if server.identity and caller else {}
    return ServerRecord(
        name=server.gym_name,
        seed="",
        context=Json(canonical_json(headers)),
        details=Json(canonical_json({"company": 0})),
    )


async def serve_recorded(
    recording: Recording, stop: asyncio.Event, report: Callable[[str], None] = lambda line: None
) -> None:
    """Serve until the event stops it; every session that was under way is stored then.

    Raises InputError where the port is taken or another server records this agent in the store, StoreError
    for a store that cannot be opened.
    """
    context = recording.context()
    with (
        Store.open(recording.store, create=True) as store,
        sole_recorder(store, context.agent, "server", _ADVICE),
    ):
        last = _last_attempts(recording, context.agent, store)
        with EpisodeWriter(store, _run(recording, context)) as writer:
            sessions = RecordedSessions(
                recording.tasks, context, writer, last, idle_seconds=recording.idle_seconds,
                most=recording.sessions, report=report,
            )  # fmt: skip
            hosts = AllowedHosts(recording.host, recording.allowed_hosts)
            routes = [Route("/", _index(recording.tasks))]
            app = make_app(sessions.find, hosts, routes, sessions.connected)
            async with serving(app, recording.host, recording.port) as url:
                report(f"{len(recording.tasks)} tasks are served at {url}/TASK/mcp, and listed at {url}/")
                bounds = asyncio.create_task(sessions.keep_bounds())
                await stop.wait()
                bounds.cancel()
                await sessions.close()


def run_recorded(recording: Recording, report: Callable[[str], None]) -> None:
    """Serve until interrupted. Raises as `serve_recorded`."""

    async def until_interrupted() -> None:
        stop, loop = asyncio.Event(), asyncio.get_running_loop()
        for number in (signal.SIGINT, signal.SIGTERM):
            loop.add_signal_handler(number, stop.set)
        await serve_recorded(recording, stop, report)

    with contextlib.suppress(KeyboardInterrupt):
        asyncio.run(until_interrupted())


def _last_attempts(recording: Recording, agent: Agent, store: Store) -> Mapping[str, int]:
    ledgers = load_ledgers(recording.tasks, agent, 0, store)
    return {
        ledger.task.task_hash: max((one.attempt for one in ledger.stored), default=0) for ledger in ledgers
    }


def _run(recording: Recording, context: RunContext) -> Run:
    config = {"agent": recording.agent, "tasks": len(recording.tasks), "served": True}
    return build_run("collect", config, run_id=context.run_id)


def _index(tasks: Sequence[Task]) -> Callable[[Request], Response]:
    """Return the handler of ``/``: every task with its address, its policy and its request."""

    def index(request: Request) -> Response:
        base = str(request.base_url).rstrip("/")
        return JSONResponse(
            [
                {
                    "task_id": task.task_id,
                    "mcp_url": f"{base}/{task.task_id}/mcp",
                    "system_prompt": task.system_prompt,
                    "user_prompt": task.user_prompt,
                }
                for task in tasks
            ]
        )

    return index
