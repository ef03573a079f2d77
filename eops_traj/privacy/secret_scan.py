"""Secrets in a text, found with the patterns of the detect-secrets library."""

import functools
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from detect_secrets.plugins.base import RegexBasedDetector

GUESSING_DETECTORS = {
    "Base64HighEntropyString",
    "HexHighEntropyString",
    "KeywordDetector",
    "IPPublicDetector",
}
"""Detectors left out: they go by randomness or a word nearby, and would name every id in a result."""


@functools.cache
def detectors() -> "dict[str, RegexBasedDetector]":
    """Return every detector that knows the shape of a key or token, by the kind of secret it finds."""
    from detect_secrets.core.plugins.util import get_mapping_from_secret_type_to_class

    known: dict[str, Any] = get_mapping_from_secret_type_to_class()
    return {kind: cls() for kind, cls in sorted(known.items()) if cls.__name__ not in GUESSING_DETECTORS}


def secret_kinds(value: Any) -> list[str]:
    """Return the kinds of secrets in a JSON value's texts, keys left out; never the secrets themselves."""
    return sorted({kind for text in strings(value) for kind in _kinds(text)})


@functools.lru_cache(maxsize=4096)
def _kinds(text: str) -> tuple[str, ...]:
    """Return the kinds in one text; cached, since rows repeat their policies and tools."""
    return tuple(k for k, detector in detectors().items() if any(True for _ in detector.analyze_string(text)))


def strings(value: Any) -> Iterator[str]:
    """Yield every text in a JSON value."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for inner in value.values():
            yield from strings(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from strings(inner)
