"""The calls of an agent that is no orchestrator of ours: it comes from outside, and each call is recorded."""

import asyncio
import json
from collections.abc import Coroutine, Mapping
from typing import Any

from eops_traj.collect.orchestrator import AgentContext
from eops_traj.errors import EopsError
from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, ToolCall, Turn


class SessionOver(EopsError):
    """The attempt that a call belongs to has ended."""


class SessionCalls:
    """An attempt's tools for an agent from outside: one call runs at a time, each is a turn of its own.

    ``ended`` is done with the first error that ends the attempt: a limit, a sandbox that failed.
    """

    def __init__(self, context: AgentContext) -> None:
        """Take the attempt; made in the event loop in which it is worked."""
        self.context = context
        self.ended: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._turn = asyncio.Lock()
        self._running: set[asyncio.Task[ToolCall]] = set()
        self._closed = False

    @property
    def listing(self) -> list[dict[str, Any]]:
        """The tools shown, as MCP lists them."""
        return [dict(tool) for tool in self.context.listing]

    async def call(self, name: str, arguments: Mapping[str, Any]) -> ToolCall:
        """Run a call, and return it with its result. A caller who leaves does not undo it.

        Raises SessionOver where the attempt has ended, or ends by this call.
        """
        return await asyncio.shield(self._start(self._call(name, arguments)))

    async def close(self) -> None:
        """Take no more calls, and wait for the one that runs."""
        self._closed = True
        await asyncio.gather(*self._running, return_exceptions=True)

    def _start(self, call: Coroutine[Any, Any, ToolCall]) -> "asyncio.Task[ToolCall]":
        task = asyncio.ensure_future(call)
        self._running.add(task)
        task.add_done_callback(self._settle)
        return task

    def _settle(self, task: "asyncio.Task[ToolCall]") -> None:
        """Let go of a call; of one whose caller has left nobody else asks how it ended."""
        self._running.discard(task)
        if not task.cancelled():
            task.exception()

    async def _call(self, name: str, arguments: Mapping[str, Any]) -> ToolCall:
        async with self._turn:
            if self._closed or self.ended.done():
                raise SessionOver("this session is over")
            call_id = f"call_{len(self.context.turns) + 1}"
            turn = Turn(text="", tool_calls=(_recorded(call_id, name, arguments),))
            try:
                self.context.record(turn)
                await self.context.run_calls(turn)
            except Exception as error:  # noqa: BLE001 - whatever it is, the attempt ends with it, and says so
                self.ended.set_exception(error)
                raise SessionOver(f"this session is over: {error}") from None
            return self.context.turns[-1].tool_calls[0]


def _recorded(call_id: str, name: str, arguments: Mapping[str, Any]) -> ToolCall:
    """Return a call as it is recorded; arguments that JSON cannot hold (NaN) never reach a tool."""
    try:
        return ToolCall(id=call_id, name=name, arguments=Json(canonical_json(dict(arguments))))
    except ValueError:
        return ToolCall(id=call_id, name=name, arguments=Json("{}"), raw=json.dumps(dict(arguments)))
