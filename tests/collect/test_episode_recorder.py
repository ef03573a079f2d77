"""The recorder of an attempt keeps its limits to the last unit, and what each call and server came to."""

import asyncio
import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from eops_traj.collect import episode_recorder
from eops_traj.collect.attempt import _open_environment
from eops_traj.collect.episode_recorder import EpisodeRecorder, Limits
from eops_traj.collect.orchestrator import LimitReached, UnknownToolCalled
from eops_traj.collectors.clients.scripted import ScriptedChat
from eops_traj.errors import SandboxError
from eops_traj.protocol import BENCHMARK, ROBUST, RunProtocol
from eops_traj.sandbox.session import RpcFailure, ToolResult
from eops_traj.schema import ToolCall, Turn
from tests.collect.attempts import CHANGE, scripted_run, turn
from tests.collect.case_tasks import LOOK_UP, SERVER, task

Make = Callable[..., EpisodeRecorder]
USED = Turn(text="x", input_tokens=7, output_tokens=4, cost=0.5, latency_ms=250.0)
UNKNOWN = Turn(text="x")


@pytest.fixture
def make() -> Iterator[Make]:
    """A function that makes a recorder of the task of case 5, by its protocol and limits."""
    made: list[EpisodeRecorder] = []

    def recorder(
        protocol: RunProtocol = ROBUST, limits: Limits | None = None, **fields: Any
    ) -> EpisodeRecorder:
        context = scripted_run(protocol=protocol, **fields)
        environment = _open_environment(task(), context)
        made.append(EpisodeRecorder(task(), 1, environment, context.models, limits or Limits(),
                                    context.seeds, protocol))  # fmt: skip
        return made[-1]

    yield recorder
    for one in made:
        one.environment.session.close()


def run(recorder: EpisodeRecorder, **calls: dict[str, Any] | str) -> ToolCall:
    """Record a turn with a call and run it; return the call as it is recorded."""
    asked = turn(**calls)
    recorder.record(asked)
    asyncio.run(recorder.run_calls(asked))
    return recorder.turns[-1].tool_calls[-1]


@pytest.mark.parametrize(
    ("limits", "reason"),
    [
        (Limits(turns=2), "max_turns"),
        (Limits(tokens=22), "max_tokens"),
        (Limits(cost=1.0), "max_cost"),
    ],
)
def test_a_limit_is_reached_by_what_it_allows_and_not_before(make: Make, limits: Limits, reason: str) -> None:
    recorder = make(limits=limits)
    recorder.record(USED)
    recorder.record(USED)
    with pytest.raises(LimitReached) as reached:
        recorder.record(UNKNOWN)
    assert reached.value.reason == reason and len(recorder.turns) == 2


def test_calls_of_the_last_turn_that_is_allowed_are_run(make: Make) -> None:
    recorder = make(limits=Limits(turns=1))
    assert run(recorder, update_case=CHANGE).changes
    with pytest.raises(LimitReached, match="max_turns"):
        asyncio.run(recorder.ask([]))


def test_turns_beside_the_conversation_take_none_of_those_that_are_allowed(make: Make) -> None:
    recorder = make(limits=Limits(turns=2), models={"executor": ScriptedChat(lambda request: UNKNOWN)})
    for beside in (True, False, True, False):
        asyncio.run(recorder.ask([], beside=beside))
    with pytest.raises(LimitReached, match="max_turns"):
        asyncio.run(recorder.ask([]))
    assert len(recorder.turns) == 4


@pytest.mark.parametrize("lacking", ["input_tokens", "output_tokens", "cost"])
def test_what_is_not_known_of_a_turn_counts_as_nothing(make: Make, lacking: str) -> None:
    known = {"input_tokens": 0, "output_tokens": 0, "cost": 0.0}
    for limits, reason in ((Limits(tokens=22), "max_tokens"), (Limits(cost=1.0), "max_cost")):
        recorder = make(limits=limits)
        for one in (USED, replace(USED, **{**known, lacking: None}), USED):
            recorder.record(one)
        with pytest.raises(LimitReached, match=reason):
            recorder.record(UNKNOWN)
    recorder = make(limits=Limits(tokens=1, cost=0.01))
    for _ in range(3):
        recorder.record(replace(USED, **{**known, lacking: None}))


def test_without_a_word_on_it_an_attempt_has_fifty_turns() -> None:
    assert Limits() == Limits(turns=50, tokens=None, cost=None, seconds=None)


def test_seconds_are_those_of_replies_calls_and_work_on_forks(
    make: Make, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = iter(range(10, 1000, 2))  # two seconds go by from one look at it to the next
    monkeypatch.setattr(episode_recorder, "time", SimpleNamespace(monotonic=lambda: next(clock)))
    replies = iter([USED, UNKNOWN])  # how long the second took is not known
    models = {"executor": ScriptedChat(lambda request: next(replies))}
    recorder = make(limits=Limits(seconds=6.5), models=models)
    asyncio.run(recorder.ask([]))
    asyncio.run(recorder.ask([]))
    assert recorder.seconds == 0.25
    assert run(recorder, **{LOOK_UP: {"case_id": 5}}).latency_ms == 2000
    assert asyncio.run(recorder.on_fork(lambda fork: len(fork.list_tools()))) > 0
    assert recorder.seconds == 4.25
    run(recorder, **{LOOK_UP: {"case_id": 5}})
    recorder.seconds = 6.5
    with pytest.raises(LimitReached, match="timeout"):
        recorder.record(UNKNOWN)


def test_what_a_fork_does_is_not_kept(make: Make) -> None:
    recorder = make()
    asyncio.run(recorder.on_fork(lambda fork: fork.call_tool("update_case", CHANGE)))
    assert recorder.environment.session.changes().get(SERVER, b"") == b"" and not recorder.turns


def test_turns_that_are_told_anew_are_nobodys(make: Make) -> None:
    recorder = make()
    asyncio.run(recorder.ask([]))
    recorder.retell([USED, UNKNOWN, USED])
    assert recorder.turns == [USED, UNKNOWN, USED] and recorder.roles == ["none"] * 3


def test_a_seed_fits_into_31_bits_and_only_roles_with_one_get_any(make: Make) -> None:
    recorder = make(seeds={"executor": 3})
    found = []
    for _ in range(64):
        found.append(recorder._sampling("executor")["seed"])
        recorder.turns.append(UNKNOWN)
    assert 2**30 < max(found) < 2**31 and len(set(found)) == 64
    assert recorder._sampling("planner") == {}


HIDDEN = "list_user_groups"
"""A tool that the server lists and the task does not show."""


@pytest.mark.parametrize(
    ("protocol", "tool", "comes_to"),
    [
        (ROBUST, HIDDEN, "unknown"),
        (ROBUST, "fly", "unknown"),
        (BENCHMARK, HIDDEN, "run"),
        (BENCHMARK, "fly", "ended"),
        (replace(ROBUST, unknown_tool_fails=True), HIDDEN, "unknown"),
        (replace(ROBUST, unknown_tool_fails=True), "fly", "ended"),
        (replace(ROBUST, hidden_tools_run=True), HIDDEN, "run"),
        (replace(ROBUST, hidden_tools_run=True), "fly", "unknown"),
    ],
)
def test_a_tool_that_is_not_shown_is_run_unknown_or_the_end(
    make: Make, protocol: RunProtocol, tool: str, comes_to: str
) -> None:
    recorder = make(protocol)
    if comes_to == "ended":
        with pytest.raises(UnknownToolCalled, match="called fly, a tool that no server lists"):
            run(recorder, **{tool: {}})
        return
    call = run(recorder, **{tool: {}})
    assert (call.result == f"Unknown tool: {tool}") is (comes_to == "unknown")
    assert (call.server == SERVER) is (comes_to == "run")


@pytest.mark.parametrize(
    ("arguments", "problem"),
    [
        ('{"case_id": NaN}', "not JSON (expected value at line 1 column 13)"),
        ('{"case_id": 5, "case_id": 6}', "not clear: the key 'case_id' stands there twice"),
        ("[5]", "not a JSON object"),
    ],
)
def test_why_arguments_could_not_be_read_is_told(make: Make, arguments: str, problem: str) -> None:
    call = run(make(), update_case=arguments)
    assert call.is_error and call.result == f"The arguments of update_case are {problem}; nothing was called."


@pytest.mark.parametrize(
    ("error", "envelope"),
    [
        (SandboxError("it burns"), {"success": False, "error": "it burns"}),
        (RpcFailure("no such"), {"success": True, "result": None, "error": {"message": "no such"}}),
    ],
)
def test_a_server_that_fails_ends_the_run_or_is_shown(
    make: Make, error: SandboxError, envelope: dict[str, Any]
) -> None:
    def fail(*_: object) -> ToolResult:
        raise error

    for protocol in (ROBUST, BENCHMARK):
        recorder = make(protocol)
        recorder.environment.session.call_tool = fail  # type: ignore[method-assign, assignment]
        if protocol is ROBUST:
            with pytest.raises(SandboxError, match=str(error)):
                run(recorder, update_case=CHANGE)
            continue
        call = run(recorder, update_case=CHANGE)
        assert json.loads(str(call.envelope)) == envelope
        assert (call.error, call.server, call.result) == (str(error), SERVER, None)


TEXT = {"type": "text", "text": "h\u00e9"}


@pytest.mark.parametrize(
    ("content", "kept"),
    [
        ([TEXT], [{"type": "text", "text": None}]),
        ([TEXT, TEXT], [TEXT, TEXT]),
        ([{"type": "image", "data": "x"}], [{"type": "image", "data": "x"}]),
        (None, []),
    ],
)
def test_the_reply_around_the_text_is_kept_and_as_it_was_sent_where_the_model_is_shown_it(
    make: Make, content: Any, kept: Any
) -> None:
    result = ToolResult(
        "hi", False, {"content": content, "isError": False}, sent={"isError": False, "content": content}
    )
    for protocol, in_order in ((ROBUST, ["content", "isError"]), (BENCHMARK, ["isError", "content"])):
        recorder = make(protocol)
        recorder.environment.session.call_tool = lambda *_: result  # type: ignore[method-assign]
        envelope = json.loads(str(run(recorder, update_case=CHANGE).envelope))
        assert envelope["result"]["content"] == kept and (envelope["success"], envelope["error"]) == (
            True,
            None,
        )
        assert list(envelope["result"]) == in_order


def test_where_the_reply_was_not_sent_otherwise_it_is_as_it_stands(make: Make) -> None:
    recorder, result = make(BENCHMARK), ToolResult("h\u00e9", False, {"content": [TEXT, TEXT]})
    recorder.environment.session.call_tool = lambda *_: result  # type: ignore[method-assign]
    envelope = str(run(recorder, update_case=CHANGE).envelope)
    assert envelope.count("h\u00e9") == 2 and json.loads(envelope)["result"] == {"content": [TEXT, TEXT]}
