"""Scan rows for texts that must not go out: secrets, and personal data that is not synthetic."""

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from eops_traj.privacy.pii import Datum, personal_data
from eops_traj.privacy.secret_scan import secret_kinds
from eops_traj.publish.policy import AllowedData
from eops_traj.publish.synthetic_values import SeedKey, is_synthetic

CACHED_TEXTS = 1 << 16
"""Texts whose findings are cached: rows repeat their policies, tools and results."""


class ContentFinding(NamedTuple):
    """Content that must not go out: the check that found it, its field and its kind."""

    check: str
    field: str
    kind: str


@dataclass(frozen=True)
class ContentScanner:
    """A scanner of rows for secrets and personal data."""

    allow: AllowedData

    def findings(self, record: Any, seeds: frozenset[SeedKey]) -> list[ContentFinding]:
        """Find the content of a row that must not go out; ``seeds`` are its seed databases."""
        return list(dict.fromkeys(self._findings(record, seeds)))

    def _findings(self, record: Any, seeds: frozenset[SeedKey]) -> Iterator[ContentFinding]:
        for field, text in json_texts(record):
            kinds, data = _scan_text(text)
            yield from (ContentFinding("secrets", field, kind) for kind in kinds)
            for datum in data:
                if not is_synthetic(datum, self.allow, seeds):
                    yield ContentFinding("personal_data", field, datum.kind)


@functools.lru_cache(maxsize=CACHED_TEXTS)
def _scan_text(text: str) -> tuple[tuple[str, ...], tuple[Datum, ...]]:
    return tuple(secret_kinds(text)), tuple(dict.fromkeys(personal_data(text)))


def json_texts(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Yield every text in a JSON value with its place in it, without the keys of objects.

    A text that is itself JSON is searched too: its escapes would hide where a number or an address begins.
    """
    if isinstance(value, str):
        inner = _decode_json(value)
        yield from [(field, value)] if inner is None else json_texts(inner, field)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from json_texts(part, f"{field}.{name}" if field else name)
    elif isinstance(value, list | tuple):
        for position, part in enumerate(value):
            yield from json_texts(part, f"{field}[{position}]")


def _decode_json(text: str) -> Any:
    """Decode a text that is a JSON object or list; None for any other."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
