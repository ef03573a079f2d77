"""Chat completions of the OpenAI API: messages as they are sent, and a reply's body as a turn."""

import json
from collections.abc import Iterable, Mapping
from typing import Any

from eops_traj.errors import FormatError
from eops_traj.hashing import canonical_json, clean
from eops_traj.llm.as_written import calls_as_written, text_as_written
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.errors import http_failure, shorten_message
from eops_traj.llm.options import Prices
from eops_traj.llm.reply_body import Call, Choice, ReplyBody, Usage, parse_reply_body
from eops_traj.llm.reply_body import Message as ReplyMessage
from eops_traj.llm.reply_parser import parse_reply, split_reasoning
from eops_traj.llm.tool_arguments import Arguments, read_call_arguments, tool_call
from eops_traj.messages import Message
from eops_traj.schema import Json, ToolCall, Turn

REASONING = ("reasoning_content", "reasoning")
"""Where a message keeps its reasoning: DeepSeek's name, which most servers took up, and the newer vLLM's."""

_PROVIDER_FIELDS = ("id", "model", "provider", "service_tier", "system_fingerprint")
"""The fields of a reply's body that are kept beside those that a turn has."""


def messages_to_send(messages: Iterable[Message], reasoning: str | None = None) -> list[Message]:
    """Render messages in the API's form: arguments as JSON text, reasoning under that name or left out."""
    return [_to_send(message, reasoning) for message in messages]


def _to_send(message: Message, reasoning: str | None) -> Message:
    if message["role"] != "assistant":
        return message
    sent = without_reasoning(message)
    thought = next((message[name] for name in REASONING if message.get(name)), None)
    if reasoning and thought:
        sent[reasoning] = thought
    if message.get("tool_calls"):
        sent["tool_calls"] = [_call_to_send(call) for call in message["tool_calls"]]
        sent["content"] = message.get("content") or None
    return sent


def without_reasoning(message: Message) -> Message:
    """Return the message without its reasoning, under whichever name."""
    return {key: value for key, value in message.items() if key not in REASONING}


def _call_to_send(call: dict[str, Any]) -> dict[str, Any]:
    arguments = call["function"]["arguments"]
    if isinstance(arguments, str):
        return call
    text = json.dumps(arguments, ensure_ascii=False)
    return {**call, "function": {**call["function"], "arguments": text}}


def read_turn(
    body: Any, request: Request, *, latency_ms: float, prices: Prices | None = None,
    headers: Mapping[str, str] | None = None,
) -> Turn:  # fmt: skip
    """Read the reply in a response's body. ``headers`` are those of the response that may be stored.

    Raises EndpointError where it holds an error, or no reply.
    """
    if isinstance(body, dict) and body.get("error") and not body.get("choices"):
        raise _reported(body)
    try:
        return _turn(parse_reply_body(body), body, request, latency_ms, prices, headers or {})
    except FormatError as error:
        raise EndpointError("garbled", f"no reply in the response: {shorten_message(str(error))}") from None
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise EndpointError("garbled", f"no reply in the response: {shorten_message(str(body))}") from error


def _reported(body: dict[str, Any]) -> EndpointError:
    """Return the failure that a body reports although the status said 200, as routers do."""
    code = body["error"].get("code") if isinstance(body["error"], dict) else None
    return http_failure(code if isinstance(code, int) and 400 <= code < 600 else 500, body)


def _turn(
    reply: ReplyBody, body: Mapping[str, Any], request: Request, latency_ms: float, prices: Prices | None,
    headers: Mapping[str, str],
) -> Turn:  # fmt: skip
    choice = reply.choices[0]
    if choice.finish_reason == "error" and not request.text_is_answer:
        raise _reported({"error": choice.error or "the reply was broken off by an error"})
    cut = choice.finish_reason == "length"
    parts = text_as_written if request.text_is_answer else _text_and_reasoning
    text, reasoning = parts(choice.message)
    provider = {name: body[name] for name in _PROVIDER_FIELDS if body.get(name)}
    if request.unparsed_is_no_call:
        tool_calls, kept = calls_as_written(choice.message.tool_calls or ())
        provider |= kept
    else:
        calls = _calls(choice.message, request, cut)
        in_text = not calls and request.tools and "<tool_call>" in text and not request.text_is_answer
        if in_text:  # the server has no parser for them
            text, calls = _calls_in_text(text, cut)
        tool_calls = assign_call_ids(calls, request)
    if choice.stop_reason is not None:  # vLLM's: the token or text that ended the reply
        provider["stop_reason"] = choice.stop_reason
    if headers:
        provider["headers"] = dict(headers)
    return Turn(
        text=clean(text),
        reasoning=clean(reasoning) if reasoning else None,
        tool_calls=tool_calls,
        finish_reason=choice.finish_reason,
        latency_ms=latency_ms,
        provider=Json(canonical_json(provider)),
        **_usage(reply.usage or Usage(), prices),
        **_tokens(reply, choice),
    )


RawCall = tuple[str | int | None, str, Arguments]
"""A call as the reply gives it: its id where it has one, the tool's name, the arguments."""


def _calls(message: ReplyMessage, request: Request, cut: bool) -> list[RawCall]:
    """Return the calls of a message, in the API's form or its older one."""
    calls = message.tool_calls or []
    if not calls and message.function_call:
        calls = [Call(function=message.function_call)]
    return [_call(call, request, cut) for call in calls]


def _call(call: Call, request: Request, cut: bool) -> RawCall:
    name = call.function.name or ""
    return call.id, name, read_call_arguments(call.function.arguments, name, request.tools, cut=cut)


def _calls_in_text(text: str, cut: bool) -> tuple[str, list[RawCall]]:
    """Return the text without its calls, and the calls, all flagged: the server took them for text."""
    parts = parse_reply(text, cut=cut)
    return parts.text, [
        (None, call.name, Arguments(call.arguments.value, call.written)) for call in parts.calls
    ]


def assign_call_ids(calls: Iterable[RawCall], request: Request) -> tuple[ToolCall, ...]:
    """Return the calls, each with an id that no other call of the conversation has."""
    used = {call["id"] for message in request.messages for call in message.get("tool_calls") or ()}
    numbered: list[ToolCall] = []
    for number, (own_id, name, arguments) in enumerate(calls):
        fresh = f"call_{len(request.messages)}_{number}"
        call_id = str(own_id) if own_id and own_id not in used else fresh
        used.add(call_id)
        numbered.append(tool_call(call_id, name, arguments))
    return tuple(numbered)


def _text_and_reasoning(message: ReplyMessage) -> tuple[str, str | None]:
    """Return text and reasoning of a message; a refusal in OpenAI's own field is its text."""
    thoughts = (message.reasoning_content, message.reasoning)
    reasoning = next((thought for thought in thoughts if isinstance(thought, str)), None)
    content = message.content or message.refusal or ""
    if isinstance(content, list):
        text = "".join(_part(part, "text") for part in content)
        return text, reasoning or "".join(_part(part, "thinking") for part in content) or None
    if reasoning:
        return content, reasoning
    reasoning, text = split_reasoning(content)
    return text, reasoning


def _part(part: Any, kind: str) -> str:
    """Return the text of one kind in a part of a message; Mistral nests the parts of its thinking."""
    held = part.get(kind) or "" if isinstance(part, dict) else ""
    return held if isinstance(held, str) else "".join(_part(inner, "text") for inner in held)


def _usage(usage: Usage, prices: Prices | None) -> dict[str, Any]:
    """Return tokens and dollars, by the names of a turn's fields."""
    input_tokens, output_tokens = usage.prompt_tokens, usage.completion_tokens
    cached = usage.prompt_tokens_details and usage.prompt_tokens_details.cached_tokens
    reasoning = usage.completion_tokens_details and usage.completion_tokens_details.reasoning_tokens
    total = (input_tokens or 0) + (output_tokens or 0) + (reasoning or 0)
    if reasoning and output_tokens is not None and usage.total_tokens == total:
        output_tokens += reasoning  # xAI counts them apart
    cost = usage.cost
    if prices and input_tokens is not None and output_tokens is not None:
        cost = prices.cost(input_tokens, cached or 0, output_tokens)
    return {
        "input_tokens": input_tokens,
        "cached_tokens": cached,
        "output_tokens": output_tokens,
        "reasoning_tokens": reasoning,
        "cost": cost,
    }


def _tokens(reply: ReplyBody, choice: Choice) -> dict[str, Any]:
    """Return token ids and logprobs, by the names of a turn's fields, where vLLM was asked for them."""
    tokens = choice.logprobs.content if choice.logprobs else None
    return {
        "prompt_token_ids": reply.prompt_token_ids,
        "token_ids": choice.token_ids,
        "logprobs": tuple(token.logprob for token in tokens) if tokens else None,
    }
