"""Scan rows for texts that must not go out: secrets, and personal data that is not synthetic."""

import functools
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any, NamedTuple

from eops_traj.privacy.pii import Datum, disguised_data
from eops_traj.privacy.secret_scan import CACHED_LEAVES, CACHED_TEXTS, text_kinds
from eops_traj.privacy.texts import join, leaves, texts
from eops_traj.publish.policy import AllowedData
from eops_traj.publish.synthetic_values import SeedKey, is_synthetic


class ContentFinding(NamedTuple):
    """Content that must not go out: the check that found it, its field and its kind."""

    check: str
    field: str
    kind: str


class Searched(NamedTuple):
    """The content of a row, and the seed databases behind it."""

    record: Any
    seeds: frozenset[SeedKey]


@dataclass(frozen=True)
class ContentScanner:
    """A scanner of rows for secrets and personal data."""

    allow: AllowedData

    def findings(self, searched: Searched) -> list[ContentFinding]:
        """Find the content of a row that must not go out."""
        return list(dict.fromkeys(self._findings(*searched)))

    def _findings(self, record: Any, seeds: frozenset[SeedKey]) -> Iterator[ContentFinding]:
        for place, leaf in leaves(record):
            for inner, kinds, data in _scan_leaf(leaf):
                field = join(place, inner)
                yield from (ContentFinding("secrets", field, kind) for kind in kinds)
                for datum in data:
                    if not is_synthetic(datum, self.allow, seeds):
                        yield ContentFinding("personal_data", field, datum.kind)


@functools.lru_cache(maxsize=CACHED_LEAVES)
def _scan_leaf(leaf: str) -> tuple[tuple[str, tuple[str, ...], tuple[Datum, ...]], ...]:
    """Return the places in a string, opened where it is JSON, that hold something, with what they hold."""
    scans = ((place, text_kinds(text), _data(text)) for place, text in texts(leaf))
    return tuple(scan for scan in scans if scan[1] or scan[2])


@functools.lru_cache(maxsize=CACHED_TEXTS)
def _data(text: str) -> tuple[Datum, ...]:
    return tuple(disguised_data(text))
