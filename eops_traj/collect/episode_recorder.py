"""The recorder of an attempt: models are asked, calls run, limits kept, everything recorded."""

import json
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any, TypeVar

from pydantic import PositiveFloat, PositiveInt

from eops_traj.collect.conversation import result_as_sent
from eops_traj.collect.orchestrator import LimitReached, UnknownToolCalled
from eops_traj.errors import SandboxError
from eops_traj.hashing import canonical_json, clean, digest
from eops_traj.llm.base import Chat, Language, Request
from eops_traj.llm.tool_arguments import is_unreadable, problem_of
from eops_traj.messages import Message
from eops_traj.protocol import ROBUST, RunProtocol
from eops_traj.sandbox.options import Sandbox
from eops_traj.sandbox.remote import short_name
from eops_traj.sandbox.session import RpcFailure, Session, ToolResult, sandboxed
from eops_traj.schema import Json, Task, ToolCall, Turn
from eops_traj.tasks.toolset import VisibleTools
from eops_traj.verify.end_state import UNKNOWN_TOOL

T = TypeVar("T")


@dataclass(frozen=True)
class Limits:
    """The most that an attempt may take; None for no limit.

    ``turns`` are those that follow one another: of several replies of which one is chosen, it is one.
    ``tokens`` are input and output of every turn together, ``cost`` US dollars, ``seconds`` the time of
    replies and calls: what an attempt spends waiting for a busy endpoint is not its own. Each is looked at
    between steps, so that the last one may go over it. A turn that tells nothing of them counts as nothing;
    endpoints have to tell (`eops_traj.llm.counted`).
    """

    turns: PositiveInt | None = 50
    tokens: PositiveInt | None = None
    cost: PositiveFloat | None = None
    seconds: PositiveFloat | None = None


@dataclass(frozen=True)
class AttemptEnvironment:
    """The session that an attempt works in, the sandbox of that session, and the tools shown."""

    session: Session
    sandbox: Sandbox
    tools: VisibleTools


class EpisodeRecorder:
    """An `AgentContext` that keeps ``turns``, ``notes`` and ``roles`` (the role that gave each turn)."""

    def __init__(
        self, task: Task, attempt: int, environment: AttemptEnvironment, models: Mapping[str, Chat],
        limits: Limits, seeds: Mapping[str, int] | None = None, protocol: RunProtocol = ROBUST,
        branch_point: tuple[str, int] | None = None,
    ) -> None:  # fmt: skip
        """Take ``models`` and ``seeds`` by role; sampling starts from a seed for the roles that have one.

        A branch draws from its point, and is known to clients by it: its number is that of others, too.
        """
        self.protocol = protocol
        self.task, self.attempt, self.environment = task, attempt, environment
        self.turns: list[Turn] = []
        self.roles: list[str] = []
        self.notes: dict[str, Any] = {}
        self.seconds = 0.0
        self._beside = 0
        self._models, self._limits, self._seeds = models, limits, seeds or {}
        self._episode = digest(task.task_hash, attempt, *(branch_point or ()))

    @property
    def tools(self) -> Sequence[dict[str, Any]]:
        """The tools shown, in the function format of the OpenAI API."""
        return self.environment.tools.functions

    @property
    def listing(self) -> Sequence[Mapping[str, Any]]:
        """The tools shown, as their servers list them."""
        return self.environment.tools.listing

    async def ask(
        self, messages: Sequence[Message], *, role: str = "executor", tools: bool = True,
        nudge: str | None = None, tries: int | None = None, language: Language | None = None,
        beside: bool = False,
    ) -> Turn:  # fmt: skip
        """Ask the model that plays a role for one reply, and record it as the next turn."""
        self._beside += beside
        self._check(one_more=True)
        request = Request(
            messages, self.tools if tools else (), self._sampling(role), self._episode,
            self.protocol.unparsed_is_no_call, self.protocol.text_is_answer, tries, language,
        )  # fmt: skip
        turn = await self._models[role].reply(request)
        self.seconds += (turn.latency_ms or 0.0) / 1000
        turn = turn if nudge is None else replace(turn, nudge=nudge)
        self._append(turn, role)
        return turn

    def record(self, turn: Turn) -> None:
        """Record a turn that no model wrote."""
        self._check(one_more=True)
        self._append(turn, "none")

    def answer(self, text: str) -> None:
        """Record the final answer of an agent from outside, which no limit ends."""
        self._append(Turn(text=text), "none")

    async def run_calls(self, turn: Turn, *, strays: bool = False) -> list[Message]:
        """Run the turn's calls in order, record their results, and return the tool messages."""
        at = next(n for n, recorded in enumerate(self.turns) if recorded is turn)
        calls = list(turn.tool_calls)
        for n, call in enumerate(calls):
            self._check()
            calls[n] = await self._run_call(call, strays)
            self.turns[at] = replace(turn, tool_calls=tuple(calls))
        return [result_as_sent(call, self.protocol) for call in calls]

    async def on_fork(self, work: Callable[[Session], T]) -> T:
        """Return what work on a copy of the sandbox as it is comes to; nothing of it is recorded or kept."""
        self._check()
        started = time.monotonic()
        try:
            return await self.environment.sandbox.do(partial(sandboxed, self._on_fork, work))
        finally:
            self.seconds += time.monotonic() - started

    def _on_fork(self, work: Callable[[Session], T]) -> T:
        fork = self.environment.session.fork()
        try:
            return work(fork)
        finally:
            fork.close()

    def retell(self, turns: Sequence[Turn]) -> None:
        """Put turns in the place of those recorded."""
        self.turns[:] = turns
        self.roles[:] = ["none"] * len(turns)

    def annotate(self, **facts: Any) -> None:
        """Keep facts about the attempt in the episode's details."""
        self.notes |= facts

    def _append(self, turn: Turn, role: str) -> None:
        self.turns.append(turn)
        self.roles.append(role)

    def _sampling(self, role: str) -> dict[str, Any]:
        """Return the reply's own seed, where the role has one: equal attempts would be worth one."""
        if role not in self._seeds:
            return {}
        reply_digest = digest(self._seeds[role], self._episode, len(self.turns))
        return {"seed": int(reply_digest, 16) % 2**31}

    def _check(self, one_more: bool = False) -> None:
        limits = self._limits
        if one_more and limits.turns is not None and len(self.turns) - self._beside >= limits.turns:
            raise LimitReached("max_turns")
        tokens = sum((turn.input_tokens or 0) + (turn.output_tokens or 0) for turn in self.turns)
        if limits.tokens is not None and tokens >= limits.tokens:
            raise LimitReached("max_tokens")
        if limits.cost is not None and sum(turn.cost or 0.0 for turn in self.turns) >= limits.cost:
            raise LimitReached("max_cost")
        if limits.seconds is not None and self.seconds >= limits.seconds:
            raise LimitReached("timeout")

    async def _run_call(self, call: ToolCall, strays: bool) -> ToolCall:
        """Return the call with its result; one that is no call at all never reaches the sandbox."""
        if is_unreadable(call):
            problem = f"The arguments of {call.name} are {problem_of(str(call.raw))}; nothing was called."
            return replace(call, result=problem, is_error=True)
        if not strays and not self._may_run(call.name):
            return replace(call, result=UNKNOWN_TOOL.format(call.name), is_error=True)
        start = time.monotonic()
        call_tool = partial(self.environment.session.call_tool, call.name, json.loads(call.arguments))
        try:
            result = await self.environment.sandbox.do(call_tool)
        except SandboxError as error:
            if not self.protocol.server_failures_shown:
                raise
            return self._unanswered(call, error)
        seconds = time.monotonic() - start
        self.seconds += seconds
        return self._answered(call, result, seconds * 1000)

    def _may_run(self, tool: str) -> bool:
        """Check whether a call of a tool is run. Raises UnknownToolCalled where that ends the run."""
        if tool in self.environment.tools.names:
            return True
        if not (self.protocol.hidden_tools_run or self.protocol.unknown_tool_fails):
            return False
        listed = self.environment.session.owner(tool) is not None
        if not listed and self.protocol.unknown_tool_fails:
            raise UnknownToolCalled(f"called {tool}, a tool that no server lists")
        return listed and self.protocol.hidden_tools_run

    def _unanswered(self, call: ToolCall, error: SandboxError) -> ToolCall:
        """Return a call that its server failed at, with what the harness would have in its place."""
        answer: dict[str, Any] = {"success": False, "error": str(error)}
        if isinstance(error, RpcFailure):
            answer = {"success": True, "result": None, "error": {"message": str(error)}}
        server = gym_name(self.task, self.environment.session.owner(call.name))
        return replace(call, server=server, error=str(error), envelope=Json(canonical_json(answer)))

    def _answered(self, call: ToolCall, result: ToolResult, milliseconds: float) -> ToolCall:
        name = self.environment.session.owner(call.name)
        return replace(
            call,
            server=gym_name(self.task, name),
            result=result.text,
            envelope=_envelope(result, self.protocol.whole_results),
            is_error=result.is_error,
            latency_ms=milliseconds,
            changes=result.changes,
        )


def gym_name(task: Task, server: str | None) -> str | None:
    """Return the name that the task gives a server, whichever of its names this is."""
    return next((s.name for s in task.servers if server in (s.name, short_name(s.name))), server)


def _envelope(result: ToolResult, as_sent: bool) -> Json:
    """Return the reply around the text, as the benchmark's harness records it, with the text taken out.

    ``as_sent`` keeps the order of what the server sent: a model that is shown the whole is shown that order.
    """
    envelope = result.sent if as_sent and result.sent is not None else result.envelope
    content = envelope.get("content") or []
    single = len(content) == 1 and "text" in content[0]
    hollow = [{**part, "text": None} if single else part for part in content]
    answer = {"success": True, "result": {**envelope, "content": hollow}, "error": None}
    return Json(clean(json.dumps(answer, ensure_ascii=False)) if as_sent else canonical_json(answer))
