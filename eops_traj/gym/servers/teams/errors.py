"""The wording of the Teams server's results and refusals."""

import json
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Responses
from eops_traj.gym.tools.tool import Tool

_MODELS = {"create_channel": "ChannelCreateRequest"}
"""Tools whose problems are printed as pydantic prints them, and the models it names."""


class TeamsResponses(Responses):
    """Results as pretty JSON, refusals as plain sentences."""

    absent_row = None

    def success(self, tool: Tool, result: Any) -> str:
        """Return the text of a result."""
        return self.done if tool.shape == "done" else json.dumps(result, indent=2)

    def reply(self, text: str, is_error: bool) -> dict[str, Any]:
        """Return the MCP result around a text."""
        return {"content": [{"type": "text", "text": text}], "isError": is_error}

    def unknown_caller(self, header: str) -> Refusal:
        """Refuse a token that no user has, or whose owner cannot log in."""
        return Refusal("Invalid or expired access token", "UNAUTHENTICATED")

    def forbidden(self, tool: Tool, role: str) -> Refusal:
        """Refuse a caller whose role may not use the tool."""
        return Refusal(f"Access denied: {tool.name} is not allowed for the role '{role}'", "FORBIDDEN")

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Refuse arguments that do not conform: a line each, or as pydantic prints them."""
        if tool.name in _MODELS:
            return Refusal(_pydantic_text(_MODELS[tool.name], problems), "VALIDATION_ERROR", problems)
        lines = [f"- {_property_name(p)}: {_problem_text(p)}" for p in problems]
        return Refusal("\n".join(["Validation errors:", *lines]), "VALIDATION_ERROR", problems)

    def nothing_given(self, tool: Tool) -> Refusal:
        """Refuse an update without a field."""
        return Refusal("At least one field must be provided for update")

    def reference(self, tool: Tool, argument: str, value: Any, table: str) -> Refusal:
        """Refuse a reference to a row that does not exist."""
        return Refusal(f"{table.removesuffix('s').capitalize()} not found: {value}", "INVALID_REFERENCE")

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """Refuse a call about a row that does not exist."""
        return Refusal(f"Not found: {value}", "NOT_FOUND")


def _property_name(problem: Problem) -> str:
    """Return the name of the property, without what it is part of."""
    return next((step for step in reversed(problem.loc) if isinstance(step, str)), "")


def _problem_text(problem: Problem) -> str:
    return f"{_property_name(problem)} is required" if problem.type == "missing" else problem.msg


def _pydantic_text(model: str, problems: list[Problem]) -> str:
    count = f"{len(problems)} validation error{'s' * (len(problems) != 1)}"
    lines = [f"Invalid request: {count} for {model}"]
    for p in problems:
        value = f"input_value={_shorten(repr(p.input))}, input_type={type(p.input).__name__}"
        lines += [
            ".".join(map(str, p.loc)),
            f"  {p.msg} [type={p.type}, {value}]",
            f"    For further information visit https://errors.pydantic.dev/2.12/v/{p.type}",
        ]
    return "\n".join(lines)


def _shorten(text: str) -> str:
    """Shorten a text as pydantic prints a value: to 50 characters, the middle left out."""
    return text if len(text) <= 50 else f"{text[:25]}...{text[-24:]}"
