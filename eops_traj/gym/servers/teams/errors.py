"""How the Teams server answers and refuses."""

import json
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Envelope
from eops_traj.gym.tools.tool import Tool

_MODELS = {"create_channel": "ChannelCreateRequest"}
"""Tools whose problems are told as pydantic prints them, and the models they are told of."""


class TeamsEnvelope(Envelope):
    """Answers as pretty JSON, refusals as plain sentences."""

    absent_row = None

    def success(self, tool: Tool, result: Any) -> str:
        """The text of a result."""
        return self.done if tool.shape == "done" else json.dumps(result, indent=2)

    def reply(self, text: str, is_error: bool) -> dict[str, Any]:
        """The MCP result around a text."""
        return {"content": [{"type": "text", "text": text}], "isError": is_error}

    def unknown_caller(self, header: str) -> Refusal:
        """A token that nobody has, or whose owner cannot log in."""
        return Refusal("Invalid or expired access token", "UNAUTHENTICATED")

    def forbidden(self, tool: Tool, role: str) -> Refusal:
        """A caller whose role may not use the tool."""
        return Refusal(f"Access denied: {tool.name} is not allowed for the role '{role}'", "FORBIDDEN")

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Arguments that do not conform: a line each, or as pydantic prints them."""
        if tool.name in _MODELS:
            return Refusal(_printed(_MODELS[tool.name], problems), "VALIDATION_ERROR", problems)
        lines = [f"- {_place(p)}: {_wording(p)}" for p in problems]
        return Refusal("\n".join(["Validation errors:", *lines]), "VALIDATION_ERROR", problems)

    def nothing_given(self, tool: Tool) -> Refusal:
        """An update without a field."""
        return Refusal("At least one field must be provided for update")

    def reference(self, tool: Tool, argument: str, value: Any, table: str) -> Refusal:
        """A row that an argument refers to does not exist."""
        return Refusal(f"{table.removesuffix('s').capitalize()} not found: {value}", "INVALID_REFERENCE")

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """The row that the call is about does not exist."""
        return Refusal(f"Not found: {value}", "NOT_FOUND")


def _place(problem: Problem) -> str:
    """The property it is about, without what it is part of."""
    return next((step for step in reversed(problem.loc) if isinstance(step, str)), "")


def _wording(problem: Problem) -> str:
    return f"{_place(problem)} is required" if problem.type == "missing" else problem.msg


def _printed(model: str, problems: list[Problem]) -> str:
    count = f"{len(problems)} validation error{'s' * (len(problems) != 1)}"
    lines = [f"Invalid request: {count} for {model}"]
    for p in problems:
        value = f"input_value={_shortened(repr(p.input))}, input_type={type(p.input).__name__}"
        lines += [
            ".".join(map(str, p.loc)),
            f"  {p.msg} [type={p.type}, {value}]",
            f"    For further information visit https://errors.pydantic.dev/2.12/v/{p.type}",
        ]
    return "\n".join(lines)


def _shortened(text: str) -> str:
    """The text as pydantic prints a value: 50 characters of it, the middle left out."""
    return text if len(text) <= 50 else f"{text[:25]}...{text[-24:]}"
