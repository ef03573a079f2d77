"""Calls from outside: one at a time, each a turn, until something ends the attempt."""

import asyncio
from collections.abc import Awaitable, Callable
from typing import Any

import pytest

from eops_traj.collect.orchestrator import LimitReached
from eops_traj.collect.session_calls import SessionCalls, SessionOver
from eops_traj.errors import SandboxError
from eops_traj.schema import Turn
from tests.collect.case_tasks import LOOK_UP, task
from tests.collectors.scripted_context import ScriptedContext


def working(work: Callable[[SessionCalls], Awaitable[Any]], turns: int = 50) -> ScriptedContext:
    """The attempt after work on its calls."""
    context = ScriptedContext(task(), turns=turns)

    async def go() -> None:
        await work(SessionCalls(context))

    asyncio.run(go())
    return context


def test_calls_at_once_are_turns_one_after_the_other() -> None:
    async def work(calls: SessionCalls) -> None:
        done = await asyncio.gather(*(calls.call(LOOK_UP, {"case_id": n}) for n in range(1, 6)))
        assert [call.id for call in done] == [f"call_{n}" for n in range(1, 6)]

    context = working(work)
    assert [turn.tool_calls[0].arguments for turn in context.turns] == [
        f'{{"case_id":{n}}}' for n in range(1, 6)
    ]


def test_a_caller_who_leaves_does_not_undo_the_call(monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(calls: SessionCalls) -> None:
        begun, gone, run_calls = asyncio.Event(), asyncio.Event(), calls.context.run_calls

        async def slow(turn: Turn) -> None:
            begun.set()
            await gone.wait()
            await run_calls(turn)

        monkeypatch.setattr(calls.context, "run_calls", slow)
        calling = asyncio.create_task(calls.call("update_case", {"case_id": 5, "reopen_count": 9}))
        await begun.wait()
        calling.cancel()
        gone.set()
        await calls.close()
        assert calling.cancelled()

    [turn] = working(work).turns
    assert turn.tool_calls[0].changes


def test_a_limit_ends_it_and_no_call_comes_after() -> None:
    async def work(calls: SessionCalls) -> None:
        await calls.call(LOOK_UP, {"case_id": 1})
        for message in ("max_turns", "this session is over"):
            with pytest.raises(SessionOver, match=message):
                await calls.call(LOOK_UP, {"case_id": 2})
        with pytest.raises(LimitReached):
            calls.ended.result()

    assert len(working(work, turns=1).turns) == 1


@pytest.mark.parametrize("error", [SandboxError("gone"), RuntimeError("a bug")])
def test_whatever_fails_ends_it(error: Exception, monkeypatch: pytest.MonkeyPatch) -> None:
    async def work(calls: SessionCalls) -> None:
        async def fail(*_: object, **__: object) -> None:
            raise error

        monkeypatch.setattr(calls.context, "run_calls", fail)
        with pytest.raises(SessionOver):
            await calls.call(LOOK_UP, {"case_id": 1})
        assert calls.ended.exception() is error

    working(work)


def test_what_json_cannot_hold_never_reaches_a_tool() -> None:
    async def work(calls: SessionCalls) -> None:
        told = await calls.call("update_case", {"case_id": 5, "reopen_count": float("nan")})
        assert told.is_error and "nothing was called" in str(told.result)

    [turn] = working(work).turns
    assert turn.tool_calls[0].raw == '{"case_id": 5, "reopen_count": NaN}'


def test_after_the_end_nothing_is_taken() -> None:
    async def work(calls: SessionCalls) -> None:
        await calls.close()
        with pytest.raises(SessionOver):
            await calls.call(LOOK_UP, {"case_id": 1})

    assert working(work).turns == []
