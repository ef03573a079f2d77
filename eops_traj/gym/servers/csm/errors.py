"""How the CSM server words its refusals."""

from collections.abc import Mapping
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Envelope
from eops_traj.gym.tools.tool import Tool

_BARE = "UNAUTHENTICATED"


class CsmEnvelope(Envelope):
    """``API Error [tool]: message``; what is wrong with arguments is printed as a Python list."""

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """The text of a refusal."""
        prefix = "Error" if refusal.code == _BARE else f"API Error [{tool}]"
        return f"{prefix}: {refusal.message}"

    def anonymous(self, header: str) -> Refusal:
        """A call without the header."""
        return Refusal(f"{header} header is required for user identification", _BARE)

    def unknown_caller(self, header: str) -> Refusal:
        """An address that nobody has."""
        return Refusal("User not found for given email", _BARE)

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Arguments that do not conform, as pydantic lists them."""
        place = "body" if tool.statement and tool.statement.writes else "query"
        listed = [
            {"type": p.type, "loc": [place, *p.loc], "msg": p.msg, "input": p.input}
            | ({"ctx": dict(p.ctx)} if p.ctx else {})
            for p in problems
        ]
        return Refusal(str(listed), "VALIDATION_ERROR", problems)

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """A write that the database refused: a duplicate is named, the rest is SQLite's own message."""
        kind, _, columns = message.partition(" constraint failed: ")
        if kind == "UNIQUE":
            names = ", ".join(part.split(".")[-1] for part in columns.split(", "))
            return Refusal(f"{names} already exists", "DUPLICATE")
        if message.startswith("FOREIGN KEY"):
            return Refusal("other records still refer to it", "CONSTRAINT_VIOLATION")
        return Refusal(message, "CONSTRAINT_VIOLATION")
