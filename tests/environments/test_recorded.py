"""Agents that connect by themselves: each session is an episode, judged like any other, and kept once."""

import asyncio
import json
import signal
import subprocess
import sys
from collections.abc import Awaitable, Callable
from dataclasses import replace
from functools import partial
from pathlib import Path
from typing import Any

import httpx
import pytest
from mcp.client import Client
from mcp.shared.exceptions import MCPError

from eops_traj.collect.episode_recorder import EpisodeRecorder
from eops_traj.collect.session_calls import SessionOver
from eops_traj.collect.writer import EpisodeWriter
from eops_traj.environments import recorded
from eops_traj.environments.recorded import RecordedSessions
from eops_traj.environments.recording import Recording, free_task, serve_recorded
from eops_traj.errors import InputError, SandboxError
from eops_traj.gym import registry
from eops_traj.schema import Episode, Turn
from eops_traj.store.store import Store
from tests.collect.case_tasks import task
from tests.collect.test_writer import RUN
from tests.harness.checkouts import write_small_tasks
from tests.waiting import PATIENCE, eventually

TASKS = (task(5), task(6))


def visited(tmp_path: Path, visit: Callable[[str], Awaitable[Any]], **options: Any) -> list[Episode]:
    """The episodes of a visit to a served gym, whose URL it is told."""
    lines: list[str] = options.pop("lines", [])

    async def go() -> None:
        stop = asyncio.Event()
        recording = Recording(str(tmp_path / "store"), options.pop("tasks", TASKS), port=0, **options)
        serving = asyncio.create_task(serve_recorded(recording, stop, lines.append))
        while not lines:
            await asyncio.sleep(0.01)
            assert not serving.done(), serving.result()
        try:
            await visit(lines[0].rpartition(" ")[2].rstrip("/"))
        finally:
            stop.set()
            await serving

    asyncio.run(go())
    with Store.open(str(tmp_path / "store")) as store:
        return sorted(store.episodes(), key=lambda episode: (episode.task_id, episode.attempt))


async def work(url: str, address: str, case: int, answer: str | None = "It is done.") -> None:
    """Do what the task of a case asks for."""
    async with Client(f"{url}/{address}/mcp") as client:
        assert "final_answer" in {tool.name for tool in (await client.list_tools()).tools}
        await client.call_tool("find_case_slas", {"case_id": case})
        await client.call_tool("update_case", {"case_id": case, "reopen_count": 9})
        if answer is not None:
            told = await client.call_tool("final_answer", {"text": answer})
            assert told.content[0].text == "The answer is recorded."


def test_sessions_at_once_are_attempts_of_their_own(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        await asyncio.gather(
            work(url, "case_005", 5), work(url, "case_005/second", 5), work(url, "case_006", 5)
        )
        await work(url, "case_005", 5)  # the address again: another attempt

    made = visited(tmp_path, visit, agent="mine")
    assert [(e.task_id, e.attempt, e.outcome) for e in made] == [
        ("case_005", 1, "success"),
        ("case_005", 2, "success"),
        ("case_005", 3, "success"),
        ("case_006", 1, "failure"),
    ]
    assert {(e.model, e.orchestrator, e.response, e.stop_reason) for e in made} == {
        ("mine", "connected", "It is done.", "completed")
    }
    assert all(e.changeset and e.tool_calls()[1].changes for e in made)
    again = visited(tmp_path, lambda url: work(url, "case_005", 5), agent="mine")
    assert [e.attempt for e in again if e.task_id == "case_005"] == [1, 2, 3, 4]


def test_without_an_answer_the_session_is_judged_as_it_stands(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        await work(url, "case_005", 5, answer=None)

    [made] = visited(tmp_path, visit)
    assert (made.stop_reason, made.outcome, json.loads(made.details)["ended_by"]) == (
        "timeout", "success", "stopped",
    )  # fmt: skip


def test_an_idle_session_ends_by_itself(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    seconds, lines = [0.0], list[str]()
    timed = partial(RecordedSessions, now=lambda: seconds[0])
    monkeypatch.setattr("eops_traj.environments.recording.RecordedSessions", timed)
    monkeypatch.setattr(recorded, "_SWEEP_SECONDS", 0.05)

    async def visit(url: str) -> None:
        await work(url, "case_005", 5, answer=None)
        seconds[0] = 3.1
        assert await asyncio.to_thread(eventually, lambda: len(lines) > 1)

    [made] = visited(tmp_path, visit, idle_seconds=3, lines=lines)
    assert json.loads(made.details)["ended_by"] == "idle"


def test_who_only_looks_leaves_nothing_and_an_unknown_address_is_refused(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        async with Client(f"{url}/case_005/mcp") as client:
            await client.list_tools()
        body = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
        accept = {"accept": "application/json, text/event-stream"}
        async with httpx.AsyncClient(headers=accept, timeout=PATIENCE) as http:
            refused = await http.post(f"{url}/case_777/mcp", json=body)
            listed = (await http.get(f"{url}/")).json()
        assert refused.json()["error"]["message"] == "no session at this address"
        assert [(one["task_id"], one["mcp_url"]) for one in listed] == [
            (name, f"{url}/{name}/mcp") for name in ("case_005", "case_006")
        ]
        assert listed[0]["user_prompt"] == TASKS[0].user_prompt

    assert visited(tmp_path, visit) == []


def test_an_answer_that_is_no_text_ends_nothing(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        async with Client(f"{url}/case_005/mcp") as client:
            assert (await client.call_tool("final_answer", {"text": 5})).is_error
        await work(url, "case_005", 5)

    [made] = visited(tmp_path, visit)
    assert (made.attempt, made.outcome) == (1, "success")


def test_calls_over_the_limit_end_it(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        with pytest.RaisesGroup(pytest.RaisesExc(MCPError, match="over: max_turns"), flatten_subgroups=True):
            await work(url, "case_005", 5)

    [made] = visited(tmp_path, visit, turns=1)
    assert (made.stop_reason, made.outcome, made.n_steps) == ("max_turns", "failure", 1)


CONNECTIONS = {"initialize": "legacy", "server/discover": "auto"}


@pytest.mark.parametrize("mode", CONNECTIONS.values(), ids=CONNECTIONS)
def test_after_a_limit_all_is_refused_until_a_client_connects_anew(tmp_path: Path, mode: str) -> None:
    lines: list[str] = []

    async def visit(url: str) -> None:
        async with Client(f"{url}/case_005/mcp", mode=mode) as client:
            await client.call_tool("find_case_slas", {"case_id": 5})
            for stored in (False, True):
                while stored and len(lines) < 2:
                    await asyncio.sleep(0.01)
                for name, arguments in (
                    ("find_case_slas", {"case_id": 5}),
                    ("final_answer", {"text": "Done."}),
                ):
                    with pytest.raises(MCPError, match="this session is over: max_turns"):
                        await client.call_tool(name, arguments)
        async with Client(f"{url}/case_005/mcp", mode=mode) as client:
            assert not (await client.call_tool("final_answer", {"text": "No."})).is_error

    made = visited(tmp_path, visit, turns=1, lines=lines)
    assert [(e.attempt, e.stop_reason, e.n_steps, e.response) for e in made] == [
        (1, "max_turns", 1, ""),
        (2, "completed", 0, "No."),
    ]


def test_a_client_that_lists_the_tools_begins_another_attempt(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        async with Client(f"{url}/case_005/mcp", mode="legacy") as client:
            await client.call_tool("find_case_slas", {"case_id": 5})
            with pytest.raises(MCPError, match="this session is over: max_turns"):
                await client.call_tool("find_case_slas", {"case_id": 5})
            await client.list_tools()
            assert not (await client.call_tool("final_answer", {"text": "No."})).is_error

    assert [one.stop_reason for one in visited(tmp_path, visit, turns=1)] == ["max_turns", "completed"]


def in_process(tmp_path: Path, visit: Callable[[RecordedSessions], Awaitable[None]], **options: Any) -> None:
    """Visit sessions of two calls each, which nobody serves."""
    recording = Recording(str(tmp_path / "store"), TASKS, turns=2)

    async def go() -> None:
        with Store.open(recording.store, create=True) as store, EpisodeWriter(store, RUN) as writer:
            sessions = RecordedSessions(TASKS, recording.context(), writer, {}, **options)
            await visit(sessions)
            await sessions.close()

    asyncio.run(go())


async def look_up(sessions: RecordedSessions, address: str, times: int) -> None:
    for _ in range(times):
        session = await sessions.find(address)
        assert session and not (await session.call("find_case_slas", {"case_id": 5})).is_error


async def until_stored(sessions: RecordedSessions) -> None:
    await asyncio.gather(*sessions._works)


def test_the_tools_listed_again_begin_another_attempt_whether_the_last_is_stored_or_not(
    tmp_path: Path,
) -> None:
    async def visit(sessions: RecordedSessions) -> None:
        for stored in (False, True):
            with pytest.raises(SessionOver, match="max_turns"):
                await look_up(sessions, "case_005", 3)
            if stored:
                await until_stored(sessions)
            sessions.connected("case_005")
            await look_up(sessions, "case_005", 1)
            sessions.connected("case_005")  # of one under way nothing changes
            with pytest.raises(SessionOver, match="max_turns"):
                await look_up(sessions, "case_005", 2)
            sessions.connected("case_005")

    in_process(tmp_path, visit)
    with Store.open(str(tmp_path / "store")) as store:
        assert sorted((e.attempt, e.n_steps) for e in store.episodes()) == [(n, 2) for n in (1, 2, 3, 4)]


def test_an_error_ends_the_sessions_at_its_address_and_no_others(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def lost(recorder: EpisodeRecorder, turn: Turn) -> None:
        raise SandboxError("csm: it is gone")

    async def visit(sessions: RecordedSessions) -> None:
        with monkeypatch.context() as patched:
            patched.setattr(EpisodeRecorder, "run_calls", lost)
            with pytest.raises(SessionOver, match="over: csm: it is gone"):
                await look_up(sessions, "case_005", 1)
        await until_stored(sessions)
        await look_up(sessions, "case_005/second", 1)
        with pytest.raises(SessionOver, match="over: csm: it is gone"):
            await sessions.find("case_005")

    in_process(tmp_path, visit)


def test_the_ends_that_are_known_are_bounded(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "ENDS", 2)

    async def visit(sessions: RecordedSessions) -> None:
        for name in ("case_005/first", "case_005/second", "case_006"):
            with pytest.raises(SessionOver):
                await look_up(sessions, name, 3)
            await until_stored(sessions)
        assert sessions._ends == dict.fromkeys(("case_005/second", "case_006"), "max_turns")
        await look_up(sessions, "case_005/first", 1)

    in_process(tmp_path, visit)


def test_of_who_only_looked_no_end_is_known(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(recorded, "_SWEEP_SECONDS", 0.01)
    seconds = [0.0]

    async def visit(sessions: RecordedSessions) -> None:
        sweeping = asyncio.create_task(sessions.keep_bounds())
        await sessions.find("case_005")
        await look_up(sessions, "case_006", 1)
        seconds[0] = 4.0
        while sessions._visits:
            await asyncio.sleep(0.01)
        sweeping.cancel()
        await look_up(sessions, "case_005", 1)
        with pytest.raises(SessionOver, match="this session is over: idle"):
            await sessions.find("case_006")

    in_process(tmp_path, visit, idle_seconds=3.0, now=lambda: seconds[0])


def test_an_answer_after_as_many_calls_as_there_may_be_is_kept(tmp_path: Path) -> None:
    [made] = visited(tmp_path, lambda url: work(url, "case_005", 5), turns=2)
    assert (made.stop_reason, made.outcome, made.n_steps) == ("completed", "success", 2)


def test_a_second_server_may_record_another_agent_in_a_store_but_not_the_same(tmp_path: Path) -> None:
    async def visit(url: str) -> None:
        stop = asyncio.Event()
        stop.set()
        first = Recording(str(tmp_path / "store"), TASKS, port=0, agent="mine")
        with pytest.raises(InputError, match=r"another server records 'mine' in .*store; choose another"):
            await serve_recorded(first, stop)
        await serve_recorded(replace(first, agent="yours"), stop)
        await work(url, "case_005", 5)

    assert [one.model for one in visited(tmp_path, visit, agent="mine")] == ["mine"]
    assert len(visited(tmp_path, lambda url: work(url, "case_005", 5), agent="mine")) == 2


def test_an_attempt_whose_number_was_taken_meanwhile_is_kept_under_the_next(tmp_path: Path) -> None:
    lines: list[str] = []
    taken = visited(tmp_path / "elsewhere", lambda url: work(url, "case_005", 5))

    async def merged(url: str) -> None:
        await work(url, "case_006", 6)
        while len(lines) < 2:  # until it is stored, and the server has looked at the tables
            await asyncio.sleep(0.01)
        with Store.open(str(tmp_path / "store")) as store:
            store.append(taken)
        await work(url, "case_005", 5)

    made = visited(tmp_path, merged, lines=lines)
    assert [(one.task_id, one.attempt) for one in made] == [("case_005", 1), ("case_005", 2), ("case_006", 1)]
    assert made[0] == taken[0] and made[1].changeset and lines[-1] == "case_005: attempt 2, 2 calls, success"


def test_a_server_that_stops_begins_and_takes_nothing_that_it_would_not_keep(tmp_path: Path) -> None:
    recording = Recording(str(tmp_path / "store"), TASKS)

    async def go() -> tuple[int, int]:
        with Store.open(recording.store, create=True) as store, EpisodeWriter(store, RUN) as writer:
            sessions = RecordedSessions(TASKS, recording.context(), writer, {})
            begun = await sessions.find("case_005")
            assert begun and await begun.call("update_case", {"case_id": 5, "reopen_count": 9})
            closing = asyncio.create_task(sessions.close())
            await asyncio.sleep(0)
            with pytest.raises(SessionOver, match="is being stopped"):
                await sessions.find("case_005")
            with pytest.raises(SessionOver, match="too late"):
                await begun.call("final_answer", {"text": "It is done."})
            await closing
            return len(store.journal.keys("episodes")), len(asyncio.all_tasks())

    assert asyncio.run(go()) == (1, 1)


def test_the_gym_alone_is_recorded_and_not_judged(tmp_path: Path) -> None:
    servers = [registry.server("csm"), registry.server("email")]
    [made] = visited(tmp_path, lambda url: work(url, "gym", 5), tasks=(free_task(servers),))
    assert (made.outcome, made.success_strict, made.domain, made.n_steps) == ("unverified", None, "hybrid", 2)
    assert made.changeset and made.response == "It is done." and not made.causes


def test_the_command_serves_and_stores_at_its_end(tmp_path: Path, cli: Callable) -> None:
    write_small_tasks(tmp_path / "tasks", 2)
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "serve", "--record", str(tmp_path / "store")]
    process = subprocess.Popen(
        [*command, "--tasks", str(tmp_path / "tasks"), "--port", "0"], stderr=subprocess.PIPE, text=True
    )
    assert process.stderr
    line = process.stderr.readline()
    asyncio.run(work(line.split()[-1].rstrip("/"), "case_001", 1))
    process.send_signal(signal.SIGINT)
    assert process.wait(120) == 0 and "case_001: attempt 1, 2 calls, success" in process.stderr.read()
    with Store.open(str(tmp_path / "store")) as store:
        assert [episode.outcome for episode in store.episodes()] == ["success"]


@pytest.mark.parametrize(
    "options",
    [
        [],
        ["--all", "--tasks", "x"],
        ["--tasks", "no/such/folder"],
        ["--all", "--user", "u"],
        ["--all", "--max-memory", "1"],
        ["--all", "--call-seconds", "1"],
        ["--all", "--quirk", "q"],
    ],
)
def test_what_cannot_be_served_is_one_line(options: list[str], tmp_path: Path, cli: Callable) -> None:
    ran = cli("gym", "serve", "--record", tmp_path / "store", *options)
    assert ran.code == 2 and len(ran.err.splitlines()) == 1 and not (tmp_path / "store").exists()
