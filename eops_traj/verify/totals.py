"""Counts and sums over an episode's turns."""

from collections.abc import Iterable
from typing import Any

from eops_traj.schema import Turn


def totals(turns: Iterable[Turn]) -> dict[str, Any]:
    """What its turns give an episode; a sum is unknown (None) unless every turn's part is known."""
    turns = list(turns)
    calls = [call for turn in turns for call in turn.tool_calls]
    counts: dict[str, Any] = {
        "n_turns": len(turns),
        "n_steps": len(calls),
        "n_tool_errors": sum(call.is_error for call in calls),
    }
    for name in ("input_tokens", "cached_tokens", "output_tokens", "reasoning_tokens", "cost"):
        parts = [getattr(turn, name) for turn in turns]
        counts[name] = sum(parts) if parts and None not in parts else None
    return counts
