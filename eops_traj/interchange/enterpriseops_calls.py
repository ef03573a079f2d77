"""The tool calls of an EnterpriseOps-Gym result file, with their results, and back again.

A call is ``name`` and ``args``. A result is what the harness's client returned: ``success``, ``error``, and
under ``result`` what the tool said: an MCP answer with ``content``, or that content alone, as a text or in
blocks.
"""

import json
from dataclasses import replace
from typing import Any

from eops_traj.hashing import canonical_json
from eops_traj.schema import Json, ToolCall


def read_call(number: str, call: dict[str, Any]) -> ToolCall:
    """Return a call of a reply, without its result; arguments that are no object are kept as they stood."""
    arguments = call["args"]
    if not isinstance(arguments, dict):
        return ToolCall(id=number, name=call["name"], arguments=Json("{}"), raw=canonical_json(arguments))
    return ToolCall(id=number, name=call["name"], arguments=Json(canonical_json(arguments)))


def with_result(call: ToolCall, result: dict[str, Any], server: str | None) -> ToolCall:
    """Return the call with the harness's result: a single text taken out, the envelope kept around the hole.

    A result whose content is not a single text is kept in the envelope whole.
    """
    inner = result.get("result")
    content = _content(inner)
    texts = _texts(content)
    whole = isinstance(content, str) or (bool(content) and len(content) == len(texts) == 1)
    return replace(
        call,
        server=server,
        result="\n".join(texts) if texts else None,
        envelope=Json(canonical_json({**result, "result": _emptied(inner)} if whole else result)),
        is_error=not result.get("success", True) or bool(isinstance(inner, dict) and inner.get("isError")),
        error=_error_text(result.get("error")),
    )


def _error_text(error: Any) -> str | None:
    """Return the error of a result as text: one of JSON-RPC is an object, which the envelope keeps."""
    message = error.get("message") if isinstance(error, dict) else error
    if isinstance(message, str) and message:
        return message
    return canonical_json(error) if error else None


def result_of(call: ToolCall) -> dict[str, Any]:
    """Return the harness's result again: :func:`with_result` undone."""
    envelope: dict[str, Any] = json.loads(call.envelope or "{}")
    if "result" in envelope and call.result is not None:
        envelope["result"] = _filled(envelope["result"], call.result)
    return envelope


def arguments_of(call: ToolCall) -> Any:
    """Return a call's arguments as the harness records them: what the model wrote, where that was JSON."""
    try:
        return json.loads(call.raw or call.arguments)
    except ValueError:  # the harness never saw such a call: a client of ours salvaged it, or gave it up
        return json.loads(call.arguments)


def _content(inner: Any) -> Any:
    """Return what a tool said: the content of an MCP answer, or the answer where it is content alone."""
    return inner.get("content") if isinstance(inner, dict) else inner


def _texts(content: Any) -> list[str]:
    if isinstance(content, str):
        return [content]
    blocks = content if isinstance(content, list) else ()
    return [b["text"] for b in blocks if isinstance(b, dict) and isinstance(b.get("text"), str)]


def _emptied(inner: Any) -> Any:
    """Return an answer with a hole, None, where its only text was."""
    if isinstance(inner, dict):
        return {**inner, "content": _emptied(inner["content"])}
    return [{**inner[0], "text": None}] if isinstance(inner, list) else None


def _filled(inner: Any, text: str) -> Any:
    """Return an answer with a text in its hole; as it is where it has none."""
    if isinstance(inner, dict) and "content" in inner:
        return {**inner, "content": _filled(inner["content"], text)}
    if isinstance(inner, list) and inner and isinstance(inner[0], dict) and inner[0].get("text", "") is None:
        return [{**inner[0], "text": text}, *inner[1:]]
    return text if inner is None else inner
