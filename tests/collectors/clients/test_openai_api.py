"""The client of OpenAI-compatible endpoints against a real HTTP server: what is sent, and what is read."""

import asyncio
import contextlib
import gzip
import json
import time
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler
from socketserver import TCPServer
from typing import Any

import aiohttp
import pytest

from eops_traj.collect.conversation import reply_as_sent
from eops_traj.collectors.clients import openai_api
from eops_traj.collectors.clients.openai_api import OPENAI
from eops_traj.collectors.clients.pool import ELSEWHERE
from eops_traj.errors import ConfigError, UnknownName
from eops_traj.llm.base import Chat, EndpointError, Request
from eops_traj.llm.options import EndpointOptions, client_options
from eops_traj.llm.tool_arguments import is_unreadable
from eops_traj.messages import reply_message
from eops_traj.plan import PlanBeginnings
from eops_traj.protocol import BENCHMARK, ROBUST, RunProtocol
from eops_traj.schema import Turn
from tests.endpoint import Answer, Endpoint, ReceivedRequest, completion, endpoint
from tests.http_server import serving_by

TOOL = {
    "type": "function",
    "function": {
        "name": "find_user",
        "description": "Find a user.",
        "parameters": {"type": "object", "properties": {"name": {"type": "string"}}, "required": ["name"]},
    },
}
REQUEST = Request(
    [{"role": "system", "content": "Policy."}, {"role": "user", "content": "Who is Ana?"}],
    [TOOL],
    episode="e1",
)


def opened(url: str | list[str], **options: Any) -> Chat:
    return client_options({"kind": "openai_api", "model": "m", "base_url": url, **options}).open()


def ask(url: str, *requests: Request, **options: Any) -> list[Turn]:
    """The replies to these requests, one after the other."""

    async def run() -> list[Turn]:
        chat = opened(url, **options)
        try:
            return [await chat.reply(request) for request in requests]
        finally:
            await chat.close()

    return asyncio.run(run())


def reply_to(body: Any, request: Request = REQUEST, **options: Any) -> Turn:
    """What the client makes of a response's body."""
    with endpoint(Answer(body)) as server:
        return ask(server.url, request, **options)[0]


def failed(*answers: Answer | Callable[[ReceivedRequest], Answer], **options: Any) -> EndpointError:
    with endpoint(*answers) as server, pytest.raises(EndpointError) as found:
        ask(server.url, REQUEST, **options)
    return found.value


def conversation(server: Endpoint) -> list[Any]:
    return server.requests[-1].body["messages"]


def test_a_request_is_what_the_api_asks_for(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_KEY", "letmein-123")
    options = {"sampling": {"temperature": 0.0, "max_tokens": 9}, "api_key_env": "SOME_KEY"}
    request = Request(REQUEST.messages, [TOOL], {"max_tokens": 5, "seed": 1})
    with endpoint(Answer(completion("Hi."))) as server:
        ask(server.url, request, extra_body={"top_k": 20}, headers={"x-title": "t"}, **options)
    sent = server.requests[0]
    assert (sent.path, sent.headers["authorization"]) == ("/v1/chat/completions", "Bearer letmein-123")
    assert (sent.headers["x-title"], sent.headers["content-type"]) == ("t", "application/json")
    assert sent.body == {
        "model": "m", "messages": REQUEST.messages, "tools": [TOOL],
        "temperature": 0.0, "max_tokens": 5, "seed": 1, "top_k": 20,
    }  # fmt: skip


@pytest.mark.parametrize("name", ["structured_outputs", "guided_grammar"])
def test_a_language_is_sent_as_a_grammar_where_the_server_takes_one(name: str) -> None:
    language = PlanBeginnings([TOOL])
    request = Request(REQUEST.messages, language=language)
    with endpoint(Answer(completion("1. find_user()"))) as server:
        ask(server.url, request, REQUEST, constrain=name)
        with pytest.raises(EndpointError, match="request: nothing says how to constrain replies"):
            ask(server.url, request)
    told, free = (sent.body for sent in server.requests)
    assert told[name] == ({"grammar": language.grammar()} if name[0] == "s" else language.grammar())
    assert name not in free


def test_a_reply_is_a_turn_with_all_that_was_told() -> None:
    body = completion("Looking.", ("find_user", {"name": "Ana"}), reasoning_content="First, find her.")
    body |= {"system_fingerprint": "fp", "service_tier": None}
    body["usage"] = {
        "prompt_tokens": 1000, "completion_tokens": 100, "total_tokens": 1100,
        "prompt_tokens_details": {"cached_tokens": 600},
        "completion_tokens_details": {"reasoning_tokens": 40},
    }  # fmt: skip
    headers = {"X-Request-Id": "r1", "Set-Cookie": "session=1"}
    with endpoint(Answer(body, headers=headers)) as server:
        turn = ask(server.url, REQUEST, prices={"input": 2.0, "output": 10.0, "cached": 0.5})[0]
    (call,) = turn.tool_calls
    assert (call.id, call.name, call.arguments, call.raw) == ("c0", "find_user", '{"name":"Ana"}', None)
    assert (turn.text, turn.reasoning, turn.finish_reason) == ("Looking.", "First, find her.", "tool_calls")
    spent = (turn.input_tokens, turn.cached_tokens, turn.output_tokens, turn.reasoning_tokens)
    assert spent == (1000, 600, 100, 40)
    assert turn.cost == pytest.approx((400 * 2.0 + 600 * 0.5 + 100 * 10.0) / 1e6)
    assert turn.latency_ms is not None and turn.latency_ms > 0
    told = {"headers": {"x-request-id": "r1"}, "id": "chatcmpl-1", "model": "m-1", "system_fingerprint": "fp"}
    assert json.loads(turn.provider) == told


def test_token_ids_and_logprobs_from_vllm() -> None:
    body = completion("Hi.") | {"prompt_token_ids": [1, 2, 3]}
    logprobs = {"content": [{"token": "Hi", "logprob": -0.5}, {"token": ".", "logprob": -0.25}]}
    body["choices"][0] |= {"token_ids": [7, 8], "logprobs": logprobs, "stop_reason": 9}
    with endpoint(Answer(body)) as server:
        turn = ask(server.url, REQUEST, token_ids=True)[0]
    assert server.requests[0].body["return_token_ids"] is server.requests[0].body["logprobs"] is True
    assert (turn.prompt_token_ids, turn.token_ids, turn.logprobs) == ((1, 2, 3), (7, 8), (-0.5, -0.25))
    assert json.loads(turn.provider)["stop_reason"] == 9


@pytest.mark.parametrize(
    ("message", "text", "reasoning"),
    [
        ({"content": None}, "", None),
        ({"content": None, "refusal": "I cannot."}, "I cannot.", None),
        ({"content": "A.", "reasoning": "B."}, "A.", "B."),
        ({"content": "<think>\nB.\n</think>\n\nA."}, "A.", "B."),
        ({"content": "B.\n</think>\n\nA."}, "A.", "B."),
        ({"content": "B.</think>A.", "reasoning": "C."}, "B.</think>A.", "C."),
        ({"content": [{"type": "text", "text": "A"}, {"type": "text", "text": "."}]}, "A.", None),
        ({"content": [{"type": "thinking", "thinking": [{"type": "text", "text": "B."}]}]}, "", "B."),
        ({"content": "half a pair: \ud83d"}, "half a pair: \ufffd", None),
    ],
)
def test_the_ways_in_which_servers_put_text_and_reasoning(
    message: dict[str, Any], text: str, reasoning: str | None
) -> None:
    turn = reply_to(completion(**{"text": message["content"], **message}))
    assert (turn.text, turn.reasoning) == (text, reasoning)


def test_arguments_that_do_not_parse_are_salvaged_or_left_and_always_flagged() -> None:
    written = ("{'name': 'Ana'}", '{"name": "An', "")
    turn = reply_to(completion(None, *(("find_user", text) for text in written)))
    found = [(call.arguments, call.raw) for call in turn.tool_calls]
    assert found == [('{"name":"Ana"}', written[0]), ("{}", written[1]), ("{}", None)]


def test_brackets_are_supplied_only_to_a_reply_that_was_whole_with_all_that_the_tool_requires() -> None:
    whole = completion(None, ("find_user", '{"name": "Ana"'), ("find_user", '{"role": "admin"'))
    assert [call.arguments for call in reply_to(whole).tool_calls] == ['{"name":"Ana"}', "{}"]
    whole["choices"][0]["finish_reason"] = "length"
    assert [call.arguments for call in reply_to(whole).tool_calls] == ["{}", "{}"]


def test_a_call_that_the_server_took_for_text() -> None:
    block = '{"name": "find_user", "arguments": {"name": "Ana"}}'
    body = completion(f"Looking.\n<tool_call>\n{block}\n</tool_call>")
    turn = reply_to(body)
    assert (turn.text, turn.tool_calls[0].arguments, turn.tool_calls[0].raw) == (
        "Looking.", '{"name":"Ana"}', '{"name": "Ana"}',
    )  # fmt: skip
    without_tools = reply_to(body, Request(REQUEST.messages))
    assert without_tools.tool_calls == () and block in without_tools.text


def test_a_call_in_a_thought_that_the_prompt_opened_is_none() -> None:
    call = '<tool_call>{"name": "find_user", "arguments": {"name": "Ana"}}</tool_call>'
    turn = reply_to(completion(f"I could {call}.\n</think>\n\nI cannot."))
    assert (turn.text, turn.reasoning, turn.tool_calls) == ("I cannot.", f"I could {call}.", ())


@pytest.mark.parametrize(
    ("block", "unreadable"),
    [
        ('{"name": "list_users", "arguments": {}}', False),
        ('{"name": "list_users"}', False),
        ("{'name': 'list_users', 'arguments': {}}", False),
        ('{"name": "list_users", "arguments": []}', True),
        ('{"name": "list_users", "arguments": {"a": ', True),
    ],
)
def test_a_call_without_arguments_in_the_text_is_one_that_can_be_run(block: str, unreadable: bool) -> None:
    [call] = reply_to(completion(f"<tool_call>\n{block}\n</tool_call>")).tool_calls
    assert (call.name, call.arguments, is_unreadable(call)) == ("list_users", "{}", unreadable)
    assert call.raw, "it is flagged all the same"


def test_ids_are_the_servers_unless_missing_or_used_before() -> None:
    body = completion(None, *[("find_user", {"name": "Ana"})] * 4)
    for call, given in zip(body["choices"][0]["message"]["tool_calls"], ("a", "", None, "c0"), strict=True):
        call["id"] = given
    first = reply_to(completion(None, ("find_user", {"name": "Bo"})))
    request = Request([*REQUEST.messages, reply_message(first)], [TOOL])
    assert [call.id for call in reply_to(body, request).tool_calls] == [
        "a",
        "call_3_1",
        "call_3_2",
        "call_3_3",
    ]


def test_a_conversation_goes_back_in_the_apis_form() -> None:
    first = completion(None, ("find_user", {"name": "Zoë"}), reasoning_content="Hm.")
    with endpoint(Answer(first), Answer(completion("Done."))) as server:
        turn = ask(server.url, REQUEST)[0]
        said = [*REQUEST.messages, {**reply_message(turn), "reasoning_content": "Hm."}]
        ask(server.url, Request([*said, {"role": "tool", "tool_call_id": "c0", "content": "[]"}], [TOOL]))
    reply = conversation(server)[2]
    assert reply["tool_calls"][0]["function"] == {"name": "find_user", "arguments": '{"name": "Zoë"}'}
    assert set(reply) == {"role", "content", "tool_calls"} and reply["content"] is None


def test_reasoning_goes_back_where_asked_for_though_the_messages_lack_it() -> None:
    first = completion(None, ("find_user", {"name": "Ana"}), reasoning_content="Hm.")
    with endpoint(Answer(first)) as server:

        async def run() -> None:
            chat = opened(server.url, send_reasoning="reasoning")
            turn = await chat.reply(REQUEST)
            said = [*REQUEST.messages, reply_message(turn)]
            await chat.reply(Request(said, [TOOL], episode="e1"))
            assert conversation(server)[2]["reasoning"] == "Hm."
            await chat.reply(Request(said, [TOOL], episode="another"))
            assert "reasoning" not in conversation(server)[2]
            await chat.close()

        asyncio.run(run())


@pytest.mark.parametrize("protocol", [ROBUST, BENCHMARK])
def test_reasoning_goes_back_to_another_endpoint_too(protocol: RunProtocol) -> None:
    first = completion(None, ("find_user", {"name": "Ana"}), reasoning_content="Hm.")
    with endpoint(Answer(first), refused(500, "Boom.")) as home, endpoint(Answer(completion("Hi."))) as other:

        async def run() -> None:
            chat = opened([home.url, other.url], send_reasoning="reasoning")
            said = [*REQUEST.messages, reply_as_sent(await chat.reply(REQUEST), protocol)]
            await chat.reply(Request(said, [TOOL], episode="e1"))
            await chat.close()

        asyncio.run(run())
    assert conversation(home)[2] == conversation(other)[2]
    assert conversation(other)[2]["reasoning"] == "Hm." and "reasoning_content" not in conversation(other)[2]


def test_half_a_surrogate_pair_in_a_tool_result_does_not_stop_a_request() -> None:
    with endpoint(Answer(completion("Hi."))) as server:
        ask(server.url, Request([{"role": "user", "content": "\ud83d!"}]))
    assert conversation(server)[0]["content"] == "\ufffd!"


def refused(status: int, message: str, **headers: str) -> Answer:
    return Answer({"error": {"message": message}}, status, headers)


BODY = json.dumps(completion("Hi.")).encode()


@pytest.mark.parametrize(
    ("answer", "kind"),
    [
        (refused(429, "Slow down.", **{"retry-after": "7"}), "throttled"),
        (refused(401, "Who are you?"), "auth"),
        (refused(400, "maximum context length is 10 tokens"), "context"),
        (refused(400, "No."), "request"),
        (refused(500, "Boom."), "server"),
        (Answer(b"<html>Bad gateway</html>", 502), "server"),
        (Answer(BODY, sent=40), "connection"),
        (Answer(BODY, sent=0), "connection"),
        (Answer(BODY[:40]), "garbled"),
        (Answer(b""), "garbled"),
        (Answer({"choices": []}), "garbled"),
        (Answer({"choices": [{"message": {"tool_calls": [{"id": "a"}]}}]}), "garbled"),
        (Answer([]), "garbled"),
        (Answer({"error": {"message": "upstream", "code": 429}}), "throttled"),
        (Answer({"error": {"message": "upstream"}}), "server"),
    ],
)
def test_every_failure_is_of_a_kind(answer: Answer, kind: str) -> None:
    error = failed(answer)
    assert (error.kind, error.retry_after) == (kind, 7.0 if "retry-after" in answer.headers else None)


def test_a_reply_that_takes_too_long_and_an_endpoint_that_is_not_there() -> None:
    def slow(_: ReceivedRequest) -> Answer:
        time.sleep(0.5)
        return Answer(completion("Hi."))

    assert failed(slow, timeout=0.1).kind == "timeout"
    with endpoint() as server:
        gone = server.url
    with pytest.raises(EndpointError) as found:
        ask(gone, REQUEST)
    assert found.value.kind == "connection"


def test_a_machine_that_takes_no_connection_is_one_to_fail_over(monkeypatch: pytest.MonkeyPatch) -> None:
    async def powered_off(*_: object, **__: object) -> None:
        raise TimeoutError

    monkeypatch.setattr(aiohttp.TCPConnector, "connect", powered_off)
    with pytest.raises(EndpointError) as found:
        ask("http://10.0.0.9/v1", REQUEST, timeout=600)
    where = "http://10.0.0.9/v1/chat/completions"
    assert str(found.value) == f"connection: no connection to {where} within 20 s"
    assert found.value.kind in ELSEWHERE


@pytest.mark.parametrize(
    ("status", "kind"), [(403, "auth"), (407, "auth"), (502, "server"), (503, "throttled")]
)
def test_what_a_proxy_refuses_is_of_the_kind_that_its_status_says(
    status: int, kind: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    with proxy(status) as url:
        monkeypatch.setenv("https_proxy", url)
        monkeypatch.setenv("no_proxy", "")
        with pytest.raises(EndpointError, match=f"HTTP {status}: the proxy says: Not through here") as found:
            ask("https://api.example.org/v1", REQUEST)
    assert (found.value.kind, found.value.retry_after) == (kind, 7.0)


@contextlib.contextmanager
def proxy(status: int) -> Iterator[str]:
    """A proxy that lets nobody through."""

    class Refusing(BaseHTTPRequestHandler):
        def do_CONNECT(self) -> None:
            self.send_response(status, "Not through here")
            self.send_header("retry-after", "7")
            self.end_headers()

    with serving_by(Refusing) as url:
        yield url


def test_an_error_repeats_no_key(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_GATE", "open-sesame-42")
    told = str(failed(refused(401, "bad key open-sesame-42"), api_key_env="SOME_GATE"))
    assert "sesame" not in told and "bad key" in told


def test_connections_are_kept(monkeypatch: pytest.MonkeyPatch) -> None:
    made: list[object] = []
    accept = TCPServer.get_request
    monkeypatch.setattr(TCPServer, "get_request", lambda self: made.append(self) or accept(self))
    with endpoint(Answer(completion("Hi."))) as server:
        ask(server.url, *[REQUEST] * 5)
    assert len(made) == 1


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"base_url": "ftp://x"}, "http"),
        ({"base_url": "https://user:pw@host/v1"}, "no user, password"),
        ({"base_url": []}, "at least 1"),
        ({"headers": {"Authorization": "Bearer x"}}, "no secrets"),
        ({"headers": {"x-title": "t", "x-note": "a\n"}}, r"'x-note': a header is one line"),
        ({"api_key": "sk-12345678"}, "unknown key 'api_key'"),
        ({"sampling": {"temprature": 1}}, "temprature"),
        ({"api_key_env": "sk-proj-a1b2c3d4e5f6g7h8i9j0"}, "api_key_env"),
    ],
)
def test_options_that_do_not_hold_are_named_and_no_key_is_shown(
    options: dict[str, Any], problem: str
) -> None:
    with pytest.raises(ConfigError, match=problem) as found:
        client_options({"kind": "openai_api", "model": "m", "base_url": "http://x/v1", **options})
    assert "sk-proj" not in str(found.value)


def test_a_key_that_is_not_set_and_a_kind_that_is_none(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    with pytest.raises(ConfigError, match=r"OPENAI_API_KEY is not set"):
        client_options({"kind": "openai_api", "model": "m"}).open()
    with pytest.raises(UnknownName, match=r"choose from .*openai_api"):
        client_options({"kind": "openai", "model": "m"})


@pytest.mark.parametrize(
    ("base_url", "variable"),
    [
        (OPENAI, "OPENAI_API_KEY"),
        (f"{OPENAI}/", "OPENAI_API_KEY"),
        ([OPENAI], "OPENAI_API_KEY"),
        ([OPENAI, f"{OPENAI}/"], "OPENAI_API_KEY"),
        ([OPENAI, "http://x/v1"], None),
        ("http://x/v1", None),
    ],
)
def test_openais_own_endpoint_alone_gets_everyones_key(base_url: Any, variable: str | None) -> None:
    options = client_options({"kind": "openai_api", "model": "m", "base_url": base_url})
    assert isinstance(options, EndpointOptions) and options.api_key_env == variable


def test_a_key_from_a_file_is_sent_without_the_end_of_its_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_GATE", "open-sesame-42\n")
    with endpoint(Answer(completion("Hi.")), refused(401, "bad key open-sesame-42")) as server:
        ask(server.url, REQUEST, api_key_env="SOME_GATE")
        with pytest.raises(EndpointError, match="bad key") as found:
            ask(server.url, REQUEST, api_key_env="SOME_GATE")
    assert server.requests[0].headers["authorization"] == "Bearer open-sesame-42"
    assert "sesame" not in str(found.value)


@pytest.mark.parametrize("key", ["open\nsesame", "open\x1bsesame", "open-sésame", "open\u2026sesame"])
def test_a_key_that_no_header_holds_is_said_without_it(key: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("SOME_GATE", key)
    with pytest.raises(ConfigError, match=r"^model m: .* SOME_GATE is no key: it has characters") as found:
        client_options({"kind": "openai_api", "model": "m", "base_url": "http://x/v1",
                        "api_key_env": "SOME_GATE"}).open()  # fmt: skip
    assert "open" not in str(found.value)


def test_openais_own_endpoint_is_told_the_most_tokens_by_its_newer_name(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("OPENAI_API_KEY", "letmein-123")
    with endpoint(Answer(completion("Hi."))) as server:
        monkeypatch.setattr(openai_api, "OPENAI", server.url)
        ask(server.url, REQUEST, sampling={"max_tokens": 5})
    assert (
        server.requests[0].body["max_completion_tokens"] == 5 and "max_tokens" not in server.requests[0].body
    )


def test_what_shapes_the_replies_is_told_without_where_they_come_from() -> None:
    options = {"kind": "openai_api", "model": "m", "base_url": "http://x/v1", "sampling": {"seed": 1}}
    told = client_options(options).behaviour()
    assert told == {"model": "m", "sampling": {"seed": 1}, "extra_body": {}}
    assert told == client_options({**options, "base_url": "http://y/v1", "timeout": 5}).behaviour()


def test_a_reply_larger_than_is_read_is_no_reply(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_api, "MOST_BYTES", 10_000)
    assert reply_to(completion("x" * 5000)).text == "x" * 5000
    assert "more than 10000 bytes" in str(failed(Answer(completion("x" * 20_000))))


def test_a_packed_reply_counts_as_it_is_unpacked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(openai_api, "MOST_BYTES", 100_000)
    packed = gzip.compress(json.dumps(completion("x" * 10**7)).encode())
    assert len(packed) < 20_000
    assert "more than 100000 bytes" in str(failed(Answer(packed, headers={"content-encoding": "gzip"})))


def test_a_reply_that_cannot_be_names_its_field() -> None:
    body = {**completion("Hi."), "usage": {"prompt_tokens": 2**63}}
    found = failed(Answer(body))
    assert found.kind == "garbled" and "usage.prompt_tokens: " in str(found)


def test_no_endpoint_makes_us_wait_for_years() -> None:
    found = failed(Answer({"error": {"message": "later"}}, 500, {"retry-after": "999999999"}))
    assert found.retry_after == 900.0
