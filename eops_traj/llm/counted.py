"""Endpoints that have to tell what the limits of an attempt count: what is not told reaches no limit."""

from collections.abc import Mapping

from eops_traj.llm.base import BilledChat, Chat, EndpointError, PooledChat, Request
from eops_traj.schema import Turn

COUNTED = {
    "cost": (("cost",), "no cost; give the model's `prices`, or leave that limit out"),
    "tokens": (("input_tokens", "output_tokens"), "no count of its tokens; leave that limit out"),
}
"""By the name of a limit: what a turn has to tell, and what is said where it does not."""


def counted(chat: Chat, limits: Mapping[str, float | None]) -> Chat:
    """Have the endpoints of a client tell what these limits count; what nobody bills need not."""
    if isinstance(chat, PooledChat):
        chat.wrap(lambda one: counted(one, limits))
        return chat
    kept = [name for name in COUNTED if limits.get(name) is not None]
    return CountedChat(chat, kept) if kept and isinstance(chat, BilledChat) else chat


class CountedChat:
    """A `Chat` with one endpoint, whose replies count towards limits."""

    def __init__(self, chat: Chat, limits: list[str]) -> None:
        """Take the names of the limits, some of `COUNTED`."""
        self._chat, self._limits = chat, limits

    @property
    def model(self) -> str:
        """The model's name, as its endpoint knows it."""
        return self._chat.model

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply. Raises EndpointError, also for one that does not tell what a limit counts."""
        turn = await self._chat.reply(request)
        for name in self._limits:
            fields, lacking = COUNTED[name]
            if any(getattr(turn, field) is None for field in fields):
                raise EndpointError("request", f"limits.{name} cannot be kept: a reply came with {lacking}")
        return turn

    async def close(self) -> None:
        """Release all that the client holds."""
        await self._chat.close()
