"""The replies of a tool server, typed: what does not fit is the sandbox's failure, with its field named."""

from base64 import b64decode
from collections import deque
from collections.abc import Iterator
from itertools import groupby
from typing import Annotated, Any, TypeVar

import httpx
from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError

from eops_traj.errors import FormatError, SandboxError
from eops_traj.sandbox.deadline import Deadline
from eops_traj.untrusted.json_text import parse_json, shorten_value

MOST_BYTES = 64 * 2**20
"""The size of a reply that is read, a tool's result among them."""
MOST_EVENTS = 10_000
"""The last events of a stream, among which the answer has to be."""

Reply = TypeVar("Reply", bound=BaseModel)


class _Part(BaseModel):
    model_config = ConfigDict(extra="ignore", frozen=True)


class Listing(_Part):
    """A tool as a server declares it."""

    name: Annotated[str, Field(min_length=1)]
    description: str | None = None
    inputSchema: dict[str, Any] = Field(default_factory=dict)


class ToolPage(_Part):
    """A page of the answer to ``tools/list``."""

    tools: list[Listing] = Field(default_factory=list)
    nextCursor: str | None = None


class Content(_Part):
    """A part of a tool's result."""

    type: str | None = None
    text: str | None = None


class CallResult(_Part):
    """The answer to ``tools/call``."""

    content: list[Content] = Field(default_factory=list)
    isError: bool | None = None


class RpcError(_Part):
    """The error of a JSON-RPC answer."""

    code: int | None = None
    message: str | None = None


class Rows(_Part):
    """The answer of ``/api/sql-runner``, a row an object."""

    query: str | None = None
    data: list[dict[str, Any]] | None = None


class Changes(_Part):
    """The answer of ``/api/changes``, in base64."""

    changeset: Annotated[bytes, BeforeValidator(lambda text: b64decode(text, validate=True))]


class Copy(_Part):
    """The answer of ``/api/clone-database``."""

    cloned_database_id: Annotated[str, Field(pattern=r"^[!-~]{1,200}$")]


def parse_reply(cls: type[Reply], body: Any, where: str) -> Reply:
    """Parse a decoded reply. Raises SandboxError naming the first field that does not fit."""
    try:
        return cls.model_validate(body)
    except (ValidationError, TypeError) as error:
        raise SandboxError(f"{where}: {_problem(error)}") from None


def _problem(error: ValidationError | TypeError) -> str:
    if isinstance(error, TypeError):
        return str(error)
    first = error.errors(include_url=False, include_context=False)[0]
    place = ".".join(map(str, first["loc"])) or "the reply"
    return f"{place}: {first['msg']}, not {shorten_value(first['input'])}"


def read_whole(response: httpx.Response, where: str, deadline: Deadline) -> httpx.Response:
    """Read a response whose body has not been read, while there is time.

    Raises SandboxError for one that is compressed or larger than is read, ReadTimeout for one too slow.
    """
    encoding = response.headers.get("content-encoding") or "identity"
    if encoding.strip().lower() != "identity":  # decoding makes a thousandfold of a part before it is counted
        raise SandboxError(f"{where}: a reply in {shorten_value(encoding)}, which was not asked for")
    content = bytearray()
    for part in response.iter_raw():
        content += part
        if len(content) > MOST_BYTES:
            raise SandboxError(f"{where}: a reply of more than {MOST_BYTES} bytes")
        deadline.left()
    headers, request = response.headers.raw, response.request
    whole = httpx.Response(response.status_code, headers=headers, content=bytes(content), request=request)
    whole.encoding = "utf-8"  # as JSON is; a charset could name any codec of Python's, zip among them
    return whole


def json_object(response: httpx.Response, request_id: int | None = None) -> dict[str, Any]:
    """Return the JSON object of a response, plain or a stream's; empty where none is.

    Of a stream it is that of the last event which answers the request of this id, or of the last one at all.
    """
    if not response.headers.get("content-type", "").startswith("text/event-stream"):
        return _object(response.text)
    messages = map(_object, reversed(deque(_events(response.text), MOST_EVENTS)))
    return next((one for one in messages if one and _answers(one, request_id)), {})


def _events(text: str) -> Iterator[str]:
    """Yield the data of a stream's events, whose lines are joined; the last may lack its blank line."""
    lines = text.replace("\r\n", "\n").replace("\r", "\n").split("\n")
    for _, event in groupby(lines, key=bool):
        if data := [line[5:] for line in event if line.startswith("data:")]:
            yield "\n".join(data)


def _answers(message: dict[str, Any], request_id: int | None) -> bool:
    """Check whether a message answers a request: notifications and a server's own requests have a method.

    A server that leaves the id out means the one request that there is.
    """
    return request_id is None or ("method" not in message and message.get("id") in (None, request_id))


def _object(text: str) -> dict[str, Any]:
    try:
        body = parse_json(text)
    except FormatError:
        return {}
    return body if isinstance(body, dict) else {}
