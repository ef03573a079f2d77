"""The cost of an episode for another trainer: its reset, its steps, its judgement, and what stays in memory.

    python -m benchmarks.environments [TASKS] [--kind KIND] [--resets N] [--rollouts N] [--clients N]

KIND is `process` (as verifiers has it: the sandboxes in the trainer's own process), `openenv` (a WebSocket a
client) or `nemo-gym` (HTTP with cookies); without it, all three. The two are served by `gym env` in a process
of its own, and the times are those of the clients here, what they send and parse included. Every rollout is
done by the task's gold plan, so every reward has to be 1. The resident memory is that of the process with the
sandboxes.
"""

import argparse
import asyncio
import json
import re
import statistics
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Protocol

import httpx
from websockets.asyncio.client import ClientConnection, connect

from eops_traj.environments.pool import PoolLimits
from eops_traj.environments.served_tasks import Selection, ServedTasks
from eops_traj.environments.service import GymService
from eops_traj.plan import parse, run
from eops_traj.planner.plan_check import SessionContext
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Task
from eops_traj.taskgen.gold_answer import asked_of, gold_answer

EVERY = 500
"""Rollouts between two lines about memory."""
KINDS = ("process", "openenv", "nemo-gym")
Times = dict[str, list[float]]


@dataclass(frozen=True)
class Gold:
    """What is done and said at a task, by its gold plan."""

    task_id: str
    calls: tuple[tuple[str, dict[str, Any]], ...]
    reply: str


class Client(Protocol):
    """One client, at one episode after another."""

    async def reset(self, task_id: str) -> None: ...
    async def step(self, name: str, arguments: dict[str, Any]) -> None: ...
    async def finish(self, reply: str) -> float: ...


class InProcess:
    """A client of a service in this process."""

    def __init__(self, service: GymService) -> None:
        self._service, self._id = service, ""

    async def reset(self, task_id: str) -> None:
        await self._service.close(self._id)
        episode = await self._service.begin(Selection(task_id=task_id))
        self._service.view(episode)
        self._id = episode.id

    async def step(self, name: str, arguments: dict[str, Any]) -> None:
        await self._service.call(self._id, name, arguments)

    async def finish(self, reply: str) -> float:
        return (await self._service.finish(self._id, reply)).reward


class OverOpenEnv:
    """A client of OpenEnv's protocol."""

    def __init__(self, socket: ClientConnection) -> None:
        self._socket = socket

    async def _ask(self, kind: str, **data: Any) -> Any:
        await self._socket.send(json.dumps({"type": kind, "data": data}))
        frame = json.loads(await self._socket.recv())
        assert frame["type"] == "observation", frame
        return frame["data"]

    async def reset(self, task_id: str) -> None:
        await self._ask("reset", task_id=task_id)

    async def step(self, name: str, arguments: dict[str, Any]) -> None:
        await self._ask("step", type="call_tool", tool_name=name, arguments=arguments)

    async def finish(self, reply: str) -> float:
        return float((await self._ask("step", type="answer", text=reply))["reward"])


class OverNemoGym:
    """A client of NeMo Gym's protocol, which closes what it leaves, as its environment servers do."""

    def __init__(self, http: httpx.AsyncClient) -> None:
        self._http = http

    async def _post(self, path: str, body: dict[str, Any]) -> httpx.Response:
        return (await self._http.post(path, json=body)).raise_for_status()

    async def reset(self, task_id: str) -> None:
        if self._http.cookies:
            await self._post("/close_session", {})
        await self._post("/seed_session", {"task_id": task_id})

    async def step(self, name: str, arguments: dict[str, Any]) -> None:
        await self._post(f"/{name}", arguments)

    async def finish(self, reply: str) -> float:
        said = {"type": "message", "role": "assistant", "content": reply}
        return float((await self._post("/verify", {"response": {"output": [said]}})).json()["reward"])


def main() -> None:
    """Measure each kind and print."""
    options = parser().parse_args()
    tasks = ServedTasks.find(options.tasks, splits=("train",))
    gold = [gold_of(task, tasks.root) for task in tasks.tasks if task.plan]
    calls = statistics.mean(len(one.calls) for one in gold)
    print(f"{len(gold)} tasks of {options.tasks}, {calls:.1f} calls each")
    for kind in (options.kind,) if options.kind else KINDS:
        asyncio.run(measure(kind, options, tasks, gold))


def parser() -> argparse.ArgumentParser:
    """Return the parser of the command line."""
    new = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    new.add_argument("tasks", nargs="?", default="suite:quick")
    new.add_argument("--kind", choices=KINDS)
    new.add_argument("--resets", type=int, default=1000)
    new.add_argument("--rollouts", type=int, default=2000)
    new.add_argument("--clients", type=int, default=8)
    return new


def gold_of(task: Task, root: Path | None) -> Gold:
    """Do a task by its gold plan; return the calls as they were made, and the answer."""
    plan = parse(task.plan or "")
    with open_task(task, root) as session:
        context = SessionContext(task, session)
        done = run(plan, context)
        servers = [server.name for server in task.servers]
        answer = done.ending.answer
        if done.ending.kind == "completed":
            answer = gold_answer(plan, done.calls, asked_of(task.details), servers)
        return Gold(task.task_id, tuple((c.name, json.loads(c.arguments)) for c in context.calls), answer)


async def measure(kind: str, options: argparse.Namespace, tasks: ServedTasks, gold: list[Gold]) -> None:
    """Measure resets with one client, then rollouts with several, and print."""
    if kind == "process":
        service = GymService(tasks, PoolLimits())
        await measure_with(kind, options, gold, lambda: made(InProcess(service)), "self")
        service.shut()
        return
    with serving(kind, options.tasks) as (url, pid):

        async def client() -> Client:
            if kind == "nemo-gym":
                return OverNemoGym(httpx.AsyncClient(base_url=url, timeout=60))
            return OverOpenEnv(await connect(url.replace("http", "ws") + "/ws", max_size=None))

        await measure_with(kind, options, gold, client, str(pid))


async def made(client: Client) -> Client:
    """Return a client that needs no connection."""
    return client


async def measure_with(
    kind: str,
    options: argparse.Namespace,
    gold: list[Gold],
    client: Callable[[], Awaitable[Client]],
    pid: str,
) -> None:
    """Measure with clients of a kind, whose sandboxes are in the process ``pid``."""
    alone, times = await client(), Times()
    for one in gold:  # the first of each task builds its template
        await alone.reset(one.task_id)
    for number in range(options.resets):
        await timed(times, "reset", alone.reset(gold[number % len(gold)].task_id))
    print(f"{kind:>9}: {spread('reset', times)} over {options.resets}, one client; {resident(pid):.0f} MB")
    clients = [alone, *[await client() for _ in range(options.clients - 1)]]
    done, start, rewards, times = 0, time.perf_counter(), 0.0, Times()
    while done < options.rollouts:
        turns = [gold[(done + place) % len(gold)] for place in range(len(clients))]
        worth = await asyncio.gather(*(roll_out(c, o, times) for c, o in zip(clients, turns, strict=True)))
        rewards, before, done = rewards + sum(worth), done, done + len(clients)
        if done // EVERY > before // EVERY:
            print(f"{'':>9}  {done:>6} rollouts, {resident(pid):.0f} MB")
    pace = done / (time.perf_counter() - start)
    each = ", ".join(spread(name, times) for name in ("reset", "step", "finish"))
    print(f"{kind:>9}: {each}, {len(clients)} clients; {pace:.0f} a second; {rewards:.0f} of {done} passed")


async def roll_out(client: Client, gold: Gold, times: Times) -> float:
    """Do a task, and return its reward."""
    await timed(times, "reset", client.reset(gold.task_id))
    for name, arguments in gold.calls:
        await timed(times, "step", client.step(name, arguments))
    return float(await timed(times, "finish", client.finish(gold.reply)))


async def timed(times: Times, name: str, work: Awaitable[Any]) -> Any:
    """Return the result of work, and note how many milliseconds it took."""
    start = time.perf_counter()
    result = await work
    times.setdefault(name, []).append((time.perf_counter() - start) * 1000)
    return result


def spread(name: str, times: Times) -> str:
    """Render the middle and the 95th percentile of times."""
    twentieths = statistics.quantiles(times[name], n=20)
    return f"{name} {twentieths[9]:.2f} ms (p95 {twentieths[18]:.2f})"


@contextmanager
def serving(kind: str, tasks: str) -> Iterator[tuple[str, int]]:
    """Serve tasks in a process of its own; yield its URL and its id."""
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "env", tasks, "--kind", kind, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        try:
            assert process.stderr is not None
            yield re.findall(r"http://\S+", process.stderr.readline())[0], process.pid
        finally:
            process.terminate()


def resident(pid: str) -> float:
    """Return the resident memory of a process in MB (Linux)."""
    pages = int(Path(f"/proc/{pid}/statm").read_text(encoding="ascii").split()[1])
    return pages * 4096 / 1e6


if __name__ == "__main__":
    main()
