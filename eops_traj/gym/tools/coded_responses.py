"""Refusals with codes, as the ITSM and HR servers word them.

A refusal is ``{"detail": {"error": true, "error_code": "NOT_FOUND", "message": ...}}``. Arguments that do not
conform give FastAPI's list instead: ``{"detail": [{"type": ..., "loc": ["body", "phone"], ...}]}``.
"""

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Responses
from eops_traj.gym.tools.tool import Tool

Wordings = Mapping[str, tuple[str, str]]
"""Codes and messages by their case; ``{argument}`` in a message is its value."""

_MESSAGES: Mapping[str, tuple[str, Callable[[Problem], str]]] = {
    "enum": ("INVALID_ENUM_VALUE", lambda problem: _choices(problem)),
    "missing": ("MISSING_FIELD", lambda problem: f"{_name(problem)} is required"),
    "datetime_parsing": (
        "INVALID_DATE_FORMAT",
        lambda problem: f"Invalid date format for '{_name(problem)}': '{problem.input}'. Use ISO 8601",
    ),
    "inverted_range": ("VALIDATION_ERROR", lambda problem: problem.msg),
}
"""Problems that are reported in sentences: those of the first kind that occurs, and no others."""


class CodedResponses(Responses):
    """Results as bare JSON, refusals with a code. A server names its records and its duplicates."""

    absent_row = None
    names: Mapping[str, str] = MappingProxyType({})
    """The name of a table's records, where it is not the table's own."""
    not_found: Mapping[str, str] = MappingProxyType({})
    """The code for a missing record of a table, where it is not NOT_FOUND."""
    duplicates: Wordings = MappingProxyType({})
    """The refusals of failed UNIQUE constraints, by their columns as SQLite lists them."""
    formats: Wordings = MappingProxyType({})
    """The code and message of problems that the server's own validators find, by pydantic's type."""
    nested_codes: frozenset[str] = frozenset({"USER_EMAIL_NOT_FOUND", "CANNOT_SEND_TO_SELF"})
    """Codes that are given as a detail of VALIDATION_ERROR."""

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """Return the text of a refusal."""
        if refusal.problems:
            return json.dumps({"detail": [self._listed(problem) for problem in refusal.problems]})
        detail: dict[str, Any] = {"error": True, "error_code": refusal.code, "message": refusal.message}
        if refusal.code in self.nested_codes:
            detail["error_code"] = "VALIDATION_ERROR"
            detail["details"] = [{"code": refusal.code, "message": refusal.message}]
        return json.dumps({"detail": detail}, ensure_ascii=False)

    def unknown_caller(self, header: str) -> Refusal:
        """Refuse a token that no user has."""
        return Refusal("Invalid authentication token", "UNAUTHORIZED")

    def forbidden(self, tool: Tool, role: str) -> Refusal:
        """Refuse a caller whose role may not use the tool."""
        return Refusal(f"Role '{role}' does not have permission to use '{tool.name}'", "FORBIDDEN")

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Refuse arguments that do not conform: enums first, then what is missing, then pydantic's list."""
        for kind, (code, describe) in _MESSAGES.items():
            if messages := [describe(problem) for problem in problems if problem.type == kind]:
                return Refusal("; ".join(messages), code)
        section = "body" if tool.statement is None or tool.statement.writes else "query"
        listed = [Problem(p.type, (section, *p.loc), p.msg, p.input, p.ctx) for p in problems]
        return Refusal("; ".join(p.msg for p in problems), "VALIDATION_ERROR", listed)

    def nothing_given(self, tool: Tool) -> Refusal:
        """Refuse an update without a field, a delete without a filter, a look-up without an identifier."""
        statement = tool.statement
        if statement and statement.writes and statement.slot == "filters":
            return Refusal("At least one filter must be provided", "VALIDATION_ERROR")
        if tool.any_of:
            names = " or ".join(tool.any_of)
            return Refusal(f"At least one of {names} must be provided", "MISSING_IDENTIFIERS")
        return Refusal("At least one field must be provided for update", "NO_FIELDS_PROVIDED")

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """Refuse a call about a record that does not exist."""
        table = tool.table.name if tool.table else "record"
        message = f"{self.record_name(table)} not found with identifier '{value}'"
        return Refusal(message, self.not_found.get(table, "NOT_FOUND"))

    def reference(self, tool: Tool, argument: str, value: Any, table: str) -> Refusal:
        """Refuse a reference to a record that does not exist."""
        return Refusal(f"{self.record_name(table)} with ID '{value}' not found", "INVALID_REFERENCE")

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """Refuse a write that the database refused."""
        kind, _, columns = message.partition(" constraint failed: ")
        if kind == "NOT NULL":
            return Refusal(f"{columns.split('.')[-1]} cannot be empty", "MISSING_REQUIRED_VALUE")
        if columns in self.duplicates:
            code, wording = self.duplicates[columns]
            text = re.sub(r"\{(\w+)\}", lambda name: str(arguments.get(name[1], "")), wording)
            return Refusal(text, code)
        return Refusal(message, "CONSTRAINT_VIOLATION")

    def record_name(self, table: str) -> str:
        """Return the name of a table's records."""
        return self.names.get(table, table.replace("_", " ").capitalize())

    def _listed(self, problem: Problem) -> dict[str, Any]:
        """Return a problem as FastAPI lists it; those of the server's own validators carry their code."""
        entry = {"type": problem.type, "loc": list(problem.loc), "msg": problem.msg, "input": problem.input}
        if problem.type in self.formats:
            code, message = self.formats[problem.type]
            return entry | {
                "type": "value_error",
                "msg": f"Value error, {message}",
                "ctx": {"error_code": code},
            }
        return entry | ({"ctx": dict(problem.ctx)} if problem.ctx else {})


def _name(problem: Problem) -> str:
    return next((part for part in reversed(problem.loc) if isinstance(part, str)), "")


def _choices(problem: Problem) -> str:
    choices = ", ".join(sorted(re.findall(r"'[^']*'", problem.ctx["expected"])))
    return f"Invalid value '{problem.input}' for '{_name(problem)}'. Must be one of: {choices}"
