"""How the Calendar server answers: indented JSON, and refusals as plain text that no flag marks as errors."""

import json
from collections.abc import Sequence
from typing import Any

from eops_traj.gym.api_styles.google import GoogleEnvelope, GoogleRefusal, error, http_status
from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.tool import Tool

_NOBODY = "UNAUTHENTICATED"


class CalendarEnvelope(GoogleEnvelope):
    """``HTTP 404: Event not found: x``; a caller that nobody knows is a failed tool execution."""

    def success(self, tool: Tool, result: Any) -> str:
        """The text of a result."""
        return self.done if tool.shape == "done" else json.dumps(result, indent=2)

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """The text of a refusal."""
        how = "Tool execution failed" if refusal.code == _NOBODY else f"HTTP {http_status(refusal)}"
        return f"{how}: {refusal.message}"

    def reply(self, text: str, is_error: bool) -> dict[str, Any]:
        """The MCP result: never marked as an error."""
        return {"content": [{"type": "text", "text": text}], "isError": False}

    def unknown_tool(self, name: str) -> str:
        """The text for a tool that nobody has."""
        return f"Unknown tool: {name}"

    def unknown_caller(self, header: str) -> Refusal:
        """A token that nobody has."""
        return error(_NOBODY, "User not found for given access token")

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Arguments that do not conform: one wrong choice by itself, or a list."""
        first = problems[0]
        if len(problems) == 1 and first.type == "enum" and len(first.loc) == 1:
            choices = first.ctx["expected"].replace(" or ", ", ")
            message = f"Invalid {first.loc[0]} value '{first.input}'. Acceptable values are: {choices}"
        else:
            lines = [f"- {_path(p.loc)}: {_words(p.msg)}" for p in problems]
            message = "\n".join(["Validation errors:", *lines])
        return GoogleRefusal(message, "INVALID_ARGUMENT", problems=problems)


def _path(loc: Sequence[str | int]) -> str:
    """Where a problem is, as in ``attendees[0].email``."""
    parts = [f"[{part}]" if isinstance(part, int) else f".{part}" for part in loc]
    return "".join(parts).lstrip(".")


def _words(message: str) -> str:
    if message == "Field required":
        return "is required"
    return message.replace("String should have at least", "must have at least")
