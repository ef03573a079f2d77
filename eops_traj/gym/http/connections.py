"""Connections that cannot be held: a request arrives, and an answer is taken, within a time.

uvicorn waits for ever for the rest of a request, and holds any number of connections. Here every request has
to be whole `Bounds.seconds` after its first byte, a client has to take some of its answer in every such
span, and heads have a greatest length. Where connections or bodies become too many, those go that have
waited longest or sent most; none of them has been worked on yet. Where answers that are not taken become too
many, the largest goes, and no client has a further request worked on before it has taken the last answer.
"""

import asyncio
import logging
import resource
from dataclasses import dataclass, field
from functools import partial
from typing import Any

from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol, RequestResponseCycle

SECONDS = 30.0
"""How long a request may take to arrive."""
HEAD_BYTES = 64 * 1024
"""The size limit of a request's line and headers."""
_SPARE_FILES = 128  # for all that is not a connection
_log = logging.getLogger(__name__)


@dataclass
class Bounds:
    """What all connections of a process may hold together."""

    connections: int = 4096
    body_bytes: int = 128 * 1024 * 1024
    answer_bytes: int = 256 * 1024 * 1024
    seconds: float = SECONDS
    waiting: dict["Connection", None] = field(default_factory=dict)
    """Those of which no request is being worked on, the longest waiting first."""
    bodies: dict["Connection", int] = field(default_factory=dict)
    """The bytes of body that each holds, until its answer is sent."""
    body_total: int = 0
    untaken: dict["Connection", None] = field(default_factory=dict)
    """Those whose client has not taken all of an answer."""

    def admit(self, connection: "Connection", open_now: int) -> None:
        """Count a connection as waiting; drop the one that waits longest where there are too many."""
        self.waiting[connection] = None
        if open_now > self.connections:
            next(iter(self.waiting)).drop("too many connections")

    def add(self, connection: "Connection", size: int) -> None:
        """Count bytes of a body; drop the largest that is not whole yet where they are too many."""
        self.bodies[connection] = self.bodies.get(connection, 0) + size
        self.body_total += size
        if self.body_total > self.body_bytes:
            arriving = [c for c in self.bodies if c in self.waiting]
            max(arriving, key=self.bodies.__getitem__).drop("too many bytes of bodies")

    def hold(self, connection: "Connection") -> None:
        """Count an answer that is not taken; drop the largest where they are too many bytes."""
        self.untaken[connection] = None
        left = {c: c.transport.get_write_buffer_size() for c in self.untaken}
        if sum(left.values()) > self.answer_bytes:
            max(left, key=left.__getitem__).drop("too many bytes of answers")

    def forget(self, connection: "Connection") -> None:
        """Count a connection no more, as its request is answered or it is closed."""
        self.waiting.pop(connection, None)
        self.body_total -= self.bodies.pop(connection, 0)


def allow_open_files(most: int = 4096) -> int:
    """Raise the limit of open files as far as this process may; return how many connections fit in it."""
    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    wanted = most + _SPARE_FILES if hard == resource.RLIM_INFINITY else min(most + _SPARE_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < wanted:
        resource.setrlimit(resource.RLIMIT_NOFILE, (wanted, hard))
        soft = wanted
    return most if soft == resource.RLIM_INFINITY else max(16, min(most, soft - _SPARE_FILES))


class Connection(HttpToolsProtocol):
    """uvicorn's connection with a parser in C, within the bounds of the class (see `within`)."""

    bounds: Bounds
    _deadline: asyncio.TimerHandle | None = None
    _stalled: asyncio.TimerHandle | None = None
    _beside_body = 0
    _answering: RequestResponseCycle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._await_request()
        self.bounds.admit(self, len(self.connections))

    def connection_lost(self, exc: Exception | None) -> None:
        """Stop every clock, and tell the request that is being answered."""
        self._leave()
        self.bounds.forget(self)
        self.bounds.untaken.pop(self, None)
        self._deadline = _cancelled(self._deadline)
        self._stalled = _cancelled(self._stalled)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Read on; a head, or what surrounds the parts of a body, has a greatest length."""
        if self.cycle is None or self.cycle.response_complete:
            self._await_request()
        self._beside_body += len(data)
        super().data_received(data)
        if self._beside_body > HEAD_BYTES:
            self.drop("a head that is too long")

    def on_body(self, body: bytes) -> None:
        """Count a part of a body."""
        self._beside_body = 0
        if not self.cycle.response_complete:
            self.bounds.add(self, len(body))
        super().on_body(body)

    def on_message_complete(self) -> None:
        """Stop the clock: the request is whole."""
        self._beside_body = 0
        self._deadline = _cancelled(self._deadline)
        self.bounds.waiting.pop(self, None)
        super().on_message_complete()

    def on_response_complete(self) -> None:
        """Forget the body; without a further request this is one of those that wait."""
        self.bounds.forget(self)
        if not self.pipeline:
            self.bounds.waiting[self] = None
        super().on_response_complete()

    def pause_writing(self) -> None:
        """Begin to wait for the client to take what was sent."""
        super().pause_writing()
        self._await_taking()
        self.bounds.hold(self)

    def resume_writing(self) -> None:
        """Stop waiting: most of it is taken."""
        self._stalled = _cancelled(self._stalled)
        self.bounds.untaken.pop(self, None)
        super().resume_writing()

    def timeout_keep_alive_handler(self) -> None:
        """Close an idle connection, whether or not the client took all of the last answer."""
        self.drop("idle")

    def drop(self, reason: str) -> None:
        """End the connection at once, whatever is under way."""
        _log.info("dropped the connection of %s: %s", self.client, reason)
        self._leave()
        self.bounds.forget(self)
        self.bounds.untaken.pop(self, None)
        self.transport.abort()

    def _leave(self) -> None:
        """Tell the request that is being answered that its client is gone.

        uvicorn tells only the last one that arrived; of several on one connection that is not the one at
        work, and its answer would be written to a closed socket.
        """
        if self._answering is not None:
            self._answering.disconnected = True
            self._answering.message_event.set()

    def _start_asgi_task(self, cycle: RequestResponseCycle, app: Any) -> None:
        self._answering = cycle
        super()._start_asgi_task(cycle, partial(self._once_taken, app))

    async def _once_taken(self, app: Any, *request: Any) -> None:
        await self.flow.drain()
        await app(*request)

    def _await_request(self) -> None:
        if self._deadline is None:
            self._deadline = self.loop.call_later(
                self.bounds.seconds, self.drop, "its request did not arrive"
            )

    def _await_taking(self, left: int | None = None) -> None:
        """Drop the connection unless, each time this comes again, less of the answer is left than before."""
        now_left = self.transport.get_write_buffer_size()
        if left is not None and now_left >= left:
            return self.drop("its answer is not taken")
        self._stalled = self.loop.call_later(self.bounds.seconds, self._await_taking, now_left)
        return None


def within(bounds: Bounds) -> type[Connection]:
    """Return the class of connections that share these bounds."""
    return type("Connection", (Connection,), {"bounds": bounds})


def _cancelled(timer: asyncio.TimerHandle | None) -> asyncio.TimerHandle | None:
    """Cancel a timer, and return that there is none."""
    if timer is not None:
        timer.cancel()
    return None
