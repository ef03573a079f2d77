"""Several endpoints of one model behind one client: each request goes where the least is under way."""

import asyncio
import time
from collections import OrderedDict
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

from pydantic import Field, ValidationInfo, field_validator

from eops_traj.errors import InputError
from eops_traj.hashing import canonical_json
from eops_traj.llm.base import Chat, EndpointError, Request
from eops_traj.llm.options import ClientOptions, client_options
from eops_traj.schema import Turn

ELSEWHERE = frozenset({"throttled", "connection", "server"})
"""Failures of one endpoint that another need not share."""

FIRST_REST, LONGEST_REST = 1.0, 60.0
"""Seconds that a failing endpoint is left alone; each failure in a row doubles them."""

SLACK = 4
"""Requests that an episode's own endpoint may have beyond the least loaded, for the sake of its cache."""

EPISODES = 20_000
"""Episodes whose endpoint is remembered."""


@dataclass(eq=False)
class _Endpoint:
    """One endpoint: its requests under way, and the time until which it is left alone."""

    chat: Chat
    under_way: int = 0
    asked: int = 0
    rests_until: float = field(default=0.0)
    rest: float = FIRST_REST

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply, counted while it is under way."""
        self.under_way += 1
        self.asked += 1
        try:
            turn = await self.chat.reply(request)
        except EndpointError as error:
            if error.kind in ELSEWHERE:
                self.rests_until = time.monotonic() + (error.retry_after or self.rest)
                self.rest = min(LONGEST_REST, self.rest * 2)
            raise
        finally:
            self.under_way -= 1
        self.rest = FIRST_REST
        return turn

    def rank(self, now: float) -> tuple[float, int, int]:
        """Return the order of choice: awake or soonest awake first, then the least loaded, taking turns."""
        return max(0.0, self.rests_until - now), self.under_way, self.asked


class PoolOptions(ClientOptions):
    """Clients of any kinds for one model: two machines' vLLMs and a provider that takes what they cannot."""

    members: Annotated[tuple[dict[str, Any], ...], Field(min_length=1)]
    """The options of each, with its ``kind``; model and sampling are the pool's unless it has its own."""

    @field_validator("members")
    @classmethod
    def _hold(cls, members: tuple[dict[str, Any], ...], info: ValidationInfo) -> tuple[dict[str, Any], ...]:
        shared = {"model": "m", **info.data}
        problems = [problem for n, member in enumerate(members) for problem in _problems(n, shared | member)]
        if problems:
            raise ValueError("; ".join(problems))
        return members

    def open(self) -> "ChatPool":
        """Open the pool. Raises ConfigError, InputError where a member lacks something from outside."""
        return ChatPool([member.open() for member in self._clients()])

    def behaviour(self) -> dict[str, Any]:
        """Return the distinct behaviours of the members: another machine is not another agent."""
        behaviours = {canonical_json(member.behaviour()): member.behaviour() for member in self._clients()}
        return {"model": self.model, "members": [behaviours[key] for key in sorted(behaviours)]}

    def _clients(self) -> list[ClientOptions]:
        shared = {"model": self.model, "sampling": self.sampling}
        return [client_options(shared | member) for member in self.members]


def _problems(number: int, settings: dict[str, Any]) -> list[str]:
    """Return what is wrong with the options of a member."""
    try:
        client_options(settings, f"member {number}")
    except InputError as error:
        return [str(error)]
    return []


class ChatPool:
    """A `Chat` over several. An episode stays where it began, and its prefix is cached, as long as it can."""

    def __init__(self, chats: Sequence[Chat]) -> None:
        self._endpoints = [_Endpoint(chat) for chat in chats]
        self._homes: OrderedDict[str, _Endpoint] = OrderedDict()

    @property
    def model(self) -> str:
        """The model's name, as the endpoints know it."""
        return self._endpoints[0].chat.model

    def wrap(self, around: Callable[[Chat], Chat]) -> None:
        """Put something around the client of each endpoint: a limiter, a counter."""
        for endpoint in self._endpoints:
            endpoint.chat = around(endpoint.chat)

    async def reply(self, request: Request) -> Turn:
        """Ask for one reply. A failing endpoint rests for a while and another is asked, each at most once.

        Raises EndpointError where no endpoint that is awake gives a reply.
        """
        left = list(self._endpoints)
        while True:
            endpoint = self._chosen(request.episode, left)
            left.remove(endpoint)
            try:
                return await endpoint.reply(request)
            except EndpointError as error:
                now = time.monotonic()
                awake = [other for other in left if other.rests_until <= now]
                if error.kind not in ELSEWHERE or not awake:
                    raise
                left = awake

    async def close(self) -> None:
        """Close them all, each whatever becomes of the others."""
        closing = (endpoint.chat.close() for endpoint in self._endpoints)
        failed = [e for e in await asyncio.gather(*closing, return_exceptions=True) if e is not None]
        if failed:
            raise failed[0]

    def _chosen(self, episode: str, among: Sequence[_Endpoint]) -> _Endpoint:
        """Choose the endpoint for an episode's request: its own, unless that rests or has much more to do."""
        now = time.monotonic()
        best = min(among, key=lambda endpoint: endpoint.rank(now))
        home = self._homes.get(episode)
        if home and home in among and home.rests_until <= now and home.under_way <= best.under_way + SLACK:
            return home
        if episode:
            self._homes[episode] = best
            self._homes.move_to_end(episode)
            if len(self._homes) > EPISODES:
                self._homes.popitem(last=False)
        return best
