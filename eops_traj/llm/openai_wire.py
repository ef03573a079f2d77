"""Chat completions of the OpenAI API: messages as they are sent, and a reply's body as a turn."""

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

from eops_traj.hashing import canonical_json, clean
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.errors import http_failure, shorten_message
from eops_traj.llm.options import Prices
from eops_traj.llm.reply_parser import parse_reply, split_reasoning
from eops_traj.llm.tool_arguments import Arguments, read_arguments, tool_call
from eops_traj.messages import Message
from eops_traj.schema import Json, ToolCall, Turn

REASONING = ("reasoning_content", "reasoning")
"""Where a message keeps its reasoning: DeepSeek's name, which most servers took up, and the newer vLLM's."""

_TOLD = ("id", "model", "provider", "service_tier", "system_fingerprint")
"""What is kept of a reply's body beside what a turn has fields for."""


def messages_to_send(messages: Iterable[Message], reasoning: str | None = None) -> list[Message]:
    """The messages in the API's form: arguments as JSON text, reasoning under the name given or left out."""
    return [_to_send(message, reasoning) for message in messages]


def _to_send(message: Message, reasoning: str | None) -> Message:
    if message["role"] != "assistant":
        return message
    sent = {key: value for key, value in message.items() if key not in REASONING}
    thought = next((message[name] for name in REASONING if message.get(name)), None)
    if reasoning and thought:
        sent[reasoning] = thought
    if message.get("tool_calls"):
        sent["tool_calls"] = [_call_to_send(call) for call in message["tool_calls"]]
        sent["content"] = message.get("content") or None
    return sent


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
    """The reply that a response's body holds. ``headers`` are those of the response that may be stored.

    Raises EndpointError where it holds an error, or no reply.
    """
    if isinstance(body, dict) and body.get("error") and not body.get("choices"):
        raise _reported(body)
    try:
        return _turn(body, request, latency_ms, prices, headers or {})
    except (KeyError, TypeError, IndexError, AttributeError, ValueError) as error:
        raise EndpointError("garbled", f"no reply in the response: {shorten_message(str(body))}") from error


def _reported(body: dict[str, Any]) -> EndpointError:
    """The failure that a body reports although the status said 200, as routers do."""
    code = body["error"].get("code") if isinstance(body["error"], dict) else None
    return http_failure(code if isinstance(code, int) and 400 <= code < 600 else 500, body)


def _turn(
    body: Any, request: Request, latency_ms: float, prices: Prices | None, headers: Mapping[str, str]
) -> Turn:
    choice = body["choices"][0]
    message, finish = choice["message"], choice.get("finish_reason")
    cut = finish == "length"
    text, reasoning = _said(message)
    calls = _calls(message, request, cut)
    if not calls and request.tools and "<tool_call>" in text:  # the server has no parser for them
        text, calls = _calls_in_text(text, cut)
    told = {name: body[name] for name in _TOLD if body.get(name)}
    if choice.get("stop_reason") is not None:  # vLLM's: the token or text that ended the reply
        told["stop_reason"] = choice["stop_reason"]
    if headers:
        told["headers"] = dict(headers)
    return Turn(
        text=clean(text),
        reasoning=clean(reasoning) if reasoning else None,
        tool_calls=assign_call_ids(calls, request),
        finish_reason=finish,
        latency_ms=latency_ms,
        provider=Json(canonical_json(told)),
        **_spent(body.get("usage") or {}, prices),
        **_tokens(body, choice),
    )


RawCall = tuple[str | None, str, Arguments]
"""A call as the reply has it: its id where it has one, the tool's name, the arguments."""


def _calls(message: Mapping[str, Any], request: Request, cut: bool) -> list[RawCall]:
    """The calls of a message, in the API's form or its older one."""
    asked = list(message.get("tool_calls") or ())
    if not asked and message.get("function_call"):
        asked = [{"function": message["function_call"]}]
    return [_call(call, request, cut) for call in asked]


def _call(call: Mapping[str, Any], request: Request, cut: bool) -> RawCall:
    function = call["function"]
    name, written = str(function["name"] or ""), function.get("arguments")
    arguments = read_arguments(written, cut=cut)
    if arguments.raw is not None:
        arguments = read_arguments(written, cut=cut, required=_required(request.tools, name))
    return call.get("id"), name, arguments


def _required(tools: Sequence[dict[str, Any]], name: str) -> Sequence[str]:
    """The arguments that a tool must have."""
    shown = (tool["function"] for tool in tools)
    found: dict[str, Any] = next((function for function in shown if function["name"] == name), {})
    return (found.get("parameters") or {}).get("required") or ()


def _calls_in_text(text: str, cut: bool) -> tuple[str, list[RawCall]]:
    """The text without its calls, and the calls, all flagged: the server took them for text."""
    parts = parse_reply(text, cut=cut)
    return parts.text, [
        (None, call.name, Arguments(call.arguments.value, call.block)) for call in parts.calls
    ]


def assign_call_ids(calls: Iterable[RawCall], request: Request) -> tuple[ToolCall, ...]:
    """The calls, each with an id that no other call of the conversation has."""
    said = request.messages
    used = {call["id"] for message in said for call in message.get("tool_calls") or ()}
    made: list[ToolCall] = []
    for number, (given, name, arguments) in enumerate(calls):
        call_id = str(given) if given and given not in used else f"call_{len(said)}_{number}"
        used.add(call_id)
        made.append(tool_call(call_id, name, arguments))
    return tuple(made)


def _said(message: Mapping[str, Any]) -> tuple[str, str | None]:
    """Text and reasoning of a message; a refusal in OpenAI's own field is what it says."""
    reasoning = next((message[name] for name in REASONING if isinstance(message.get(name), str)), None)
    content = message.get("content") or message.get("refusal") or ""
    if isinstance(content, list):
        text = "".join(_part(part, "text") for part in content)
        return text, reasoning or "".join(_part(part, "thinking") for part in content) or None
    if reasoning or not content.lstrip().startswith("<think>"):
        return content, reasoning
    thought, text = split_reasoning(content)
    return text, thought


def _part(part: Any, kind: str) -> str:
    """What a part of a message holds of a kind; Mistral nests the parts of its thinking."""
    held = part.get(kind) or "" if isinstance(part, dict) else ""
    return held if isinstance(held, str) else "".join(_part(inner, "text") for inner in held)


def _spent(usage: Mapping[str, Any], prices: Prices | None) -> dict[str, Any]:
    """Tokens and dollars, by the names of a turn's fields."""
    given, written = usage.get("prompt_tokens"), usage.get("completion_tokens")
    cached = (usage.get("prompt_tokens_details") or {}).get("cached_tokens")
    thought = (usage.get("completion_tokens_details") or {}).get("reasoning_tokens")
    if thought and written is not None and usage.get("total_tokens") == (given or 0) + written + thought:
        written += thought  # xAI counts them apart
    cost = usage.get("cost")  # OpenRouter's
    if prices and given is not None and written is not None:
        cost = prices.cost(given, cached or 0, written)
    return {
        "input_tokens": given,
        "cached_tokens": cached,
        "output_tokens": written,
        "reasoning_tokens": thought,
        "cost": cost,
    }


def _tokens(body: Mapping[str, Any], choice: Mapping[str, Any]) -> dict[str, Any]:
    """Token ids and logprobs, by the names of a turn's fields, where vLLM was asked for them."""
    told = (choice.get("logprobs") or {}).get("content")
    return {
        "prompt_token_ids": _numbers(body.get("prompt_token_ids")),
        "token_ids": _numbers(choice.get("token_ids")),
        "logprobs": _numbers(token["logprob"] for token in told) if told else None,
    }


def _numbers(found: Iterable[Any] | None) -> tuple[Any, ...] | None:
    return None if found is None else tuple(found)
