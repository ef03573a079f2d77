"""Scores by mode and domain as a leaderboard, beside the one that the benchmark publishes.

The average of a row is the plain mean of its domains, as the benchmark has it, and is there only where a row
has all eight. The published figures are in ``published.json``, with their source; they are of one mode, and
of the benchmark's own tasks and conditions. They count errors as 0.
"""

import json
import math
from collections import defaultdict
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from functools import cache
from importlib.resources import files
from typing import TYPE_CHECKING, Any

from eops_traj.errors import InputError
from eops_traj.metrics.agent_settings import told_apart, without_seed
from eops_traj.metrics.counted import count_episodes, split_groups
from eops_traj.metrics.error_rule import OUT, ZERO, rule_for
from eops_traj.metrics.score import score_row
from eops_traj.protocol import BENCHMARK, marks
from eops_traj.schema import BENCHMARK_SUITE

if TYPE_CHECKING:
    import polars as pl

KEYS = ("mode", "domain")
"""What a leaderboard is by; each agent has a row in each mode."""
_BY = ("mode", "model", "orchestrator", "protocol", "suite", "settings", "domain")
_Agent = tuple[str, str, str, str, str, str]
"""The values of all of them but the domain."""


@dataclass(frozen=True)
class LeaderboardRow:
    """An agent in one mode, or a published model: the share of tasks solved, 0 to 1, in each domain."""

    model: str
    mode: str
    orchestrator: str
    success: dict[str, float]
    average: float | None
    published: bool
    low: float | None = None
    high: float | None = None
    """The 95% interval of the average (:func:`_interval`)."""
    tasks: dict[str, int] = field(default_factory=dict)
    errors: dict[str, int] = field(default_factory=dict)
    """How many attempts of a domain erred, where some did; a domain without a share has nothing else."""
    errors_count: str = ZERO
    """The rule for them (:mod:`eops_traj.metrics.error_rule`)."""
    differs: tuple[str, ...] = ()
    """Why the row may not stand beside the published ones; nothing where it may."""
    settings: str = ""
    """What tells the agent from others of its model, orchestrator and protocol; nothing without such."""


@cache
def published_figures() -> dict[str, Any]:
    """Read the published leaderboard with its source."""
    text = files("eops_traj.metrics").joinpath("published.json").read_text(encoding="utf-8")
    figures: dict[str, Any] = json.loads(text)
    return figures


def check_keys(by: Sequence[str]) -> None:
    """Raise InputError for groups that a leaderboard does not have."""
    if others := [key for key in by if key not in KEYS]:
        raise InputError(f"a leaderboard is by {' and '.join(KEYS)}, not by {', '.join(others)}")


def leaderboard(episodes: "pl.LazyFrame", errors: str) -> list[LeaderboardRow]:
    """Return a row for each agent and mode, then the published ones; the best of each first.

    ``errors`` is the rule for errors, which may be each protocol's own. Agents that differ in their seeds
    alone are one.
    """
    found: dict[_Agent, dict[str, dict[str, Any]]] = {}
    for (*agent, domain), group in split_groups(count_episodes(_seedless(episodes), _BY, errors), _BY):
        row = score_row(group, ())
        if row["success_parity"] is not None or row["errors"]:
            found.setdefault(tuple(agent), {})[domain] = row
    names = _settings_named(found)
    ours = [_row(*agent[:5], by_domain, errors, names[agent]) for agent, by_domain in found.items()]
    return [*sorted(ours, key=_place), *_published()]


def _seedless(episodes: "pl.LazyFrame") -> "pl.LazyFrame":
    import polars as pl

    known = episodes.select(pl.col("settings").unique()).collect(engine="streaming")["settings"].drop_nulls()
    return episodes.with_columns(pl.col("settings").replace({text: without_seed(text) for text in known}))


def _settings_named(agents: Iterable[_Agent]) -> dict[_Agent, str]:
    """Name the settings that tell agents of one model, orchestrator and protocol apart, in whatever mode."""
    groups: dict[tuple[str, ...], list[_Agent]] = defaultdict(list)
    for agent in agents:
        groups[agent[1:4]].append(agent)
    names = [told_apart([agent[5] for agent in group]) for group in groups.values()]
    return {
        agent: name[agent[5]] for group, name in zip(groups.values(), names, strict=True) for agent in group
    }


def domains() -> list[str]:
    """List the domains in the order of the published table."""
    return list(published_figures()["domains"])


def _row(
    mode: str, model: str, orchestrator: str, protocol: str, suite: str, by_domain: dict[str, dict[str, Any]],
    errors: str, settings: str,
) -> LeaderboardRow:  # fmt: skip
    shares = {name: row["success_parity"] for name, row in by_domain.items()}
    success = {name: share for name, share in shares.items() if share is not None}
    erred = {name: row["errors"] for name, row in by_domain.items() if row["errors"]}
    rule = rule_for(protocol, errors)
    left_out = ["errors left out"] if erred and rule == OUT else []
    average = _mean(success)
    low, high = _interval(average, by_domain)
    return LeaderboardRow(
        model=model,
        mode=mode,
        orchestrator=orchestrator,
        success=success,
        average=average,
        low=low,
        high=high,
        published=False,
        tasks={name: row["tasks"] for name, row in by_domain.items()},
        errors=erred,
        errors_count=rule,
        differs=(*_differences(mode, orchestrator, protocol, suite), *left_out),
        settings=settings,
    )


def _mean(success: dict[str, float]) -> float | None:
    """Return the plain mean over all domains; None where one is missing."""
    values = [success.get(name) for name in domains()]
    known = [value for value in values if value is not None]
    return sum(known) / len(known) if len(known) == len(values) else None


def _interval(
    average: float | None, by_domain: dict[str, dict[str, Any]]
) -> tuple[float | None, float | None]:
    """Return the interval of an average from those of the domains, which are independent of each other.

    Its bounds are as far off as the domains' own bounds together, each side by itself (Zou and Donner 2008):
    where all tasks of a domain were solved, nothing lies above, and much may lie below. Unknown where the
    average is, or a domain's interval.
    """
    rows = [by_domain[name] for name in domains()] if average is not None else []
    if average is None or any(row["ci_low"] is None for row in rows):
        return None, None
    below = math.hypot(*(row["success_parity"] - row["ci_low"] for row in rows)) / len(rows)
    above = math.hypot(*(row["ci_high"] - row["success_parity"] for row in rows)) / len(rows)
    return max(0.0, average - below), min(1.0, average + above)


def _differences(mode: str, orchestrator: str, protocol: str, suite: str) -> list[str]:
    """List what keeps a row from standing beside the published ones."""
    figures = published_figures()
    wanted = {"protocol": BENCHMARK.name, "suite": BENCHMARK_SUITE, "mode": figures["mode"]}
    found = {"protocol": protocol, "suite": suite, "mode": mode}
    reasons = [f"{name} {found[name]}" for name in wanted if found[name] != wanted[name]]
    if orchestrator != figures["orchestrator"]:
        reasons.append(f"orchestrator {orchestrator}")
    return [*reasons, *marks([orchestrator]).values()]


def _published() -> list[LeaderboardRow]:
    figures = published_figures()
    rows = [
        LeaderboardRow(
            model=one["model"],
            mode=figures["mode"],
            orchestrator=figures["orchestrator"],
            success={name: value / 100 for name, value in one["success"].items()},
            average=one["average"] / 100,
            published=True,
        )
        for one in figures["models"]
    ]
    return sorted(rows, key=_place)


def _place(row: LeaderboardRow) -> tuple[str, float]:
    return row.mode, -(row.average if row.average is not None else -1.0)
