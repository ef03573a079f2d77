"""Sessions for agents that connect by themselves, each recorded as an episode.

A task has an address, ``/TASK/mcp``, and any number of sessions beside it, ``/TASK/NAME/mcp``. With the first
request an attempt begins; it ends with the tool ``final_answer``, or once nothing came for a while, or with
the server, and is verified and stored as any collection's attempt is. One without a call and an answer leaves
nothing. After an end without the answer its agent knows of none: calls at the address are told of it, until a
client connects anew, with which another attempt begins.
"""

import asyncio
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from eops_traj.bundle import EpisodeBundle
from eops_traj.causes.find import diagnosed
from eops_traj.collect.attempt import RunContext, make_attempt
from eops_traj.collect.episode_builder import PendingAttempt, numbered
from eops_traj.collect.orchestrator import AgentContext, LimitReached
from eops_traj.collect.session_calls import SessionCalls, SessionOver
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.errors import EopsError, cut
from eops_traj.schema import UNVERIFIED, Episode, Json, Task, ToolCall

ANSWER_TOOL: dict[str, Any] = {
    "name": "final_answer",
    "description": "Give your final answer to the request. It ends the task: nothing can be done after it.",
    "inputSchema": {
        "type": "object",
        "properties": {"text": {"type": "string", "description": "The answer, as the user is to read it."}},
        "required": ["text"],
    },
}
IDLE, STOPPED = "idle", "stopped"
"""What ended a session without an answer: nothing came for a while, or the server was stopped."""
ENDS = 1_000
"""Addresses whose last attempt ended without an answer, and at which that is still known."""
_SWEEP_SECONDS = 0.5
_NOTHING = "nothing was called or said"


@dataclass
class Visit:
    """An attempt under way: its calls, and the answer once it is given."""

    used: float
    opened: "asyncio.Future[SessionCalls]"
    answer: "asyncio.Future[str | None]"
    ended_by: str | None = None
    """What ended it, where that was not its answer."""
    kept: str | None = None
    """The answer that is in the episode."""
    work: "asyncio.Task[str | None] | None" = field(default=None, repr=False)
    """Gives, once it is over, why no episode came of it; None where one is stored."""

    def end(self, answer: str | None, by: str | None = None) -> None:
        """End it, where it has not ended yet."""
        if not self.answer.done():
            self.ended_by = by
            self.answer.set_result(answer)

    def fail(self, calls_ended: "asyncio.Future[None]") -> None:
        """End it by the limit or the error that ended its calls, whatever was answered meanwhile."""
        self.end(None)
        self.ended_by = cut(str(calls_ended.exception()))


class VisitOrchestrator:
    """An orchestrator that waits for what a visitor does."""

    def __init__(self, visit: Visit) -> None:
        """Take the visit."""
        self._visit = visit

    async def work(self, context: AgentContext) -> None:
        """Let the visitor work until its answer. Raises LimitReached, and what ends the session."""
        calls = SessionCalls(context)
        calls.ended.add_done_callback(self._visit.fail)
        self._visit.opened.set_result(calls)
        ends: list[asyncio.Future[Any]] = [self._visit.answer, calls.ended]
        await asyncio.wait(ends, return_when=asyncio.FIRST_COMPLETED)
        await calls.close()
        if calls.ended.done():
            calls.ended.result()
        if (answer := self._visit.answer.result()) is None:
            context.annotate(ended_by=self._visit.ended_by)
            raise LimitReached("timeout")
        context.answer(answer)
        self._visit.kept = answer


class VisitedSession:
    """What is at an address now: the tools of its visit, and the one that ends it."""

    def __init__(self, visit: Visit, calls: SessionCalls) -> None:
        """Take the visit and its calls."""
        self._visit, self._calls = visit, calls

    @property
    def listing(self) -> list[dict[str, Any]]:
        """The tools shown, as MCP lists them, and `ANSWER_TOOL`."""
        return [*self._calls.listing, ANSWER_TOOL]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolCall:
        """Run a call. Raises SessionOver where the attempt has ended meanwhile."""
        if name != ANSWER_TOOL["name"]:
            return await self._calls.call(name, arguments)
        text, told = arguments.get("text"), Json("{}")
        if not isinstance(text, str):
            return ToolCall(id="", name=name, arguments=told, result="text has to be a text", is_error=True)
        self._visit.end(text)
        assert self._visit.work is not None
        problem = await asyncio.shield(self._visit.work)
        if problem is None and self._visit.kept != text:
            raise SessionOver("this session is over: the answer came too late")
        result = problem or "The answer is recorded."
        return ToolCall(id="", name=name, arguments=told, result=result, is_error=problem is not None)


class RecordedSessions:
    """The sessions of a serving process, by their addresses."""

    def __init__(
        self, tasks: Sequence[Task], context: RunContext, writer: EpisodeWriter, attempts: Mapping[str, int],
        *, idle_seconds: float = 1800.0, most: int = 512, report: Callable[[str], None] = lambda line: None,
        now: Callable[[], float] = time.monotonic,
    ) -> None:  # fmt: skip
        """Serve these tasks; ``attempts`` are the last numbers that the store has, by task hash."""
        self._tasks = {task.task_id: task for task in tasks}
        self._context, self._writer, self._attempts = context, writer, dict(attempts)
        self._idle, self._most, self._report, self._now = idle_seconds, most, report, now
        self._visits: dict[str, Visit] = {}
        self._ends: dict[str, str] = {}
        self._works: set[asyncio.Task[str | None]] = set()
        self._closing = False

    async def find(self, address: str) -> VisitedSession | None:
        """Return the session at an address, a new one where none is under way; None for no task's address.

        Raises SessionOver where the last one ended without its answer and no client has connected since, as
        many are open as may be, its task cannot be opened, or the server stops.
        """
        task = self._tasks.get(address) or self._tasks.get(address.rpartition("/")[0])
        if task is None:
            return None
        visit = self._visits.get(address)
        if visit is None or visit.answer.done():
            visit = self._begin(address, task)
        visit.used = self._now()
        assert visit.work is not None
        begun: list[asyncio.Future[Any]] = [visit.opened, visit.work]
        await asyncio.wait(begun, return_when=asyncio.FIRST_COMPLETED)
        if not visit.opened.done():
            raise SessionOver(f"no session of {task.task_id} could be opened")
        return VisitedSession(visit, visit.opened.result())

    def connected(self, address: str) -> None:
        """Have another attempt begin at an address where the last one is over: a client connects anew."""
        self._ends.pop(address, None)
        if (visit := self._visits.get(address)) is not None and visit.answer.done():
            del self._visits[address]

    async def keep_bounds(self) -> None:
        """End idle sessions, until cancelled."""
        while True:
            await asyncio.sleep(_SWEEP_SECONDS)
            for visit in list(self._visits.values()):
                if visit.used < self._now() - self._idle:
                    visit.end(None, IDLE)

    async def close(self) -> None:
        """End every session as it stands, begin no other, and wait until all are stored."""
        self._closing = True
        for visit in self._visits.values():
            visit.end(None, STOPPED)
        await asyncio.gather(*self._works, return_exceptions=True)

    def _begin(self, address: str, task: Task) -> Visit:
        if self._closing:
            raise SessionOver("the server is being stopped")
        last = self._visits.get(address)
        if ended_by := last.ended_by if last else self._ends.get(address):
            raise SessionOver(f"this session is over: {ended_by}")
        under_way = sum(not visit.answer.done() for visit in self._visits.values())
        if under_way >= self._most:
            raise SessionOver(f"{under_way} sessions are open, which is the limit; end one with final_answer")
        loop = asyncio.get_running_loop()
        visit = self._visits[address] = Visit(self._now(), loop.create_future(), loop.create_future())
        visit.work = asyncio.create_task(self._work(address, task, visit))
        self._works.add(visit.work)
        visit.work.add_done_callback(self._works.discard)
        return visit

    async def _work(self, address: str, task: Task, visit: Visit) -> str | None:
        number = self._next_number(task.task_hash)
        context = replace(self._context, orchestrator=VisitOrchestrator(visit))
        problem: str | None = _NOTHING
        try:
            bundle = await make_attempt(PendingAttempt(task, number), context)
            if bundle.episode.turns or bundle.episode.error:
                stored = await self._store(bundle if task.verifiers else _unjudged(bundle))
                self._report(_line(address, stored.episode))
                problem = bundle.episode.error
            elif self._attempts[task.task_hash] == number:  # nobody else has a later one
                self._attempts[task.task_hash] -= 1
        except EopsError as error:  # a task that cannot be opened, a store that cannot be written
            problem = str(error)
            self._report(f"{address}: {problem}")
        finally:
            visit.end(None, problem)
            if self._visits.get(address) is visit:
                del self._visits[address]
                if visit.ended_by and problem != _NOTHING:
                    self._keep_end(address, visit.ended_by)
        return problem

    def _keep_end(self, address: str, ended_by: str) -> None:
        """Keep what ended the attempt at an address, for the last `ENDS` of them."""
        self._ends[address] = ended_by
        if len(self._ends) > ENDS:
            del self._ends[next(iter(self._ends))]

    def _next_number(self, task_hash: str) -> int:
        number = self._attempts[task_hash] = self._attempts.get(task_hash, 0) + 1
        return number

    async def _store(self, bundle: EpisodeBundle) -> EpisodeBundle:
        """Store an episode, under a later number where another program has stored one of its own."""
        while not await self._writer.put_new(bundle):
            bundle = numbered(bundle, self._next_number(bundle.episode.task_hash))
        return bundle


def _unjudged(bundle: EpisodeBundle) -> EpisodeBundle:
    """Return the episode of a task that asks for nothing: there is nothing to judge it by."""
    if bundle.episode.error is not None:
        return bundle
    labels = ("success_parity", "success_strict", "verifier_pass_parity", "verifier_pass_strict")
    unknown: dict[str, Any] = dict.fromkeys(labels)
    episode = replace(bundle.episode, outcome=UNVERIFIED, **unknown)
    return replace(bundle, episode=diagnosed(episode, bundle.prompt.text))


def _line(address: str, episode: Episode) -> str:
    """Return a line about a stored episode."""
    outcome = episode.error or (episode.outcome if episode.verdicts else UNVERIFIED)
    return f"{address}: attempt {episode.attempt}, {episode.n_steps} calls, {outcome}"
