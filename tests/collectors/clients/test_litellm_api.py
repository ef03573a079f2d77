"""litellm against real HTTP servers, one that speaks OpenAI's API and one that speaks Anthropic's."""

import asyncio
import json
import os
import time
from dataclasses import replace
from typing import Any

import pytest

from eops_traj.collectors.clients.litellm_api import load_litellm
from eops_traj.errors import ConfigError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.options import client_options
from eops_traj.messages import reply_message
from eops_traj.plan import PlanBeginnings
from eops_traj.schema import Turn
from tests.endpoint import Answer, ReceivedRequest, completion, endpoint
from tests.waiting import eventually

CLAUDE, OTHER = "anthropic/claude-sonnet-4-5", "openai/m"
KEY = "sk-test-a1b2c3d4e5f6g7h8i9j0"
TOOL = {
    "type": "function",
    "function": {
        "name": "find_user",
        "description": "Find a user.",
        "parameters": {
            "type": "object",
            "properties": {"id": {"type": "string"}},
            "anyOf": [{"required": ["id"]}],
        },
    },
}
REQUEST = Request(
    [{"role": "system", "content": "Policy."}, {"role": "user", "content": "Who is Ana?"}],
    [TOOL],
    episode="e1",
)


@pytest.fixture(autouse=True)
def key(monkeypatch: pytest.MonkeyPatch) -> None:
    load_litellm()
    monkeypatch.setenv("SOME_KEY", KEY)


def message(*content: dict[str, Any], stop: str = "tool_use") -> dict[str, Any]:
    """The body of one of Anthropic's messages."""
    usage = {"input_tokens": 100, "output_tokens": 20, "cache_read_input_tokens": 50}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "claude-sonnet-4-5",
        "content": list(content), "stop_reason": stop, "stop_sequence": None, "usage": usage,
    }  # fmt: skip


THOUGHT = {"type": "thinking", "thinking": "Find her.", "signature": "c2lnbmVk"}
USE = {"type": "tool_use", "id": "toolu_1", "name": "find_user", "input": {"id": "7"}}
REFUSED = {"type": "error", "error": {"type": "rate_limit_error", "message": "Slow down."}}


def ask(url: str, model: str, *requests: Request, **options: Any) -> list[Turn]:
    base = url.removesuffix("/v1") if model == CLAUDE else url
    settings = {"kind": "litellm_api", "model": model, "base_url": base, "api_key_env": "SOME_KEY", **options}

    async def run() -> list[Turn]:
        chat = client_options(settings).open()
        try:
            return [await chat.reply(request) for request in requests]
        finally:
            await chat.close()

    return asyncio.run(run())


def test_an_openai_endpoint() -> None:
    body = completion("Looking.", ("find_user", {"id": "7"}), reasoning_content="Find her.")
    with endpoint(Answer(body)) as server:
        turn = ask(server.url, OTHER, REQUEST, sampling={"temperature": 0.0, "max_tokens": 9})[0]
    (call,) = turn.tool_calls
    assert (call.id, call.name, call.arguments, call.raw) == ("c0", "find_user", '{"id":"7"}', None)
    assert (turn.text, turn.reasoning, turn.input_tokens, turn.output_tokens) == (
        "Looking.",
        "Find her.",
        100,
        10,
    )
    assert turn.cost is None  # nobody knows what this model costs
    sent = server.requests[0]
    assert sent.headers["authorization"] == f"Bearer {KEY}"
    assert (sent.body["model"], sent.body["temperature"], sent.body["max_tokens"]) == ("m", 0.0, 9)
    assert "anyOf" not in sent.body["tools"][0]["function"]["parameters"]


def test_a_reply_that_has_to_be_of_a_language_is_refused() -> None:
    with pytest.raises(EndpointError, match="litellm cannot constrain replies"):
        ask("http://127.0.0.1:9/v1", "openai/m", replace(REQUEST, language=PlanBeginnings([])))


def test_anthropic_with_reasoning_prices_and_a_cache() -> None:
    body = message(THOUGHT, {"type": "text", "text": "Looking."}, USE)
    with endpoint(Answer(body)) as server:
        sampling = {"reasoning_effort": "low", "max_tokens": 4096}
        turn = ask(server.url, CLAUDE, REQUEST, sampling=sampling)[0]
    assert [(c.id, c.name, c.arguments) for c in turn.tool_calls] == [("toolu_1", "find_user", '{"id":"7"}')]
    assert (turn.text, turn.reasoning, turn.finish_reason) == ("Looking.", "Find her.", "tool_calls")
    assert (turn.input_tokens, turn.cached_tokens, turn.output_tokens) == (150, 50, 20)
    assert turn.cost == pytest.approx((100 * 3.0 + 50 * 0.3 + 20 * 15.0) / 1e6)
    sent = server.requests[0]
    assert (sent.path, sent.headers["x-api-key"]) == ("/v1/messages", KEY)
    assert sent.body["thinking"]["type"] == "enabled"
    assert sent.body["tools"][0]["description"] == "Find a user. Give at least one of: id."


def test_signed_reasoning_goes_back_with_its_call() -> None:
    answers = (
        Answer(message(THOUGHT, USE)),
        Answer(message({"type": "text", "text": "Ana."}, stop="end_turn")),
    )
    with endpoint(*answers) as server:

        async def run() -> Turn:
            chat = client_options(
                {"kind": "litellm_api", "model": CLAUDE, "base_url": server.url.removesuffix("/v1"),
                 "api_key_env": "SOME_KEY", "sampling": {"reasoning_effort": "low", "max_tokens": 4096}}
            ).open()  # fmt: skip
            turn = await chat.reply(REQUEST)
            result = {"role": "tool", "tool_call_id": "toolu_1", "content": "[]"}
            said = [*REQUEST.messages, reply_message(turn), result]
            try:
                return await chat.reply(Request(said, [TOOL], episode="e1"))
            finally:
                await chat.close()

        assert asyncio.run(run()).text == "Ana."
    _, reply, result = server.requests[1].body["messages"]
    assert [block["type"] for block in reply["content"]] == ["thinking", "tool_use"]
    assert reply["content"][0]["signature"] == "c2lnbmVk"
    assert result["content"][0]["tool_use_id"] == "toolu_1"


def refused(status: int, told: str, **headers: str) -> Answer:
    return Answer({"error": {"message": told}}, status, headers)


def slow(_: ReceivedRequest) -> Answer:
    time.sleep(30)
    return Answer(completion("Hi."))


@pytest.mark.parametrize(
    ("model", "answer", "kind"),
    [
        (OTHER, refused(429, "Slow down.", **{"retry-after": "7"}), "throttled"),
        (OTHER, refused(401, f"Incorrect API key provided: {KEY}"), "auth"),
        (OTHER, refused(403, "No."), "auth"),
        (OTHER, refused(404, "No such model."), "request"),
        (OTHER, refused(400, "maximum context length is 10 tokens"), "context"),
        (OTHER, refused(500, "Boom."), "server"),
        (OTHER, Answer(completion("Hi."), sent=40), "connection"),
        (OTHER, Answer(b"<html>"), "garbled"),
        (OTHER, Answer({"id": "x", "choices": []}), "garbled"),
        (OTHER, slow, "timeout"),
        (CLAUDE, Answer(REFUSED, 429, {"retry-after": "7"}), "throttled"),
        (
            CLAUDE,
            Answer({"type": "error", "error": {"type": "e", "message": "Overloaded"}}, 529),
            "throttled",
        ),
        (CLAUDE, refused(400, "prompt is too long: 210000 tokens > 200000 maximum"), "context"),
        (CLAUDE, Answer(json.dumps(message(USE)).encode()[:40]), "garbled"),
        (CLAUDE, Answer(message(USE), sent=40), "connection"),
        (CLAUDE, Answer({"type": "message"}), "garbled"),
    ],
)
def test_every_failure_is_of_a_kind_and_nothing_is_tried_again(model: str, answer: Any, kind: str) -> None:
    with endpoint(answer) as server:
        with pytest.raises(EndpointError) as found:
            ask(server.url, model, REQUEST, timeout=3 if answer is slow else 60)
        assert eventually(lambda: bool(server.requests))
    error = found.value
    asks_to_wait = isinstance(answer, Answer) and "retry-after" in answer.headers
    assert (error.kind, error.retry_after) == (kind, 7.0 if asks_to_wait else None)
    assert len(server.requests) == 1
    assert KEY not in str(error)


def test_an_endpoint_that_is_not_there() -> None:
    with endpoint() as server:
        gone = server.url
    with pytest.raises(EndpointError) as found:
        ask(gone, OTHER, REQUEST)
    assert found.value.kind == "connection"


def test_prices_that_a_config_gives_come_first() -> None:
    with endpoint(Answer(completion("Hi."))) as server:
        turn = ask(server.url, OTHER, REQUEST, prices={"input": 1.0, "output": 2.0})[0]
    assert turn.cost == pytest.approx((100 * 1.0 + 10 * 2.0) / 1e6)


def test_a_model_of_no_known_provider_and_a_secret_in_the_config() -> None:
    with pytest.raises(ConfigError, match="write provider/model"):
        client_options({"kind": "litellm_api", "model": "nonsense"}).open()
    with pytest.raises(ConfigError, match="holds no secrets"):
        client_options({"kind": "litellm_api", "model": OTHER, "params": {"aws_secret_access_key": "a/b+c"}})


def test_importing_it_fetches_nothing() -> None:
    assert os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] == "True"
