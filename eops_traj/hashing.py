"""One way to write a value, and one name for it: canonical JSON and content hashes."""

import hashlib
import json
from typing import Any


def canonical_json(value: Any) -> str:
    """Render a value as JSON with sorted keys and no spaces, so that equal values give equal text.

    Raises ``ValueError`` for NaN and infinities, ``TypeError`` for what JSON cannot hold.
    """
    return clean(
        json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=False, allow_nan=False)
    )


def clean(text: str) -> str:
    """Replace lone surrogates, which UTF-8 cannot hold, by U+FFFD."""
    return text if text.isascii() else text.encode("utf-16", "surrogatepass").decode("utf-16", "replace")


def digest(*parts: Any) -> str:
    """Hash the parts: 24 hexadecimal digits (96 bits) of BLAKE2b over their canonical JSON."""
    return hashlib.blake2b(canonical_json(parts).encode(), digest_size=12).hexdigest()
