"""Secrets kept out of what is stored and logged.

Two kinds are taken out of every text: the values of environment variables that hold a secret, however a
text quotes them, and what has the shape of a secret (:mod:`eops_traj.privacy.secret_shapes`), as it is.
Exports are searched for the same shapes, in disguise too (:mod:`eops_traj.privacy.secret_scan`).
"""

import dataclasses
import functools
import json
import logging
import os
import re
import typing
from collections.abc import Callable, Iterable, Mapping
from pathlib import Path
from typing import Any, TypeVar
from urllib.parse import quote

from eops_traj.hashing import canonical_json
from eops_traj.privacy.secret_scan import may_hold_secret, secret_places
from eops_traj.schema import Json, Server

REMOVED = "[secret removed]"
"""The text that stands where a secret was. Nothing in it needs an escape, so that JSON stays JSON."""

_SECRET_NAME = re.compile(
    r"(?:api|access|secret|private|signing|auth|subscription)[_-]?key|token(?!s|iz)|secret|passw(?:or)?d"
    r"|credential|authorization|cookie|(?:^|[_-])(?:key|pat)$|[_-]pwd$",
    re.IGNORECASE,
)

RESPONSE_HEADERS = re.compile(
    r"(?:x-|openai-|anthropic-|x-amzn-)?(?:request-?id|processing-ms|version|model)|retry-after(?:-ms)?"
    r"|(?:x-|anthropic-)ratelimit-[a-z-]+",
    re.IGNORECASE,
)
"""The headers of a reply that are stored. All others are not."""

CONTEXT_HEADERS = re.compile(r"x-database-id|x-user-email|x-(?:[a-z]+-)?(?:user|access)-token", re.IGNORECASE)
"""The headers that tell a tool server who is calling and are stored: the seed's own people and tokens."""

Record = TypeVar("Record")


def scrub(record: Record) -> Record:
    """Remove the secrets of a text, a JSON value or a :mod:`eops_traj.schema` record; itself if it has none.

    In bytes (a changeset) it becomes as many asterisks, so that lengths written there still hold.
    """
    return _scrubber(tuple(sorted(known_secrets()))).clean(record)


def scrub_shared(record: Record) -> Record:
    """Scrub a record that many episodes refer to, as `scrub` does: what comes of it is kept for the next."""
    clean: Record = _scrub_shared(tuple(sorted(known_secrets())), record)
    return clean


def known_secrets() -> set[str]:
    """Return the environment's secret values: of variables named so, and of those in `SECRET_VARIABLES`.

    Blanks around one, as the newline of a file that it was read from, are not part of it.
    """
    return {value.strip() for name, value in os.environ.items() if _holds_secret(name, value.strip())}


SECRET_VARIABLES: set[str] = set()
"""Variables that a config says hold a key, whatever their names."""


@functools.lru_cache(maxsize=1 << 10)  # every record is held against every variable of the environment
def is_secret_name(name: str) -> bool:
    """Check whether a variable or header of this name is secret: ``OPENAI_API_KEY``, ``authorization``."""
    return bool(_SECRET_NAME.search(name))


def stored_headers(headers: Mapping[str, str]) -> dict[str, str]:
    """Return the headers of a reply that may be stored, by an allow-list."""
    return {name.lower(): value for name, value in headers.items() if RESPONSE_HEADERS.fullmatch(name)}


def stored_servers(servers: Iterable[Server]) -> tuple[Server, ...]:
    """Return the servers of a task as an episode stores them, their context's headers by an allow-list."""
    return tuple(_stored_server(server) for server in servers)


def _stored_server(server: Server) -> Server:
    context = json.loads(server.context)
    kept = {name: value for name, value in context.items() if CONTEXT_HEADERS.fullmatch(name)}
    return server if kept == context else dataclasses.replace(server, context=Json(canonical_json(kept)))


class ScrubbedLogs(logging.Filter):
    """A filter for log handlers: messages and tracebacks without secrets."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Rewrite the record; none is held back."""
        record.msg, record.args = scrub(record.getMessage()), ()
        if record.exc_info:
            record.exc_text = scrub(logging.Formatter().formatException(record.exc_info))
        return True


def _holds_secret(name: str, value: str) -> bool:
    """Check whether a variable holds a secret.

    A short value, a word or a number would match everywhere; a path says where, not what.
    """
    if len(value) < 8 or (name not in SECRET_VARIABLES and not is_secret_name(name)):
        return False
    plain = value.isalpha() and value.islower()
    return not (plain or re.fullmatch(r"[\d.,+-]+", value) or (value[0] in "/~." and Path(value).exists()))


@functools.lru_cache(maxsize=8)
def _scrubber(values: tuple[str, ...]) -> "Scrubber":
    return Scrubber(values)


@functools.lru_cache(maxsize=64)
def _scrub_shared(values: tuple[str, ...], record: Record) -> Record:
    return _scrubber(values).clean(record)


class Scrubber:
    """A remover of known values, and of what has the shape of a secret, from texts and records."""

    def __init__(self, values: Iterable[str] = ()) -> None:
        """``values`` are the secrets that are known."""
        self._known = sorted({form for value in values for form in _forms(value)}, key=len, reverse=True)

    def clean(self, record: Record) -> Record:
        """Return the record without secrets; itself where it holds none."""
        whole = "\n".join(_texts(record))
        suspect = any(value in whole for value in self._known) or may_hold_secret(_encoded(whole))
        return self._rebuild(record) if suspect else record

    def text(self, text: str) -> str:
        """Return the text without secrets; itself where it holds none."""
        for value in self._known:
            if value in text:
                text = text.replace(value, REMOVED)
        content = _encoded(text)
        places = secret_places(content)
        return _without(content, places, lambda length: REMOVED.encode()).decode(*UTF8) if places else text

    def _rebuild(self, value: Any) -> Any:
        if isinstance(value, str):
            return self.text(value)
        if isinstance(value, bytes):
            return self._masked(value)
        if isinstance(value, Mapping):
            return {self._rebuild(key): self._rebuild(inner) for key, inner in value.items()}
        if isinstance(value, tuple | list):
            return type(value)(self._rebuild(inner) for inner in value)
        if dataclasses.is_dataclass(value) and not isinstance(value, type):
            fields = {name: self._rebuild(getattr(value, name)) for name in _field_names(value.__class__)}
            changed = any(inner is not getattr(value, name) for name, inner in fields.items())
            return dataclasses.replace(value, **fields) if changed else value
        return value

    def _masked(self, value: bytes) -> bytes:
        """Return bytes with asterisks for secrets, so that lengths written in them still hold."""
        for known in self._known:
            value = value.replace(known.encode(), b"*" * len(known.encode()))
        return _without(value, secret_places(value), lambda length: b"*" * length)


UTF8 = ("utf-8", "surrogatepass")
"""The encoding of texts that are searched; half of a pair of surrogates is a text too."""


def _encoded(text: str) -> bytes:
    return text.encode(*UTF8)


def _without(content: bytes, places: list[tuple[int, int]], instead: Callable[[int], bytes]) -> bytes:
    """Return the content with something instead of these places, which are in order and do not overlap."""
    parts, end = [], 0
    for begin, stop in places:
        parts += [content[end:begin], instead(stop - begin)]
        end = stop
    return b"".join([*parts, content[end:]])


def _forms(value: str) -> set[str]:
    """Return a value as texts quote it: as it is, in a URL, and as JSON, also within JSON."""
    forms = {value, quote(value), quote(value, safe="")}
    for quoted in (json.dumps(value)[1:-1], canonical_json(value)[1:-1]):
        forms |= {quoted, canonical_json(quoted)[1:-1]}
    return forms


def _texts(value: Any) -> list[str]:
    """Return every text in a record; bytes as text, so that a value in them is seen."""
    found: list[str] = []
    _gather_texts(value, found)
    return found


def _gather_texts(value: Any, found: list[str]) -> None:
    if isinstance(value, str):
        found.append(value)
    elif isinstance(value, bytes):
        found.append(value.decode("utf-8", "replace"))
    elif isinstance(value, Mapping):
        _gather_texts(tuple(value), found)
        _gather_texts(tuple(value.values()), found)
    elif isinstance(value, tuple | list):
        if isinstance(value, tuple) and value and isinstance(value[0], int | float):
            return  # token ids and logprobs: many, and all of a kind
        for inner in value:
            _gather_texts(inner, found)
    elif dataclasses.is_dataclass(value):
        for name in _field_names(value.__class__):
            _gather_texts(getattr(value, name), found)


@functools.cache
def _field_names(record: Any) -> tuple[str, ...]:
    """Return the fields of a record that hold more than a number."""
    hints = typing.get_type_hints(record)
    return tuple(field.name for field in dataclasses.fields(record) if hints[field.name] not in _NUMBERS)


_NUMBERS = (int, float, bool, int | None, float | None, bool | None)
