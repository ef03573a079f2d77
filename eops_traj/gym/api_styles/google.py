"""What the Google-shaped servers share (Drive, Calendar, Email): errors, answers, pages, resources, times.

A tool refuses with `error`, which `GoogleEnvelope` puts into the body that Google's APIs answer with::

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
from typing import TYPE_CHECKING, Any, TypeVar

from eops_traj.gym.tools.errors import Problem, Refusal
from eops_traj.gym.tools.responses import Envelope

if TYPE_CHECKING:
    from eops_traj.gym.tools.call import Call, Row
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
    """The refusal of a status in `STATUSES`; `location` is the argument it is about."""
    return GoogleRefusal(message, status, reason, location)


def invalid(location: str, message: str = "Invalid Value") -> GoogleRefusal:
    """The refusal of a value: a malformed query, page token or time."""
    return error("INVALID_ARGUMENT", message, location=location)


def forbidden(reason: str, message: str, location: str = "") -> GoogleRefusal:
    """The refusal of what the caller may not do, or what may not be done to this."""
    return error("PERMISSION_DENIED", message, reason, location)


def http_status(refusal: Refusal) -> int:
    """The HTTP status that a refusal would have."""
    return STATUSES.get(refusal.code, STATUSES[_OTHER])[0]


class GoogleEnvelope(Envelope):
    """Answers as bare JSON, refusals as the error body of Google's APIs."""

    absent_row = None
    shows_status = False
    """Whether the body names the code too (``"status": "NOT_FOUND"``), as newer APIs do."""

    def success(self, tool: "Tool", result: Any) -> str:
        """The text of a result; a resource has no nulls."""
        if isinstance(result, dict):
            result = {name: value for name, value in result.items() if value is not None}
        return super().success(tool, result)

    def refusal(self, tool: str, refusal: Refusal) -> str:
        """The error body."""
        return json.dumps(self.body(refusal), ensure_ascii=False)

    def body(self, refusal: Refusal) -> dict[str, Any]:
        """The error body as an object: one entry for each problem of the arguments, or one in all."""
        code = refusal.code if refusal.code in STATUSES else _OTHER
        http, usual = STATUSES[code]
        reason, location = getattr(refusal, "reason", "") or usual, getattr(refusal, "location", "")
        entries = [_of_problem(p) for p in refusal.problems] or [_entry(refusal.message, reason, location)]
        found: dict[str, Any] = {"code": http, "message": refusal.message, "errors": entries}
        return {"error": found | ({"status": code} if self.shows_status else {})}

    def anonymous(self, header: str) -> Refusal:
        """A call that does not say who calls."""
        return error("UNAUTHENTICATED", "Login Required.", "required", header)

    def unknown_caller(self, header: str) -> Refusal:
        """A token that nobody has."""
        return error("UNAUTHENTICATED", "Invalid Credentials", location=header)

    def forbidden(self, tool: "Tool", role: str) -> Refusal:
        """A caller whose role may not use the tool."""
        return error("PERMISSION_DENIED", super().forbidden(tool, role).message, "insufficientPermissions")

    def unknown_tool(self, name: str) -> str:
        """The text for a tool that nobody has."""
        return self.refusal(name, error("NOT_FOUND", super().unknown_tool(name)))

    def invalid(self, tool: "Tool", problems: list[Problem]) -> Refusal:
        """Arguments that do not conform."""
        return GoogleRefusal(_of_problem(problems[0])["message"], _OTHER, problems=problems)

    def nothing_given(self, tool: "Tool") -> Refusal:
        """An update without a field, or a delete without a filter."""
        return error(_OTHER, super().nothing_given(tool).message, "required")

    def missing(self, tool: "Tool", argument: str, value: Any) -> Refusal:
        """The row that the call is about does not exist."""
        return error("NOT_FOUND", f"Not Found: {value}.", location=argument)

    def reference(self, tool: "Tool", argument: str, value: Any, table: str) -> Refusal:
        """A row that an argument refers to does not exist."""
        return self.missing(tool, argument, value)

    def constraint(self, tool: "Tool", message: str, arguments: Mapping[str, Any]) -> Refusal:
        """The database refused the write."""
        if message.startswith("UNIQUE"):
            return error("ALREADY_EXISTS", "The requested identifier already exists.")
        return error(_OTHER, message)


def _entry(message: str, reason: str, location: str) -> dict[str, str]:
    entry = {"message": message, "domain": "global", "reason": reason}
    place = "header" if location.startswith("x-") else "parameter"
    return entry | ({"location": location, "locationType": place} if location else {})


def _of_problem(problem: Problem) -> dict[str, str]:
    """A problem in Google's words."""
    name = ".".join(map(str, problem.loc))
    if problem.type == "missing":
        return _entry(f"Required parameter: {name}", "required", name)
    if problem.type == "extra_forbidden":
        return _entry(f'Unknown name "{name}": Cannot find field.', "badRequest", name)
    return _entry(f"Invalid value for {name}: {problem.msg}", "invalidParameter", name)


# pages


def listing(
    call: "Call", kind: str | None, key: str, rows: Sequence[T], shape: Callable[[T], Any],
    size: str = "pageSize", default: int = 100,
) -> dict[str, Any]:  # fmt: skip
    """One page of rows as a list resource; only the rows on it are shaped."""
    shown, following = page(rows, call.arguments.get(size, default), call.arguments.get("pageToken"))
    head = {"kind": kind, "nextPageToken": following}
    return {name: text for name, text in head.items() if text} | {key: [shape(row) for row in shown]}


def page(rows: Sequence[T], size: int, token: str | None) -> tuple[Sequence[T], str | None]:
    """The rows of a page and the token of the one that follows, if one does."""
    start = offset(token)
    after = start + max(size, 1)
    return rows[start:after], page_token(after) if after < len(rows) else None


def page_token(start: int) -> str:
    """The token of the page that starts here."""
    return base64.urlsafe_b64encode(str(start).encode()).decode().rstrip("=")


def offset(token: str | None) -> int:
    """Where the page of a token starts; a plain number is taken too, as the real tools' examples show it."""
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


def resource(row: "Row", *left_out: str, **more: Any) -> dict[str, Any]:
    """A row as a resource: camelCase names, RFC 3339 times, nothing null; then what else belongs to it."""
    found: dict[str, Any] = {}
    for name, value in row.items():
        if value is not None and name not in left_out:
            found[camel(name)] = rfc3339(value) if name.endswith("_time") else value
    return found | {name: value for name, value in more.items() if value is not None}


@lru_cache(maxsize=1024)
def camel(name: str) -> str:
    """The name as Google writes it: ``created_time`` is ``createdTime``."""
    first, *others = name.split("_")
    return first + "".join(word.capitalize() for word in others)


def rfc3339(stored: str) -> str:
    """A stored time as the APIs show it."""
    return stored if "T" in stored else f"{stored.replace(' ', 'T')[:19]}.000Z"


def moment(text: str, location: str) -> str:
    """A time that was given, as it is stored: UTC, whole seconds. A date alone is its midnight."""
    try:
        if not _TIME.fullmatch(text):
            raise ValueError(text)
        when = datetime.fromisoformat(text.upper())
        when = when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, OverflowError):
        raise invalid(location) from None
    return when.replace(tzinfo=None).isoformat(" ", "seconds")
