"""One episode of a client that trains: calls in a task's sandbox, and the judgement at its end.

The judgement is that of a collection: the strict verifiers look at the final state and at the last reply. The
reward is 1 where they pass, a right refusal included, and 0 elsewhere; the label is the outcome's name.
"""

import threading
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, ParamSpec, TypeVar, cast

import apsw

from eops_traj.errors import InputError, SandboxError
from eops_traj.gym.http.threads import TimedOut
from eops_traj.llm.reply_parser import parse_reply
from eops_traj.planner.plan_check import SessionContext
from eops_traj.sandbox.embedded import EmbeddedSession
from eops_traj.sandbox.open import open_task
from eops_traj.sandbox.session import ToolResult, guarded, sandboxed
from eops_traj.schema import PASSED, Task
from eops_traj.tasks.toolset import VisibleTools

P = ParamSpec("P")
T = TypeVar("T")
MOST_CALLS = 1000
"""Calls of an episode: gold plans have 40 at most."""


class EpisodeOver(InputError):
    """The episode was judged, closed, or dropped as idle."""


class TooManyCalls(InputError):
    """An episode has made all the calls that it may make."""


@dataclass(frozen=True)
class Judgement:
    """What an episode was worth."""

    reward: float
    label: str
    """One of ``schema.OUTCOMES``."""
    task_id: str


class Episode:
    """A task's sandbox from its opening to its judgement; its calls run one at a time."""

    def __init__(self, episode_id: str, task: Task, root: Path | None, used: float) -> None:
        self.id, self.task, self.used = episode_id, task, used
        self._root, self._lock = root, threading.Lock()
        self._context: SessionContext | None = None
        self._interrupts: list[Callable[[], None]] = []
        self._closed = False
        self.judgement: Judgement | None = None
        self.steps = 0

    def open(self, tools: Callable[..., VisibleTools]) -> None:
        """Open the sandbox; ``tools`` is told of the task and of what its session lists.

        Raises InputError where the task cannot be opened or lacks a tool.
        """
        with self._lock:
            if self._closed:
                raise EpisodeOver(f"episode {self.id} was closed before it began")
            session = sandboxed(open_task, self.task, self._root)
            try:
                tools(self.task, session.list_tools)
            except BaseException:
                session.close()
                raise
            self._interrupts = [session.database(server.name).interrupt for server in self.task.servers]
            whole = cast(EmbeddedSession, guarded(session))  # what fails in it is no verdict of a verifier
            self._context = SessionContext(self.task, whole)

    def call(self, name: str, arguments: Mapping[str, Any]) -> ToolResult:
        """Call a tool; one that the task does not show is refused as a collection refuses it.

        Raises EpisodeOver, TooManyCalls, TimedOut where it was interrupted (nothing is changed then), or
        SandboxError where the sandbox itself fails.
        """
        with self._lock:
            context = self._running()
            if len(context.calls) >= MOST_CALLS:
                raise TooManyCalls(f"episode {self.id} has made {MOST_CALLS} calls, which is the limit")
            self.steps += 1
            return _in_time(context.call_tool, name, arguments)

    def finish(self, reply: str) -> Judgement:
        """Judge the episode by its state and its last reply, and close it; later calls return the same.

        A reply's reasoning, between ``<think>`` tags of which the prompt may hold the first, is no part of
        the answer; an episode that ended in a call has the reply "". Raises EpisodeOver, TimedOut, or
        SandboxError where the sandbox itself fails.
        """
        with self._lock:
            if self.judgement is None:
                context = self._running()
                label = _in_time(context.outcome, parse_reply(reply).text.strip())
                self.judgement = Judgement(float(label in PASSED), label, self.task.task_id)
                self._drop()
            return self.judgement

    def close(self) -> None:
        """Drop the sandbox; what it would have been worth is not known then."""
        self.interrupt()
        with self._lock:
            self._drop()

    def close_if_idle(self) -> bool:
        """Drop the sandbox unless a call is running; return whether it was dropped."""
        if not self._lock.acquire(blocking=False):
            return False
        try:
            self._drop()
        finally:
            self._lock.release()
        return True

    def interrupt(self) -> None:
        """Stop the statement that a call is running, from any thread."""
        for stop in self._interrupts:
            stop()

    @property
    def over(self) -> bool:
        """Whether the episode was judged or closed."""
        return self._closed

    def _running(self) -> SessionContext:
        if self._context is None:
            what = "is not open yet" if not self._closed else "is over" if self.judgement else "was closed"
            raise EpisodeOver(f"episode {self.id} {what}; begin another one")
        return self._context

    def _drop(self) -> None:
        self._closed = True
        if self._context is not None:
            self._context.session.close()
            self._context = None


def _in_time(work: Callable[P, T], *arguments: P.args, **named: P.kwargs) -> T:
    """Return the result of work. Raises TimedOut where it was interrupted, SandboxError where it failed."""
    try:
        return sandboxed(work, *arguments, **named)
    except SandboxError as error:
        if isinstance(error.__cause__, apsw.InterruptError):
            raise TimedOut("stopped at the deadline of a call; nothing was changed by it") from None
        raise


def error_text(error: Exception) -> str:
    """Return an error as a client may read it: our own in its words, any other by its kind alone."""
    return str(error) if isinstance(error, InputError | SandboxError) else type(error).__name__
