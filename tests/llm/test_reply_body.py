"""The body of a reply is typed: what real servers send is taken, what cannot be is refused with its field."""

from typing import Any

import pytest

from eops_traj.errors import FormatError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.openai_wire import read_turn
from eops_traj.llm.reply_body import parse_reply_body
from tests.endpoint import completion


def with_usage(**usage: Any) -> dict[str, Any]:
    """Return a reply that counts like this."""
    return {**completion("Hi."), "usage": usage}


def with_choice(**fields: Any) -> dict[str, Any]:
    """Return a reply whose choice has these fields."""
    reply = completion("Hi.")
    return {**reply, "choices": [{**reply["choices"][0], **fields}]}


def with_message(**fields: Any) -> dict[str, Any]:
    """Return a reply whose message has these fields."""
    return with_choice(message={"role": "assistant", "content": "Hi.", **fields})


@pytest.mark.parametrize(
    "body",
    [
        {"choices": [{"message": {"content": "Hi."}}]},
        {"choices": [{"message": {"content": None, "tool_calls": None}, "logprobs": None}], "usage": None},
        with_usage(prompt_tokens=12.0, prompt_tokens_details=None, completion_tokens=None),
        with_usage(cost={"total_cost": 0.5}),
        with_usage(cost={"input_tokens_cost": 0.5}),
        with_choice(logprobs={"tokens": ["a"], "token_logprobs": [-1]}),
        with_choice(logprobs={"content": [{"token": "a", "logprob": -1}]}),
        with_message(reasoning={"summary": []}),
        with_message(content=[{"type": "text", "text": "a"}, "b"]),
        with_message(tool_calls=[{"id": 5, "function": {"name": "f"}}]),
        with_message(function_call={"name": "f", "arguments": {"a": 1}}),
    ],
)
def test_what_servers_send_is_taken(body: dict[str, Any]) -> None:
    parse_reply_body(body)
    read_turn(body, Request([]), latency_ms=1.0)


@pytest.mark.parametrize(
    ("body", "field"),
    [
        (with_usage(prompt_tokens=2**63), "usage.prompt_tokens"),
        (with_usage(prompt_tokens=-1), "usage.prompt_tokens"),
        (with_usage(completion_tokens=True), "usage.completion_tokens"),
        (with_usage(completion_tokens="12"), "usage.completion_tokens"),
        (with_usage(completion_tokens=1.5), "usage.completion_tokens"),
        (with_usage(cost=float("nan")), "usage.cost"),
        (with_usage(cost=float("inf")), "usage.cost"),
        (with_usage(cost={"total_cost": True}), "usage.cost"),
        (
            with_usage(prompt_tokens_details={"cached_tokens": []}),
            "usage.prompt_tokens_details.cached_tokens",
        ),
        ({**completion("Hi."), "usage": [1]}, "usage"),
        (with_choice(finish_reason=["stop"]), "choices.0.finish_reason"),
        (with_choice(token_ids=[1, True]), "choices.0.token_ids.1"),
        (with_choice(logprobs={"content": [{"logprob": "x"}]}), "choices.0.logprobs.content.0.logprob"),
        (with_message(content=5), "choices.0.message.content"),
        (with_message(tool_calls={"name": "f"}), "choices.0.message.tool_calls"),
        (with_message(tool_calls=[{"function": {"name": ["f"]}}]), "tool_calls.0.function.name"),
        ({**completion("Hi."), "prompt_token_ids": [2**63]}, "prompt_token_ids.0"),
        ({"choices": []}, "choices"),
        ([], "the body"),
    ],
)
def test_what_cannot_be_is_refused_with_its_field(body: Any, field: str) -> None:
    with pytest.raises(FormatError, match=field):
        parse_reply_body(body)
    with pytest.raises(EndpointError, match=f"garbled: no reply in the response: .*{field}") as caught:
        read_turn(body, Request([]), latency_ms=1.0)
    assert "\n" not in str(caught.value)


@pytest.mark.parametrize(
    ("error", "failure"),
    [
        ({"code": 502, "message": "Provider disconnected"}, "server: HTTP 502: Provider disconnected"),
        ({"code": 429, "message": "slow down"}, "throttled: HTTP 429: slow down"),
        (None, "server: HTTP 500: the reply was broken off by an error"),
    ],
)
def test_a_reply_that_an_endpoint_broke_off_is_its_failure_and_no_reply(error: Any, failure: str) -> None:
    broken = with_choice(finish_reason="error", error=error, message={"content": "I have mov"})
    with pytest.raises(EndpointError, match=failure):
        read_turn(broken, Request([]), latency_ms=1.0)
    as_the_harness_reads = Request([], text_is_answer=True)
    assert read_turn(broken, as_the_harness_reads, latency_ms=1.0).text == "I have mov"


def test_the_sum_of_the_largest_counts_has_64_bits() -> None:
    turn = read_turn(with_usage(prompt_tokens=10**12), Request([]), latency_ms=1.0)
    assert turn.input_tokens == 10**12 and 1_000_000 * 10**12 < 2**63
