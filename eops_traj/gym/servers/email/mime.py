"""Messages as bytes: parsed by the standard library, shaped as Gmail does, changed header by header.

Everything here is pure. What cannot be read raises `MimeError`.
"""

import base64
import binascii
import re
from collections.abc import Iterable, Mapping
from datetime import UTC, datetime
from email import errors, message_from_bytes
from email.header import decode_header, make_header
from email.message import Message
from email.policy import Compat32
from email.utils import getaddresses, parsedate_to_datetime
from html import unescape
from typing import Any, Final

import re2

from eops_traj.errors import ToolError

Columns = dict[str, Any]
_BROKEN: Final = (
    errors.MissingHeaderBodySeparatorDefect,
    errors.FirstHeaderLineIsContinuationDefect,
    errors.NoBoundaryInMultipartDefect,
    errors.StartBoundaryNotFoundDefect,
    errors.MultipartInvariantViolationDefect,
)
_DEEPEST, _SNIPPET = 30, 100
_ADDRESS = re2.compile(r"[\w.!#$%&'*+/=?^`{|}~-]+@[\w-]+(\.[\w-]+)+")
_SCRIPT = re2.compile(r"(?is)<script\b.*?</script\s*>|<style\b.*?</style\s*>")
_MARKUP = re2.compile(r"<[^>]*>")
_WORDS = re2.compile(r"=\?[^?\s]+\?[BQbq]\?[^?\s]*\?=(?:\s+=\?[^?\s]+\?[BQbq]\?[^?\s]*\?=)*")
_REPLY = re2.compile(r"(?i)\s*(?:(?:re|fwd?|aw)\s*:\s*)+")


class MimeError(ToolError):
    """Bytes that are no message, or a text that does not stand for bytes."""


class _Headers(Compat32):
    """Takes bytes beyond ASCII in a header for UTF-8, as Gmail does; the library has nothing for them."""

    def header_source_parse(self, sourcelines: list[str]) -> tuple[str, str]:
        name, value = super().header_source_parse(sourcelines)
        return name, value.encode("utf-8", "surrogateescape").decode("utf-8", "replace")


def encode(data: bytes) -> str:
    """Return bytes in base64url, as the API writes them."""
    return base64.urlsafe_b64encode(data).decode()


def decode(text: str) -> bytes:
    """Return the bytes of a text in base64url; plain base64 and missing padding are accepted too."""
    tidy = "".join(text.split()).rstrip("=").replace("+", "-").replace("/", "_")
    if not re.fullmatch(r"[\w-]*", tidy, re.ASCII) or len(tidy) % 4 == 1:
        raise MimeError("Base64 decoding failed")
    try:
        return base64.urlsafe_b64decode(tidy + "=" * (-len(tidy) % 4))
    except binascii.Error:
        raise MimeError("Base64 decoding failed") from None


def parse(raw: bytes) -> Message:
    """Parse bytes into a message."""
    try:
        message = message_from_bytes(raw, policy=_Headers())
        defects = [defect for part in message.walk() for defect in part.defects]
        deep = _depth(message) > _DEEPEST
    except (RecursionError, LookupError, ValueError):
        raise MimeError("the message cannot be parsed") from None
    broken = any(isinstance(defect, _BROKEN) for defect in defects)
    if deep or broken or not message.keys() or message.get_unixfrom():
        raise MimeError("the message cannot be parsed")
    return message


def _depth(message: Message) -> int:
    inner = message.get_payload()
    return 1 + max(map(_depth, inner), default=0) if isinstance(inner, list) else 0


# contents


def header(message: Message, name: str) -> str:
    """Return a readable header; empty if there is none."""
    return _readable(message.get(name, ""))


def _readable(value: Any) -> str:
    text = clean(str(value))  # words between others that nobody encoded are decoded by themselves
    text = _decoded(text) if text.isascii() else _WORDS.sub(lambda words: _decoded(words[0]), text)
    return " ".join(clean(text).split())


def _decoded(text: str) -> str:
    try:
        return str(make_header(decode_header(text)))
    except (LookupError, ValueError, errors.MessageError, AssertionError):
        return text


def clean(text: str) -> str:
    """Return the text without what cannot be stored."""
    return text.encode("utf-8", "replace").decode().replace("\0", "")


def people(message: Message, *names: str) -> list[tuple[str, str]]:
    """Return names and addresses in these headers, the addresses in lower case."""
    values = [str(value) for name in names for value in message.get_all(name, [])]
    return [(_readable(name), clean(address).lower()) for name, address in getaddresses(values) if address]


def is_address(text: str) -> bool:
    """Check whether mail can be sent to an address."""
    return _ADDRESS.fullmatch(text) is not None


def text_of(message: Message) -> str:
    """Return the text of a message: its first plain text, or its HTML without the markup."""
    texts = [part for part in message.walk() if part.get_content_maintype() == "text" and not filename(part)]
    plain = [part for part in texts if part.get_content_subtype() == "plain"]
    if plain:
        return _text(plain[0])
    return _without_markup(_text(texts[0])) if texts else ""


def _text(part: Message) -> str:
    data = data_of(part)
    try:
        return clean(data.decode(part.get_content_charset() or "utf-8", "replace"))
    except (LookupError, ValueError):
        return data.decode("utf-8", "replace")


def _without_markup(html: str) -> str:
    return unescape(_MARKUP.sub(" ", _SCRIPT.sub(" ", html)))


def data_of(part: Message) -> bytes:
    """Return the bytes of a part, its transfer encoding undone."""
    data = part.get_payload(decode=True)
    return data if isinstance(data, bytes) else b""


def filename(part: Message) -> str:
    """Return the name of the file that a part is; empty if it is not a file."""
    try:
        return _readable(part.get_filename(""))
    except (LookupError, ValueError, AttributeError, TypeError):
        return ""


def date_of(message: Message) -> datetime | None:
    """Return the time of its Date header, if it has a valid one."""
    try:
        when = parsedate_to_datetime(str(message.get("Date", "")))
        return when.replace(tzinfo=UTC) if when.tzinfo is None else when.astimezone(UTC)
    except (ValueError, TypeError, OverflowError):
        return None


def references(message: Message) -> list[str]:
    """Return the messages that it answers, by their Message-ID."""
    return re.findall(r"<[^<>\s]+>", f"{message.get('In-Reply-To', '')} {message.get('References', '')}")


def same_subject(one: str, other: str) -> bool:
    """Check whether two subjects belong to one conversation."""
    first, second = (_REPLY.sub("", subject, count=1).strip().lower() for subject in (one, other))
    return bool(first == second)


def columns(raw: bytes, message: Message) -> Columns:
    """Return the columns that the table of messages keeps of a message."""
    body = text_of(message)
    name, address = next(iter(people(message, "From")), ("", ""))
    return {
        "snippet": snippet(body),
        "size_estimate": len(raw),
        "raw": encode(raw),
        "mime_type": message.get_content_type(),
        "subject": header(message, "Subject"),
        "from_name": name,
        "from_email": address,
        **{
            f"{field}_emails": ", ".join(a for _, a in people(message, field))
            for field in ("to", "cc", "bcc")
        },
        "body": body,
        "rfc822_message_id": header(message, "Message-ID") or None,
        "automatic": header(message, "Auto-Submitted").lower() not in ("", "no"),
    }


def snippet(body: str) -> str:
    """Return the beginning of a text."""
    return " ".join(body.split())[:_SNIPPET].strip()


def attachments(message: Message) -> list[tuple[str, str, str, bytes]]:
    """Return part number, name, media type and bytes of every file in a message."""
    files = []
    for number, part in _numbered(message):
        if not part.is_multipart() and (name := filename(part)):
            files.append((number, name, part.get_content_type(), data_of(part)))
    return files


def _numbered(part: Message, number: str = "") -> Iterable[tuple[str, Message]]:
    yield number, part
    inner = part.get_payload()
    for index, child in enumerate(inner if isinstance(inner, list) else ()):
        yield from _numbered(child, f"{number}.{index}" if number else str(index))


# resources


def payload(message: Message, files: Mapping[str, str], number: str = "") -> dict[str, Any]:
    """Return the message as a tree of parts; files in `files` have the ids to fetch their data by."""
    part_resource: dict[str, Any] = {
        "partId": number,
        "mimeType": message.get_content_type(),
        "filename": filename(message),
        "headers": headers(message),
    }
    inner = message.get_payload()
    if isinstance(inner, list):
        numbered = enumerate(inner)
        parts = [payload(part, files, f"{number}.{at}" if number else str(at)) for at, part in numbered]
        return part_resource | {"body": {"size": 0}, "parts": parts}
    data = data_of(message)
    if number in files:
        return part_resource | {"body": {"attachmentId": files[number], "size": len(data)}}
    return part_resource | {"body": {"size": len(data), "data": encode(data)}}


def headers(message: Message, names_wanted: Iterable[str] = ()) -> list[dict[str, str]]:
    """Return the headers as names and values; only those wanted, if any are named."""
    names = {name.lower() for name in names_wanted}
    return [
        {"name": name, "value": _readable(value)}
        for name, value in message.items()
        if not names or name.lower() in names
    ]


# edits


def edited(raw: bytes, drop: Iterable[str] = (), add: Mapping[str, str] | None = None) -> bytes:
    """Return the message with some headers dropped and others put first; every other byte stays as it was."""
    dropped = {name.lower().encode() for name in (*drop, *(add or {}))}
    head, gap, body = _split(raw)
    fields = re.split(rb"\r?\n(?![ \t])", head)
    kept = [field for field in fields if field.partition(b":")[0].strip().lower() not in dropped]
    new = [f"{name}: {value}".encode() for name, value in (add or {}).items()]
    return b"\r\n".join([*new, *kept]) + gap + body


def _split(raw: bytes) -> tuple[bytes, bytes, bytes]:
    gap = re.search(rb"\r?\n\r?\n", raw)
    if gap is None:
        return raw.rstrip(b"\r\n"), b"\r\n\r\n", b""
    return raw[: gap.start()], gap.group(), raw[gap.end() :]
