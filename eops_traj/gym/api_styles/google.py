"""The shared API style of the Google servers (Drive, Calendar, Email): errors, pages, resources, times.

A tool refuses with `error`, which `GoogleResponses` puts into the error body of Google's APIs::

    raise error("NOT_FOUND", f"File not found: {file_id}.", location="fileId")

    {"error": {"code": 404, "message": "File not found: x.", "errors": [{"message": "File not found: x.",
     "domain": "global", "reason": "notFound", "location": "fileId", "locationType": "parameter"}]}}

`call.refuse(message, "NOT_FOUND")` and ``@refuse NOT_FOUND: message WHEN ...`` give the same without a
location. A list tool ends in `listing`; a row becomes a resource with `resource`.
"""

import base64
import binascii
import json
import re
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from functools import lru_cache
from typing import Any, TypeVar

from eops_traj.gym.tools.call import Call, Row
from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Responses
from eops_traj.gym.tools.tool import Tool

T = TypeVar("T")

STATUSES = {
    "INVALID_ARGUMENT": (400, "invalid"),
    "FAILED_PRECONDITION": (400, "failedPrecondition"),
    "UNAUTHENTICATED": (401, "authError"),
    "PERMISSION_DENIED": (403, "forbidden"),
    "NOT_FOUND": (404, "notFound"),
    "ALREADY_EXISTS": (409, "duplicate"),
    "CONFLICT": (409, "conflict"),
    "GONE": (410, "deleted"),
    "CONDITION_NOT_MET": (412, "conditionNotMet"),
}
"""Codes that a refusal may carry: the HTTP status that each means, and the reason if none is given."""

_OTHER = "INVALID_ARGUMENT"
_TIME = re.compile(
    r"\d{4}-\d\d-\d\d(?:[Tt ]\d\d:\d\d(?::\d\d(?:\.\d{1,9})?)?(?:[Zz]|[+-]\d\d:\d\d)?)?", re.ASCII
)


class GoogleRefusal(Refusal):
    """A refusal with the reason and the location that Google's errors name."""

    def __init__(
        self, message: str, code: str, reason: str = "", location: str = "", problems: Sequence[Problem] = ()
    ) -> None:
        super().__init__(message, code, problems)
        self.reason, self.location = reason, location


def error(status: str, message: str, reason: str = "", location: str = "") -> GoogleRefusal:
    """Return the refusal of a status in `STATUSES`; `location` is the argument it is about."""
    return GoogleRefusal(message, status, reason, location)


def invalid(location: str, message: str = "Invalid Value") -> GoogleRefusal:
    """Return the refusal of a value: a malformed query, page token or time."""
    return error("INVALID_ARGUMENT", message, location=location)


def forbidden(reason: str, message: str, location: str = "") -> GoogleRefusal:
    """Return the refusal of an action that is not permitted."""
    return error("PERMISSION_DENIED", message, reason, location)


def http_status(refusal: Refusal) -> int:
    """Return the HTTP status of a refusal."""
    return STATUSES.get(refusal.code, STATUSES[_OTHER])[0]


class GoogleResponses(Responses):
    """Results as bare JSON, refusals as the error body of Google's APIs."""

    absent_row = None
    shows_status = False
    """Whether the body names the code too (``"status": "NOT_FOUND"``), as newer APIs do."""

    def success(self, tool: Tool, result: Any) -> str:
        """Return the text of a result; a resource has no nulls."""
        if isinstance(result, dict):
            result = {name: value for name, value in result.items() if value is not None}
        return super().success(tool, result)

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """Return the text of the error body."""
        return json.dumps(self.body(refusal), ensure_ascii=False)

    def body(self, refusal: Refusal) -> dict[str, Any]:
        """Return the error body as an object: one entry for each problem of the arguments, or one in all."""
        code = refusal.code if refusal.code in STATUSES else _OTHER
        http, usual = STATUSES[code]
        reason, location = getattr(refusal, "reason", "") or usual, getattr(refusal, "location", "")
        entries = [_problem_entry(p) for p in refusal.problems] or [_entry(refusal.message, reason, location)]
        entry: dict[str, Any] = {"code": http, "message": refusal.message, "errors": entries}
        return {"error": entry | ({"status": code} if self.shows_status else {})}

    def anonymous(self, header: str) -> Refusal:
        """Refuse a call without a caller."""
        return error("UNAUTHENTICATED", "Login Required.", "required", header)

    def unknown_caller(self, header: str) -> Refusal:
        """Refuse a token that no user has."""
        return error("UNAUTHENTICATED", "Invalid Credentials", location=header)

    def forbidden(self, tool: Tool, role: str) -> Refusal:
        """Refuse a caller whose role may not use the tool."""
        return error("PERMISSION_DENIED", super().forbidden(tool, role).message, "insufficientPermissions")

    def unknown_tool(self, name: str) -> str:
        """Return the text for a tool that no server has."""
        return self.refusal(name, error("NOT_FOUND", super().unknown_tool(name)))

    def invalid(self, tool: Tool, problems: list[Problem]) -> Refusal:
        """Refuse arguments that do not conform."""
        return GoogleRefusal(_problem_entry(problems[0])["message"], _OTHER, problems=problems)

    def nothing_given(self, tool: Tool) -> Refusal:
        """Refuse an update without a field, or a delete without a filter."""
        return error(_OTHER, super().nothing_given(tool).message, "required")

    def missing(self, tool: Tool, argument: str, value: Any) -> Refusal:
        """Refuse a call about a row that does not exist."""
        return error("NOT_FOUND", f"Not Found: {value}.", location=argument)

    def reference(self, tool: Tool, argument: str, value: Any, table: str) -> Refusal:
        """Refuse a reference to a row that does not exist."""
        return self.missing(tool, argument, value)

    def constraint(self, tool: Tool, message: str, arguments: Mapping[str, Any]) -> Refusal:
        """Refuse a write that the database refused."""
        if message.startswith("UNIQUE"):
            return error("ALREADY_EXISTS", "The requested identifier already exists.")
        return error(_OTHER, message)


def _entry(message: str, reason: str, location: str) -> dict[str, str]:
    entry = {"message": message, "domain": "global", "reason": reason}
    kind = "header" if location.startswith("x-") else "parameter"
    return entry | ({"location": location, "locationType": kind} if location else {})


def _problem_entry(problem: Problem) -> dict[str, str]:
    """Return a problem in Google's words."""
    name = ".".join(map(str, problem.loc))
    if problem.type == "missing":
        return _entry(f"Required parameter: {name}", "required", name)
    if problem.type == "extra_forbidden":
        return _entry(f'Unknown name "{name}": Cannot find field.', "badRequest", name)
    return _entry(f"Invalid value for {name}: {problem.msg}", "invalidParameter", name)


# pages


def listing(
    call: Call, kind: str | None, key: str, rows: Sequence[T], shape: Callable[[T], Any],
    size: str = "pageSize", default: int = 100,
) -> dict[str, Any]:  # fmt: skip
    """Return one page of rows as a list resource; only the rows on it are shaped."""
    page_rows, next_token = page(rows, call.arguments.get(size, default), call.arguments.get("pageToken"))
    head = {"kind": kind, "nextPageToken": next_token}
    return {name: text for name, text in head.items() if text} | {key: [shape(row) for row in page_rows]}


def page(rows: Sequence[T], size: int, token: str | None) -> tuple[Sequence[T], str | None]:
    """Return the rows of a page, and the token of the next page if there is one."""
    start = offset(token)
    after = start + max(size, 1)
    return rows[start:after], page_token(after) if after < len(rows) else None


def page_token(start: int) -> str:
    """Return the token of the page that starts at a row."""
    return base64.urlsafe_b64encode(str(start).encode()).decode().rstrip("=")


def offset(token: str | None) -> int:
    """Return the first row of a token's page; a plain number is taken too, as in the real tools' examples."""
    if not token:
        return 0
    text = token
    if not text.isdecimal():
        try:
            text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4)).decode("ascii")
        except (binascii.Error, ValueError):
            text = ""
    if not re.fullmatch(r"\d{1,9}", text, re.ASCII):
        raise invalid("pageToken")
    return int(text)


# resources and times


def resource(row: Row, *left_out: str, **more: Any) -> dict[str, Any]:
    """Return a row as a resource: camelCase names, RFC 3339 times, nothing null; then further fields."""
    fields: dict[str, Any] = {}
    for name, value in row.items():
        if value is not None and name not in left_out:
            fields[camel(name)] = rfc3339(value) if name.endswith("_time") else value
    return fields | {name: value for name, value in more.items() if value is not None}


@lru_cache(maxsize=1024)
def camel(name: str) -> str:
    """Return the name as Google writes it: ``created_time`` is ``createdTime``."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def rfc3339(stored: str) -> str:
    """Return a stored time as the APIs show it."""
    return stored if "T" in stored else f"{stored.replace(' ', 'T')[:19]}.000Z"


def parse_time(text: str, location: str) -> str:
    """Return the time of an argument as it is stored: UTC, whole seconds. A date alone is its midnight."""
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        when = datetime.fromisoformat(text.upper())
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise invalid(location) from None
    return when.replace(tzinfo=None).isoformat(" ", "seconds")
