"""A bar of length 100, divided into outcomes."""

from collections.abc import Mapping
from typing import Any

from eops_traj.schema import OUTCOMES


def outcome_bar(counts: Mapping[str, int], total: int) -> list[dict[str, Any]]:
    """Divide a bar of length 100 into the outcomes that there are."""
    parts, start = [], 0.0
    for name in OUTCOMES:
        if count := counts[name]:
            length = 100 * count / total
            parts.append(
                {"outcome": name, "count": count, "start": round(start, 2), "length": round(length, 2)}
            )
            start += length
    return parts
