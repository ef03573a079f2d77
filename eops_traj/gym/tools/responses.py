"""How a server speaks: the shape of its answers, the wording of its refusals.

A server package derives its own `Envelope` and overrides what its real server says differently. Nothing else
in the gym knows an error text.
"""

import json
from collections.abc import Mapping
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from eops_traj.gym.tools.errors import Problem, Refusal

if TYPE_CHECKING:
    from eops_traj.gym.tools.tool import Tool


class Envelope:
    """Answers as bare JSON, refusals as plain sentences."""

    absent_row: Mapping[str, Any] | None = MappingProxyType({})
    """What a look-up answers when it finds nothing; None where the server refuses instead."""

    done = "Operation completed successfully"
    """What a tool without a result answers."""

    # answers

    def success(self, tool: "Tool", result: Any) -> str:
        """The text of a result."""
        if tool.shape == "done":
            return self.done
        return json.dumps(result, ensure_ascii=False)

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """The text of a refusal."""
        return refusal.message

    def reply(self, text: str, is_error: bool) -> dict[str, Any]:
        """The MCP result around a text."""
        content = [{"type": "text", "text": text, "annotations": None, "meta": None}]
        return {"meta": None, "content": content, "structuredContent": None, "isError": is_error}

    # the caller

    def anonymous(self, header: str) -> Refusal:
        """A call that does not say who calls."""
        return Refusal(f"{header} header is required", "UNAUTHENTICATED")

    def unknown_caller(self, header: str) -> Refusal:
        """A caller whom the database does not know."""
        return Refusal(f"unknown {header}", "UNAUTHENTICATED")

    def forbidden(self, tool: "Tool", role: str) -> Refusal:
        """A caller whose role may not use the tool."""
        return Refusal(f"role '{role}' may not use {tool.name}", "FORBIDDEN")

    # the arguments

    def unknown_tool(self, name: str) -> str:
        """The text for a tool that nobody has."""
        return f"Unknown tool: {name}"

    def invalid(self, tool: "Tool", problems: list[Problem]) -> Refusal:
        """Arguments that do not conform."""
        text = "; ".join(f"{'.'.join(map(str, p.loc))}: {p.msg}" for p in problems)
        return Refusal(f"Validation errors: {text}", "VALIDATION_ERROR", problems)

    def nothing_given(self, tool: "Tool") -> Refusal:
        """An update without a field, or a delete without a filter."""
        deletes = tool.shape == "deleted"
        return Refusal("At least one filter must be provided" if deletes else "No fields to update")

    # the data

    def missing(self, tool: "Tool", argument: str, value: Any) -> Refusal:
        """The row that the call is about does not exist."""
        return Refusal(f"{argument} not found", "NOT_FOUND")

    def reference(self, tool: "Tool", argument: str, value: Any, table: str) -> Refusal:
        """A row that an argument refers to does not exist."""
        return Refusal(f"{argument} not found", "INVALID_REFERENCE")

    def constraint(self, tool: "Tool", message: str, arguments: Mapping[str, Any]) -> Refusal:
        """The database refused the write."""
        return Refusal(message, "CONSTRAINT_VIOLATION")
