"""The wording of the CSM server's refusals."""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Responses
from eops_traj.gym.tools.tool import Tool

_BARE = "UNAUTHENTICATED"


class CsmResponses(Responses):
    """``API Error [tool]: message``; what is wrong with arguments is printed as a Python list."""

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        prefix = "Error" if refusal.code == _BARE else f"API Error [{tool}]"
        return f"{prefix}: {refusal.message}"

    def anonymous(self, header: str) -> Refusal:
        """Refuse a call without the header."""
        return Refusal(f"{header} header is required for user identification", _BARE)

    def unknown_caller(self, header: str) -> Refusal:
        """Refuse an address that no user has."""
        return Refusal("User not found for given email", _BARE)

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Refuse arguments that do not conform, listed as pydantic lists them."""
        part = "body" if tool.statement and tool.statement.writes else "query"
        listed = [
            {"type": p.type, "loc": [part, *p.loc], "msg": p.msg, "input": p.input}
            | ({"ctx": dict(p.ctx)} if p.ctx else {})
            for p in problems
        ]
        return Refusal(str(listed), "VALIDATION_ERROR", problems)

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """Refuse a write that the database refused, naming a duplicate or else in SQLite's own words."""
        kind, _, columns = message.partition(" constraint failed: ")
        if kind == "UNIQUE":
            names = ", ".join(part.split(".")[-1] for part in columns.split(", "))
            return Refusal(f"{names} already exists", "DUPLICATE")
        if message.startswith("FOREIGN KEY"):
            return Refusal("other records still refer to it", "CONSTRAINT_VIOLATION")
        return Refusal(message, "CONSTRAINT_VIOLATION")
