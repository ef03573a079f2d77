"""Scripted models over HTTP: they play a case, the next call when the last one is answered.

Which case is played stands in the request's own words: the last user message names it.
"""

import json
from collections.abc import Mapping
from typing import Any

from tests.endpoint import Answer, ReceivedRequest, completion
from tests.environments.cases import BY_NAME, Case

MARK = "Case: "


def case_of(text: str) -> Case:
    """The case that a request's words name."""
    return BY_NAME[text.rpartition(MARK)[2].split()[0]]


def responses_model(request: ReceivedRequest) -> Answer:
    """Answer a request of the Responses API."""
    items: list[Mapping[str, Any]] = request.body["input"]
    case = case_of(next(str(item["content"]) for item in reversed(items) if item.get("role") == "user"))
    made = sum(item.get("type") == "function_call_output" for item in items)
    output = _call(case, made) if made < len(case.calls) else _message(case.reply)
    body = {
        "id": "resp_1", "created_at": 1.0, "model": "m-1", "object": "response", "output": [output],
        "parallel_tool_calls": False, "tool_choice": "auto", "tools": request.body.get("tools", []),
    }  # fmt: skip
    return Answer(body)


def chat_model(request: ReceivedRequest) -> Answer:
    """Answer a request of the chat completions API."""
    messages: list[Mapping[str, Any]] = request.body["messages"]
    case = case_of(next(str(m["content"]) for m in reversed(messages) if m["role"] == "user"))
    made = sum(message["role"] == "tool" for message in messages)
    if made < len(case.calls):
        return Answer(completion(None, case.calls[made]))
    return Answer(completion(case.reply))


CUT, LACKING = "Cut: ", "Lacking: "


def breaking_model(request: ReceivedRequest) -> Answer:
    """Answer as `chat_model`; where a request says so, its calls are cut or lack their first argument."""
    answer, said = chat_model(request), str(request.body["messages"])
    choice = answer.body["choices"][0]
    functions = [call["function"] for call in choice["message"].get("tool_calls", ())]
    for function in functions:
        if CUT in said:
            choice["finish_reason"] = "length"
            function["arguments"] = function["arguments"].removesuffix("}")
        elif LACKING in said:
            first, _, others = function["arguments"].removesuffix("}").partition(", ")
            function["arguments"] = f"{{{others}" if others else first
    return answer


def _call(case: Case, made: int) -> dict[str, Any]:
    name, arguments = case.calls[made]
    text = json.dumps(arguments)
    return {
        "type": "function_call",
        "call_id": f"c{made}",
        "name": name,
        "arguments": text,
        "status": "completed",
    }


def _message(text: str) -> dict[str, Any]:
    content = [{"type": "output_text", "text": text, "annotations": []}]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": content}
