"""Messages composed here: from the ``payload`` of a tool, or from a text of the server's own."""

import hashlib
import re
from collections.abc import Mapping
from email import encoders, policy
from email.message import Message
from email.mime.base import MIMEBase
from email.utils import formataddr, getaddresses
from typing import Any, Final

from eops_traj.gym.servers.email.mime import MimeError, clean, decode

_ADDRESSED: Final = frozenset({"from", "to", "cc", "bcc", "reply-to", "sender"})
_SET_HERE: Final = frozenset(
    {"content-type", "content-transfer-encoding", "content-disposition", "mime-version"}
)
_DEEPEST: Final = 30


def compose(payload: Mapping[str, Any]) -> bytes:
    """Return the message that a tree of parts describes, as bytes."""
    headers = _given_headers(payload)
    if not headers:
        raise MimeError("payload.headers is empty")
    message = _build_part(payload)
    del message["MIME-Version"]
    for name, value in headers:
        if name.lower() not in _SET_HERE:
            message[name] = _header_value(name, value)
    message["MIME-Version"] = "1.0"
    try:
        return message.as_bytes(policy=policy.compat32.clone(linesep="\r\n"))
    except (UnicodeError, LookupError, ValueError):
        raise MimeError("payload cannot be written as a message") from None


def text_message(headers: Mapping[str, str], text: str, subtype: str = "plain") -> bytes:
    """Return a message of one text, as bytes; a header's line breaks, which would end it, become spaces."""
    given = {name: " ".join(value.split()) for name, value in headers.items()}
    encoded = {name: _header_value(name, value) for name, value in given.items() if value}
    part = _text_part(f"text/{subtype}", text)
    del part["MIME-Version"]
    for name, value in encoded.items():
        part[name] = value
    part["MIME-Version"] = "1.0"
    return part.as_bytes(policy=policy.compat32.clone(linesep="\r\n"))


def _build_part(payload: Any, depth: int = 0) -> Message:
    if not isinstance(payload, Mapping) or depth > _DEEPEST:
        raise MimeError("payload has a part that is no part")
    mime_type = str(payload.get("mimeType") or _content_type(payload)).lower()
    if not re.fullmatch(r"[\w.+-]+/[\w.+-]+", mime_type, re.ASCII):
        raise MimeError(f"payload has the media type {mime_type!r}")
    parts = payload.get("parts")
    if parts and isinstance(parts, list):
        return _multipart(mime_type, [_build_part(part, depth + 1) for part in parts])
    name, data = _filename(payload), _data(payload)
    if mime_type.startswith("text/") and not name:
        return _text_part(mime_type, _as_text(data))
    return _file_part(
        mime_type if not mime_type.startswith("multipart/") else "text/plain", name, decode(data)
    )


def _multipart(mime_type: str, parts: list[Message]) -> Message:
    whole = MIMEBase(*(mime_type if mime_type.startswith("multipart/") else "multipart/mixed").split("/"))
    del whole["MIME-Version"]
    digest = hashlib.sha256(b"".join(part.as_bytes() for part in parts)).hexdigest()[:24]
    whole.set_boundary(f"={digest}=")  # the same parts give the same boundary: it must not be random here
    whole.set_payload([*parts])
    return whole


def _text_part(mime_type: str, text: str) -> Message:
    part = Message()
    part["Content-Type"] = mime_type
    part.set_payload(clean(text), "utf-8")
    return part


def _file_part(mime_type: str, name: str, data: bytes) -> Message:
    part = MIMEBase(*mime_type.split("/", 1))
    del part["MIME-Version"]
    part.set_payload(data)
    encoders.encode_base64(part)
    part.add_header("Content-Disposition", "attachment", filename=name or "attachment")
    return part


def _given_headers(payload: Mapping[str, Any]) -> list[tuple[str, str]]:
    headers, entries = [], payload.get("headers")
    for entry in entries if isinstance(entries, list) else ():
        name, value = (entry.get("name"), entry.get("value")) if isinstance(entry, Mapping) else (None, None)
        if not isinstance(name, str) or not isinstance(value, str) or not re.fullmatch(r"[!-9;-~]+", name):
            raise MimeError("payload.headers has an entry without a name and a value")
        headers.append((name, " ".join(value.split())))
    return headers


def _header_value(name: str, value: str) -> str:
    """Return the value, names beside addresses encoded one by one, so that the addresses stay readable."""
    if name.lower() not in _ADDRESSED or value.isascii():
        return value
    try:
        return ", ".join(formataddr(pair) for pair in getaddresses([value]))
    except UnicodeError:
        raise MimeError(f"Invalid {name} header") from None


def _content_type(payload: Mapping[str, Any]) -> str:
    values = [value for name, value in _given_headers(payload) if name.lower() == "content-type"]
    return values[0].partition(";")[0].strip() if values else "text/plain"


def _filename(payload: Mapping[str, Any]) -> str:
    name = payload.get("filename") or ""
    return clean(" ".join(name.split())) if isinstance(name, str) else ""


def _data(payload: Mapping[str, Any]) -> str:
    body = payload.get("body") or {}
    data = body.get("data", "") if isinstance(body, Mapping) else None
    if not isinstance(data, str):
        raise MimeError("payload has a body without data")
    return data


def _as_text(data: str) -> str:
    """Return the text that was given: in base64url, as the API has it, or plain, as agents write it."""
    try:
        text = decode(data).decode()
    except (MimeError, UnicodeDecodeError):
        return data
    return data if re.search(r"[\x00-\x08\x0e-\x1f\x7f]", text) else text
