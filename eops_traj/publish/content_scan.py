"""Texts that must not go out, wherever in a row they lie: secrets, and personal data that is not made up."""

import functools
import json
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from eops_traj.privacy.pii import Datum, personal_data
from eops_traj.privacy.secret_scan import secrets
from eops_traj.publish.policy import Allow
from eops_traj.publish.synthetic_values import Seed, made_up

REMEMBERED = 1 << 16
"""Texts whose findings are kept: rows repeat their policies, tools and results."""


class Alarm(NamedTuple):
    """Something that must not go out: the check that found it, where it lies, and what kind it is."""

    check: str
    field: str
    what: str


@dataclass(frozen=True)
class Scanner:
    """Looks through rows for secrets and personal data."""

    allow: Allow

    def alarms(self, record: Any, known: frozenset[Seed]) -> list[Alarm]:
        """What must not go out of a row; ``known`` are the seed databases that it was made on."""
        return list(dict.fromkeys(self._alarms(record, known)))

    def _alarms(self, record: Any, known: frozenset[Seed]) -> Iterator[Alarm]:
        for field, text in texts(record):
            kinds, data = _found(text)
            yield from (Alarm("secrets", field, kind) for kind in kinds)
            for datum in data:
                if not made_up(datum, self.allow, known):
                    yield Alarm("personal_data", field, datum.kind)


@functools.lru_cache(maxsize=REMEMBERED)
def _found(text: str) -> tuple[tuple[str, ...], tuple[Datum, ...]]:
    return tuple(secrets(text)), tuple(dict.fromkeys(personal_data(text)))


def texts(value: Any, field: str = "") -> Iterator[tuple[str, str]]:
    """Every text in a JSON value with its place in it, keys of objects left out.

    A text that is itself JSON is looked into: its escapes would hide where a number or an address begins.
    """
    if isinstance(value, str):
        inner = _as_json(value)
        yield from [(field, value)] if inner is None else texts(inner, field)
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from texts(part, f"{field}.{name}" if field else name)
    elif isinstance(value, list | tuple):
        for place, part in enumerate(value):
            yield from texts(part, f"{field}[{place}]")


def _as_json(text: str) -> Any:
    """What a text holds as JSON, where that is an object or a list."""
    if not text.startswith(("{", "[")):
        return None
    try:
        return json.loads(text)
    except (ValueError, RecursionError):
        return None
