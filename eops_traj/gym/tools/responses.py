"""The responses of a server: the shape of its results, the wording of its refusals.

A server package derives its own `Responses` and overrides where its real server differs. Nothing else
in the gym knows an error text.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.tool import Tool


class Responses:
    """Results as bare JSON, refusals as plain sentences."""

    absent_row: Mapping[str, Any] | None = MappingProxyType({})
    """The result of a look-up without a match; None where the server refuses instead."""

    done = "Operation completed successfully"
    """The text of a tool without a result."""

    # results

    def success(self, tool: Tool, result: Any) -> str:
        """Return the text of a result."""
        if tool.shape == "done":
            return self.done
        return json.dumps(result, ensure_ascii=False)

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        return refusal.message

    def reply(self, text: str, is_error: bool) -> dict[str, Any]:
        """Return the MCP result around a text."""
        content = [{"type": "text", "text": text, "annotations": None, "meta": None}]
        return {"meta": None, "content": content, "structuredContent": None, "isError": is_error}

    # the caller

    def anonymous(self, header: str) -> Refusal:
        """Refuse a call without a caller."""
        return Refusal(f"{header} header is required", "UNAUTHENTICATED")

    def unknown_caller(self, header: str) -> Refusal:
        """Refuse a caller whom the database does not know."""
        return Refusal(f"unknown {header}", "UNAUTHENTICATED")

    def forbidden(self, tool: Tool, role: str) -> Refusal:
        """Refuse a caller whose role may not use the tool."""
        return Refusal(f"role '{role}' may not use {tool.name}", "FORBIDDEN")

    # the arguments

    def unknown_tool(self, name: str) -> str:
        """Return the text for a tool that no server has."""
        return f"Unknown tool: {name}"

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Refuse arguments that do not conform."""
        text = "; ".join(f"{'.'.join(map(str, p.loc))}: {p.msg}" for p in problems)
        return Refusal(f"Validation errors: {text}", "VALIDATION_ERROR", problems)

    def nothing_given(self, tool: Tool) -> Refusal:
        """Refuse an update without a field, or a delete without a filter."""
        deletes = tool.shape == "deleted"
        return Refusal("At least one filter must be provided" if deletes else "No fields to update")

    # the data

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """Refuse a call about a row that does not exist."""
        return Refusal(f"{argument} not found", "NOT_FOUND")

    def reference(self, tool: Tool, argument: str, value: Any, table: str) -> Refusal:
        """Refuse a reference to a row that does not exist."""
        return Refusal(f"{argument} not found", "INVALID_REFERENCE")

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """Refuse a write that the database refused."""
        return Refusal(message, "CONSTRAINT_VIOLATION")
