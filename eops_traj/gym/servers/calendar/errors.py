"""The answers of the Calendar server: indented JSON, and refusals as plain text without an error flag."""

import json
from collections.abc import Sequence
from typing import Any

from eops_traj.gym.api_styles.google import GoogleRefusal, GoogleResponses, error, http_status
from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.tool import Tool

_UNKNOWN_CALLER = "UNAUTHENTICATED"


class CalendarResponses(GoogleResponses):
    """``HTTP 404: Event not found: x``; an unknown caller is a failed tool execution."""

    def success(self, tool: Tool, result: Any) -> str:
        """Return the text of a result."""
        return self.done if tool.shape == "done" else json.dumps(result, indent=2)

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        how = "Tool execution failed" if refusal.code == _UNKNOWN_CALLER else f"HTTP {http_status(refusal)}"
        return f"{how}: {refusal.message}"

    def reply(self, text: str, is_error: bool) -> dict[str, Any]:
        """Return the MCP result, which is never marked as an error."""
        return {"content": [{"type": "text", "text": text}], "isError": False}

    def unknown_tool(self, name: str) -> str:
        """Return the text for a tool that does not exist."""
        return f"Unknown tool: {name}"

    def unknown_caller(self, header: str) -> Refusal:
        """Return the refusal of a token that no one has."""
        return error(_UNKNOWN_CALLER, "User not found for given access token")

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Return the refusal of arguments that do not conform: one wrong choice by itself, or a list."""
        first = problems[0]
        if len(problems) == 1 and first.type == "enum" and len(first.loc) == 1:
            choices = first.ctx["expected"].replace(" or ", ", ")
            message = f"Invalid {first.loc[0]} value '{first.input}'. Acceptable values are: {choices}"
        else:
            lines = [f"- {_path(p.loc)}: {_words(p.msg)}" for p in problems]
            message = "\n".join(["Validation errors:", *lines])
        return GoogleRefusal(message, "INVALID_ARGUMENT", problems=problems)


def _path(loc: Sequence[str | int]) -> str:
    """Return the place of a problem, as in ``attendees[0].email``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc]
    return "".join(parts).lstrip(".")


def _words(message: str) -> str:
    if message == "Field required":
        return "is required"
    return message.replace("String should have at least", "must have at least")
