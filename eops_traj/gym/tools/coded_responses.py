"""Refusals with codes, as the ITSM server and its sibling for HR word them.

A refusal is ``{"detail": {"error": true, "error_code": "NOT_FOUND", "message": ...}}``. Arguments that do not
conform give FastAPI's list instead: ``{"detail": [{"type": ..., "loc": ["body", "phone"], ...}]}``.
"""

import json
import re
from collections.abc import Callable, Mapping
from types import MappingProxyType
from typing import Any

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Envelope
from eops_traj.gym.tools.tool import Tool

Wordings = Mapping[str, tuple[str, str]]
"""Codes and messages by what they are for; ``{argument}`` in a message is its value."""

_MESSAGES: Mapping[str, tuple[str, Callable[[Problem], str]]] = {
    "enum": ("INVALID_ENUM_VALUE", lambda problem: _choices(problem)),
    "missing": ("MISSING_FIELD", lambda problem: f"{_name(problem)} is required"),
    "datetime_parsing": (
        "INVALID_DATE_FORMAT",
        lambda problem: f"Invalid date format for '{_name(problem)}': '{problem.input}'. Use ISO 8601",
    ),
    "inverted_range": ("VALIDATION_ERROR", lambda problem: problem.msg),
}
"""Problems that are told in sentences; the first kind that occurs is told, of all the others none."""


class CodedEnvelope(Envelope):
    """Answers as bare JSON, refusals with a code. A server says what it calls its records and duplicates."""

    absent_row = None
    names: Mapping[str, str] = MappingProxyType({})
    """What a record of a table is called, where the table's own words will not do."""
    not_found: Mapping[str, str] = MappingProxyType({})
    """The code for a record of a table that is not there, where it is not NOT_FOUND."""
    duplicates: Wordings = MappingProxyType({})
    """What is said when a UNIQUE constraint fails, by its columns as SQLite lists them."""
    formats: Wordings = MappingProxyType({})
    """The code and message of problems that the server's own validators find, by pydantic's type."""
    within: frozenset[str] = frozenset({"USER_EMAIL_NOT_FOUND", "CANNOT_SEND_TO_SELF"})
    """Codes that are given as a detail of VALIDATION_ERROR."""

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """The text of a refusal."""
        if refusal.problems:
            return json.dumps({"detail": [self._listed(problem) for problem in refusal.problems]})
        detail: dict[str, Any] = {"error": True, "error_code": refusal.code, "message": refusal.message}
        if refusal.code in self.within:
            detail["error_code"] = "VALIDATION_ERROR"
            detail["details"] = [{"code": refusal.code, "message": refusal.message}]
        return json.dumps({"detail": detail}, ensure_ascii=False)

    def unknown_caller(self, header: str) -> Refusal:
        """A token that no user has."""
        return Refusal("Invalid authentication token", "UNAUTHORIZED")

    def forbidden(self, tool: Tool, role: str) -> Refusal:
        """A caller whose role may not use the tool."""
        return Refusal(f"Role '{role}' does not have permission to use '{tool.name}'", "FORBIDDEN")

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Arguments that do not conform: enums first, then what is missing, then pydantic's list."""
        for kind, (code, tell) in _MESSAGES.items():
            if told := [tell(problem) for problem in problems if problem.type == kind]:
                return Refusal("; ".join(told), code)
        place = "body" if tool.statement is None or tool.statement.writes else "query"
        placed = [Problem(p.type, (place, *p.loc), p.msg, p.input, p.ctx) for p in problems]
        return Refusal("; ".join(p.msg for p in problems), "VALIDATION_ERROR", placed)

    def nothing_given(self, tool: Tool) -> Refusal:
        """An update without a field, a delete without a filter, a look-up without an identifier."""
        statement = tool.statement
        if statement and statement.writes and statement.slot == "filters":
            return Refusal("At least one filter must be provided", "VALIDATION_ERROR")
        if tool.any_of:
            names = " or ".join(tool.any_of)
            return Refusal(f"At least one of {names} must be provided", "MISSING_IDENTIFIERS")
        return Refusal("At least one field must be provided for update", "NO_FIELDS_PROVIDED")

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """No such record."""
        table = tool.table.name if tool.table else "record"
        message = f"{self.called(table)} not found with identifier '{value}'"
        return Refusal(message, self.not_found.get(table, "NOT_FOUND"))

    def reference(self, tool: Tool, argument: str, value: Any, table: str) -> Refusal:
        """A record that an argument refers to does not exist."""
        return Refusal(f"{self.called(table)} with ID '{value}' not found", "INVALID_REFERENCE")

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """The database refused the write."""
        kind, _, what = message.partition(" constraint failed: ")
        if kind == "NOT NULL":
            return Refusal(f"{what.split('.')[-1]} cannot be empty", "MISSING_REQUIRED_VALUE")
        if what in self.duplicates:
            code, wording = self.duplicates[what]
            told = re.sub(r"\{(\w+)\}", lambda name: str(arguments.get(name[1], "")), wording)
            return Refusal(told, code)
        return Refusal(message, "CONSTRAINT_VIOLATION")

    def called(self, table: str) -> str:
        """What a record of a table is called."""
        return self.names.get(table, table.replace("_", " ").capitalize())

    def _listed(self, problem: Problem) -> dict[str, Any]:
        """A problem as FastAPI lists it; what the server's own validators find carries their code."""
        told = {"type": problem.type, "loc": list(problem.loc), "msg": problem.msg, "input": problem.input}
        if problem.type in self.formats:
            code, message = self.formats[problem.type]
            return told | {
                "type": "value_error",
                "msg": f"Value error, {message}",
                "ctx": {"error_code": code},
            }
        return told | ({"ctx": dict(problem.ctx)} if problem.ctx else {})


def _name(problem: Problem) -> str:
    return next((part for part in reversed(problem.loc) if isinstance(part, str)), "")


def _choices(problem: Problem) -> str:
    choices = ", ".join(sorted(re.findall(r"'[^']*'", problem.ctx["expected"])))
    return f"Invalid value '{problem.input}' for '{_name(problem)}'. Must be one of: {choices}"
