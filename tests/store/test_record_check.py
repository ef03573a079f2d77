"""A record is held against its own annotations: what Arrow would refuse is named, and nothing else is."""

import time
import timeit
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import FormatError
from eops_traj.schema import Episode, Json, Prompt, Task, ToolCall, Turn
from eops_traj.store.record_check import check_record
from eops_traj.store.store import Store
from tests.episodes import EPISODE, PROMPT, TOOLS


def with_call(**fields: Any) -> Episode:
    """Return an episode whose first call has these fields."""
    first, second = EPISODE.turns
    call = replace(first.tool_calls[0], **fields)
    return replace(EPISODE, turns=(replace(first, tool_calls=(call,)), second))


@pytest.mark.parametrize(
    ("record", "problem"),
    [
        (replace(EPISODE, attempt=True), "Episode attempt: .* integer, not True"),
        (replace(EPISODE, attempt=2**63), "Episode attempt: .* 9223372036854775808"),
        (replace(EPISODE, attempt=10**5000), "Episode attempt: .*too large to show"),
        (replace(EPISODE, cost=float("nan")), "Episode cost: .* finite number, not nan"),
        (replace(EPISODE, cost=float("inf")), "Episode cost: .* finite number, not inf"),
        (replace(EPISODE, cost=2**60 + 1), "Episode cost: .* finite number"),
        (replace(EPISODE, model=None), "Episode model: .* string, not None"),
        (replace(EPISODE, failure_modes=("a", 1)), "Episode failure_modes.1: .* string, not 1"),
        (replace(EPISODE, turns=[]), r"Episode turns: .* tuple, not \[\]"),
        (replace(EPISODE, turns=({"text": ""},)), "Episode turns.0: "),
        (with_call(latency_ms="12"), "Episode turns.0.tool_calls.0.latency_ms: .* not '12'"),
        (with_call(arguments=Json("[1]")), "arguments: .* dictionary"),
        (replace(EPISODE, details=Json("null")), "Episode details: .* dictionary"),
        (with_call(arguments=Json("{")), "Episode turns.0.tool_calls.0.arguments: Invalid JSON"),
        (with_call(arguments=Json('{"a":NaN}')), "arguments.a: .* without NaN"),
        (with_call(arguments=Json("[" * 300 + "]" * 300)), "arguments: .*recursion"),
        (with_call(arguments=Json(f'{{"a":{"9" * 5000}}}')), "arguments: .*out of range"),
        (replace(EPISODE, user_prompt=5), "Episode user_prompt: .* not 5"),
        (replace(PROMPT, text=["x" * 500]), r"Prompt text: .* not \['x+\.\.\.$"),
        (Turn(text="", logprobs=(-0.5, None)), "Turn logprobs.1: "),  # type: ignore[arg-type]
    ],
)
def test_what_does_not_fit_is_named_with_its_value(record: Any, problem: str) -> None:
    with pytest.raises(FormatError, match=problem) as caught:
        check_record(record)
    assert "\n" not in str(caught.value) and len(str(caught.value)) < 250


@pytest.mark.parametrize(
    "record",
    [
        EPISODE,
        PROMPT,
        TOOLS,
        replace(EPISODE, cost=0, duration_ms=3, changeset=b"\0"),
        replace(EPISODE, input_tokens=2**63 - 1, cost=-1.5e300),
        replace(EPISODE, user_prompt="half a pair \ud800 and a NUL \0"),
        with_call(arguments=Json('{"id":123456789012345678901234567890,"b":[true,null,1.5]}')),
        Task(
            task_id="t", domain="d", mode="m", suite="s", system_prompt="", user_prompt="", servers=()
        ),
    ],
)  # fmt: skip
def test_what_a_table_can_hold_passes(record: Any) -> None:
    check_record(record)


def test_a_store_refuses_it_and_keeps_nothing(tmp_path: Path) -> None:
    wrong = replace(EPISODE, episode_id="e1", cost="much")
    with Store.open(tmp_path / "s", create=True) as store:
        with pytest.raises(FormatError, match="Episode cost"):
            store.append([EPISODE, wrong], prompts=[Prompt.of("p")])
        assert len(store.journal) == 0
        assert store.append([EPISODE]) == 1


def test_it_costs_far_less_than_a_millisecond() -> None:
    call = ToolCall(
        id="c", name="n", arguments=Json('{"a":1}'), result="r" * 2000, envelope=Json('{"b":[1]}')
    )
    whole = replace(EPISODE, turns=(Turn(text="t" * 500, tool_calls=(call,)),) * 12)
    took = timeit.repeat(lambda: check_record(whole), timer=time.thread_time, number=20, repeat=5)
    assert min(took) / 20 < 0.001
