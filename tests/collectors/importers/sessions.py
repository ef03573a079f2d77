"""Session files of Claude Code and of Codex about the case of the tests, as those programs write them."""

import json
from pathlib import Path
from typing import Any

Line = dict[str, Any]
LOOK, WRITE = {"case_id": 5}, {"case_id": 5, "reopen_count": 9}
USAGE = {
    "input_tokens": 7,
    "cache_read_input_tokens": 100,
    "cache_creation_input_tokens": 20,
    "output_tokens": 30,
}


def write(path: Path, lines: list[Line], cut: str = "") -> Path:
    """Write the lines; ``cut`` is the beginning of one more."""
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text("".join(json.dumps(line) + "\n" for line in lines) + cut)
    return path


def claude_lines(version: str = "2.0.61", **usage: Any) -> list[Line]:
    """A session: a look by itself, then a write beside a tool of the program's own, then the answer."""
    talk = [
        ("user", "Case 5 was reopened again."),
        ("assistant", "m1", [{"type": "thinking", "thinking": "Look first.", "signature": "s"}]),
        ("assistant", "m1", [{"type": "text", "text": "I look it up."}]),
        ("assistant", "m1", [use("t1", "mcp__gym__find_case_slas", LOOK)]),
        ("user", [result("t1", [{"type": "text", "text": "[]"}])]),
        ("assistant", "m2", [use("t2", "Bash", {"command": "date"})]),
        ("assistant", "m2", [use("t3", "mcp__gym__update_case", WRITE)]),
        ("user", [result("t2", "Monday", is_error=True)]),
        ("user", [result("t3", "{}")]),
        ("assistant", "m3", [{"type": "text", "text": "Case 5 is done."}]),
    ]
    head = {"type": "summary", "summary": "A case", "leafUuid": "u9"}
    return [head, *(_claude(n, version, *said) for n, said in enumerate(talk))]


def _claude(number: int, version: str, kind: str, *said: Any) -> Line:
    message: Line = {"role": kind, "content": said[-1]}
    if kind == "assistant":
        message |= {"id": said[0], "model": "claude-fine-4", "usage": USAGE, "stop_reason": "tool_use"}
    return {
        "parentUuid": f"u{number - 1}" if number else None, "isSidechain": False, "sessionId": "s1",
        "version": version, "type": kind, "message": message, "uuid": f"u{number}",
        "timestamp": f"2026-01-05T09:00:{number:02}.000Z", "cwd": "/home/somebody", "gitBranch": "",
    }  # fmt: skip


def use(call_id: str, name: str, arguments: Line) -> Line:
    """A part of a reply that calls a tool."""
    return {"type": "tool_use", "id": call_id, "name": name, "input": arguments}


def result(call_id: str, content: Any, **more: Any) -> Line:
    """A part of a message of the user that is a tool's result."""
    return {"type": "tool_result", "tool_use_id": call_id, "content": content, **more}


def codex_lines(version: str = "0.65.0") -> list[Line]:
    """A rollout of the same work."""
    head = {"id": "s2", "cwd": "/home/somebody", "cli_version": version, "originator": "codex_exec",
            "instructions": "Be brief."}  # fmt: skip
    items = [
        ("turn_context", {"model": "gpt-fine", "effort": "high"}),
        ("response_item", said("user", "<environment_context>linux</environment_context>")),
        ("response_item", said("user", "Case 5 was reopened again.")),
        (
            "response_item",
            {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Look first."}]},
        ),
        ("response_item", called("c1", "mcp__gym__find_case_slas", LOOK)),
        ("event_msg", tokens(120, 100, 30, 12)),
        ("response_item", {"type": "function_call_output", "call_id": "c1", "output": "[]"}),
        ("response_item", called("c2", "shell", {"command": ["date"]})),
        ("response_item", called("c3", "mcp__gym__update_case", WRITE)),
        ("response_item", output("c2", {"content": "Monday", "success": False})),
        ("response_item", output("c3", [{"type": "input_text", "text": "{}"}])),
        ("event_msg", tokens(200, 110, 31, 0)),
        ("event_msg", tokens(200, 110, 31, 0)),
        ("response_item", said("assistant", "Case 5 is done.")),
        ("event_msg", {"type": "token_count", "info": None}),
    ]
    lines = [("session_meta", head), *items]
    return [{"timestamp": f"2026-01-05T09:01:{n:02}Z", "type": kind, "payload": payload}
            for n, (kind, payload) in enumerate(lines)]  # fmt: skip


def said(role: str, text: str) -> Line:
    """A message of a rollout."""
    kind = "output_text" if role == "assistant" else "input_text"
    return {"type": "message", "role": role, "content": [{"type": kind, "text": text}]}


def called(call_id: str, name: str, arguments: Line) -> Line:
    """A call of a rollout."""
    return {"type": "function_call", "call_id": call_id, "name": name, "arguments": json.dumps(arguments)}


def output(call_id: str, content: Any) -> Line:
    """A result of a rollout."""
    return {"type": "function_call_output", "call_id": call_id, "output": content}


def tokens(read: int, cached: int, written: int, thought: int) -> Line:
    """A count of tokens."""
    usage = {"input_tokens": read, "cached_input_tokens": cached, "output_tokens": written,
             "reasoning_output_tokens": thought}  # fmt: skip
    return {"type": "token_count", "info": {"last_token_usage": usage, "total_token_usage": usage}}
