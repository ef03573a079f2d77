"""The contract of a chat client: messages and tools go in, one reply comes out."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any, Protocol, runtime_checkable

from eops_traj.errors import EopsError
from eops_traj.messages import Message
from eops_traj.schema import Turn

FAILURE_KINDS = (
    "throttled",  # 429, or a server that says it is overloaded
    "timeout",
    "connection",  # refused, reset, cut off
    "server",  # 5xx
    "garbled",  # a body that is no reply: cut JSON, no choices
    "context",  # the conversation no longer fits into the model's context
    "auth",  # 401 or 403, also of a proxy (407)
    "request",  # any other 4xx: the same request would fail again
)
RETRIED_KINDS = frozenset({"throttled", "timeout", "connection", "server", "garbled"})


class EndpointError(EopsError):
    """A model's endpoint that gave no reply, through no fault of the model."""

    def __init__(self, kind: str, message: str, retry_after: float | None = None) -> None:
        """Take ``kind``, one of FAILURE_KINDS, and ``retry_after``, the seconds the endpoint asks for."""
        super().__init__(f"{kind}: {message}")
        self.kind, self.retry_after = kind, retry_after


class Language(Protocol):
    """What a reply has to be a text of, told as far as it is written."""

    def allow_next(self, text: str, more: str) -> bool:
        """Check whether a text, allowed so far, may be continued by this."""
        ...

    def is_whole(self, text: str) -> bool:
        """Check whether a text is one of the language as it is."""
        ...

    def grammar(self) -> str:
        """Return a grammar in Lark's notation, for servers that take one; it may allow somewhat more."""
        ...


@dataclass(frozen=True)
class Request:
    """One call of a model: the conversation, the tools as functions, and how to sample.

    ``sampling`` holds temperature, top_p, max_tokens, seed, reasoning_effort and the like, by the names of
    the OpenAI API; ``episode`` names the episode, so that a client may keep one on one endpoint.
    ``unparsed_is_no_call`` and ``text_is_answer`` are switches of `eops_traj.protocol`, with which tools are
    sent as they are given; ``tries`` is how often this request is made, where it says so itself; ``language``
    is what the reply has to be of, which a client that cannot see to it refuses.
    """

    messages: Sequence[Message]
    tools: Sequence[dict[str, Any]] = ()
    sampling: dict[str, Any] = field(default_factory=dict)
    episode: str = ""
    unparsed_is_no_call: bool = False
    text_is_answer: bool = False
    tries: int | None = None
    language: Language | None = None


class Chat(Protocol):
    """A chat client: one model, wherever it runs."""

    @property
    def model(self) -> str:
        """The model's name, as its endpoint knows it."""
        ...

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply: text, reasoning, tool calls without results, usage, cost, latency, token ids.

        A call whose arguments did not parse has ``raw``, and empty arguments unless they could be salvaged
        in one way only. Raises EndpointError where the endpoint gives no reply.
        """
        ...

    async def close(self) -> None:
        """Let go of connections, processes and memory."""
        ...


@runtime_checkable
class BilledChat(Protocol):
    """A client of an endpoint that is somebody else's, or may be: what its replies take is theirs to tell."""

    billed: bool


@runtime_checkable
class PooledChat(Protocol):
    """A client that spreads its requests over several others."""

    def wrap(self, around: Callable[[Chat], Chat]) -> None:
        """Put something around each of its clients, such as a limit of requests at once."""
        ...
