"""A comparison for people: what was compared, the result, and a table of all its parts."""

from collections.abc import Iterator
from typing import TYPE_CHECKING

from eops_traj.metrics.compare import Comparison, Equivalence
from eops_traj.metrics.error_rule import OUT
from eops_traj.metrics.paired_stats import RESAMPLES
from eops_traj.metrics.percent import percent
from eops_traj.metrics.rates import RateRow
from eops_traj.metrics.sides import RUN_ID_DIGITS, Side
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    from rich.table import Table
    from rich.text import Text

COLOURS = {"better": "green", "worse": "red"}
"""Of conclusions; NO_COLOR takes them away."""
SPARE = ("tasks",)
"""The column that a narrow terminal does without."""


def comparison_summary(comparison: Comparison) -> Iterator[str]:
    """Yield the lines above the table; the one that concludes comes first."""
    whole = comparison.pass_at_1
    yield (
        f"{whole.conclusion or 'unknown'}: strict pass@1 {_share(whole.base)} -> {_share(whole.new)}, "
        f"{_difference(whole)} points over {comparison.tasks:,} tasks"
    )
    if comparison.equivalence:
        yield _equivalence(comparison.equivalence)
    won, lost, p = comparison.mcnemar.won, comparison.mcnemar.lost, comparison.mcnemar.p
    yield f"first attempts: NEW alone did {won:,} tasks, BASE alone {lost:,}; McNemar p = {p:.2g}"
    yield _needed(comparison)
    yield from (
        f"{name}: {_side(side, comparison.errors_count)}"
        for name, side in (("BASE", comparison.base), ("NEW", comparison.new))
    )
    yield from (f"warning: not asked alike, {unlike}" for unlike in comparison.warnings)
    if comparison.other_verifiers:
        many = f"{comparison.other_verifiers:,} of the {comparison.tasks:,} tasks"
        yield f"warning: not judged alike, {many} by other verifiers on one side than on the other"


def _equivalence(test: Equivalence) -> str:
    verdict = "equivalent" if test.equivalent else "not shown to be equivalent"
    return (
        f"{verdict} within {test.margin:.1%}: 90% interval {_points(test.low)} to {_points(test.high)} points"
    )


def _needed(comparison: Comparison) -> str:
    """Say how many tasks or attempts would resolve the difference; both numbers may be unknown."""
    if comparison.tasks_needed is None:
        return "no difference was seen that more tasks or attempts could resolve"
    attempts = (
        f"{comparison.attempts_needed:,} attempts a side at each of these"
        if comparison.attempts_needed
        else ""
    )
    return (
        f"to resolve a difference as large (80% power at 95%): {comparison.tasks_needed:,} tasks"
        f"{', or ' if attempts else ''}{attempts}"
    )


def _side(side: Side, rule: str) -> str:
    """Describe a side: its agents, what counts, and what was left out."""
    out = rule == OUT
    runs = [run[:RUN_ID_DIGITS] for run in side.runs[:3]] + ["..."] * (len(side.runs) > 3)
    excluded = {
        "tasks that the other lacks": side.left_out_tasks,
        "errors": side.errors if out else 0,
        "superseded": side.superseded,
        "branches": side.branches,
        "unverified": side.unverified,
    }
    zero = "" if out or not side.errors else f", {side.errors:,} of them errors that count as 0,"
    left_out = ", ".join(f"{count:,} {what}" for what, count in excluded.items() if count) or "nothing"
    return (
        f"{side.name} ({'; '.join(side.agents)}; protocol {side.conditions}; "
        f"run {', '.join(runs)}), {side.attempts:,} attempts{zero} "
        f"at {side.tasks:,} tasks; left out: {left_out}"
    )


def comparison_table(comparison: Comparison) -> "Table":
    """Render every row of a comparison, family by family."""
    from rich import box
    from rich.table import Table

    caption = f"Intervals over tasks, {RESAMPLES:,} resamples; those of a section hold together at 95%."
    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0), caption=caption, caption_justify="left")
    for name in ("", "tasks", "BASE", "NEW", "difference", "conclusion"):
        table.add_column(name, justify="left" if name in ("", "conclusion") else "right", no_wrap=True)
    shares = [
        (comparison.pass_at_1,),
        comparison.rates,
        comparison.domains,
        comparison.horizons,
        comparison.categories,
    ]
    for rows in filter(None, shares):
        for row in rows:
            values = (_share(row.base), _share(row.new), _difference(row), _conclusion(row))
            table.add_row(visible(row.name), f"{row.tasks:,}", *values)
        table.add_section()
    for row in comparison.costs:
        table.add_row(
            visible(row.name), f"{row.tasks:,}", *map(_amount, (row.base, row.new, row.difference)), ""
        )
    return table


def _conclusion(row: RateRow) -> "Text":
    from rich.text import Text

    return Text(row.conclusion or "unknown", style=COLOURS.get(row.conclusion or "", ""))


def _share(value: float | None) -> str:
    return "unknown" if value is None else percent(value)


def _points(value: float) -> str:
    return f"{100 * value:+.1f}"


def _difference(row: RateRow) -> str:
    """Format the difference with its interval, in points of a hundred."""
    if row.difference is None or row.low is None or row.high is None:
        return "unknown"
    return f"{_points(row.difference)} [{_points(row.low)}, {_points(row.high)}]"


def _amount(value: float | None) -> str:
    return "unknown" if value is None else f"{value:,.4g}" if abs(value) < 1000 else f"{value:,.0f}"
