"""What the parts of a collection agree on: a chat client, an orchestrator, the desk it works at.

A chat client turns messages and tools into one reply, an `eops_traj.schema.Turn` whose calls have no results
yet. An orchestrator decides what is asked next: it is given a `Desk`, which knows the task, asks the models
and runs the calls, and keeps to the limits. The engine makes the desk, verifies the outcome and stores the
episode; neither client nor orchestrator knows of it.
"""

from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol

from eops_traj.errors import EopsError
from eops_traj.messages import Message
from eops_traj.schema import Task, Turn

KINDS_OF_FAILURE = (
    "throttled",  # 429, or a server that says it is overloaded
    "timeout",
    "connection",  # refused, reset, cut off
    "server",  # 5xx
    "garbled",  # a body that is no reply: cut JSON, no choices
    "context",  # the conversation no longer fits into the model's context
    "auth",  # 401 or 403
    "request",  # any other 4xx: the same request would fail again
)
RETRIED = frozenset({"throttled", "timeout", "connection", "server", "garbled"})


class EndpointError(EopsError):
    """A model's endpoint that gave no reply, through no fault of the model."""

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        """``kind`` is one of KINDS_OF_FAILURE, ``retry_after`` the seconds that the endpoint asks for."""
        super().__init__(f"{kind}: {message}")
        self.kind, self.retry_after = kind, retry_after


@dataclass(frozen=True)
class Request:
    """One call of a model: the conversation, the tools as functions, and how to sample.

    ``sampling`` holds temperature, top_p, max_tokens, seed, reasoning_effort and the like, by the names of
    the OpenAI API; ``episode`` names the episode, so that a client may keep one on one endpoint.
    """

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    sampling: dict[str, Any] = field(default_factory=dict)
    episode: str = ""


class Chat(Protocol):
    """A chat client: one model, wherever it runs."""

    @property
    def model(self) -> str:
        """The model's name, as its endpoint knows it."""
        ...

    async def reply(self, request: Request) -> Turn:
        """One reply: text, reasoning, tool calls without results, usage, cost, latency, token ids.

        A call whose arguments did not parse has ``raw``, and empty arguments unless they could be salvaged
        in one way only. Raises EndpointError where the endpoint gives no reply.
        """
        ...

    async def close(self) -> None:
        """Let go of connections, processes and memory."""
        ...


class LimitReached(EopsError):
    """A limit of the episode; ``reason`` is its stop reason: max_turns, max_tokens, max_cost or timeout."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class Desk(Protocol):
    """Where an orchestrator works one attempt at one task. What happens here is recorded, turn by turn."""

    @property
    def task(self) -> Task:
        """The task: policy, request, and the gold plan where the orchestrator is to have it."""
        ...

    @property
    def attempt(self) -> int:
        """The attempt's number, from 1."""
        ...

    @property
    def tools(self) -> Sequence[dict[str, Any]]:
        """The tools shown, in the function format of the OpenAI API."""
        ...

    @property
    def turns(self) -> Sequence[Turn]:
        """What is recorded so far, the results of the calls included."""
        ...

    async def ask(
        self,
        messages: Sequence[Message],
        *,
        role: str = "executor",
        tools: bool = True,
        nudge: str | None = None,
    ) -> Turn:
        """One reply of the model that plays a role (``executor``, ``planner``), recorded as the next turn.

        ``nudge`` is the user message before this reply, where the orchestrator put one in. Raises
        LimitReached, EndpointError.
        """
        ...

    def say(self, turn: Turn) -> None:
        """Record a turn that no model wrote: a step of a plan that a machine runs, an expert's answer.

        Raises LimitReached.
        """
        ...

    async def act(self, turn: Turn) -> list[Message]:
        """Run the turn's calls in order in the sandbox, record their results, and return the tool messages.

        Raises SandboxError where the sandbox failed, LimitReached past the time limit.
        """
        ...

    def note(self, **facts: Any) -> None:
        """Keep facts about the attempt in the episode's details: a plan, the subtasks."""
        ...


class Orchestrator(Protocol):
    """How an agent works: it is done when `work` returns; the last turn's text is the final answer."""

    async def work(self, desk: Desk) -> None:
        """Work the task to its end."""
        ...
