"""Verifiers: the share that pass, by category."""

from typing import TYPE_CHECKING, Any

from eops_traj.metrics.score import success_interval
from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import Figure, MissingFigure, count_noun
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "verifier_categories", "Verifiers passed, by category"
COLUMNS = {
    "agent": "text", "category": "text", "verifiers": "count", "tasks": "count",
    "strict": "share", "low": "share", "high": "share",
}  # fmt: skip


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show the share of verifiers that passed strictly, by agent and category."""
    verdicts = _verdicts(data.scored)
    if verdicts.is_empty():
        return MissingFigure(
            NAME, TITLE, "No episode has a verdict, so there is nothing to count by category."
        )
    parts = verdicts.partition_by(["agent", "category"], as_dict=True)
    rows = [_row(str(agent), str(category), parts[agent, category]) for agent, category in sorted(parts)]
    names = [row["agent"] for row in data.ranked]
    worst = min(rows, key=lambda row: row["strict"])
    return Figure(
        name=NAME,
        title=TITLE,
        caption="The share of verifiers that passed strictly, by what they check; 95% intervals over tasks.",
        n=f"{count_noun(verdicts.height, 'verdict')} of {count_noun(data.scored.height, 'episode')}",
        alt=f"Dots with intervals, a panel for each category. The lowest share is {worst['strict']:.1%}, "
        f"{worst['agent']} at {worst['category']}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MAX_AGENTS]),
        cautions=("Where a task does not name a category, it is inferred from the verifier's query.",),
    )


def _verdicts(scored: "pl.DataFrame") -> "pl.DataFrame":
    """Return a row for each known verdict."""
    return (
        scored.select("agent", "task_hash", "verdicts")
        .explode("verdicts")
        .drop_nulls("verdicts")
        .unnest("verdicts")
        .drop_nulls(["category", "passed_strict"])
    )


def _row(agent: str, category: str, part: "pl.DataFrame") -> dict[str, Any]:
    import polars as pl

    passed = pl.col("passed_strict")
    tasks = part.group_by("task_hash").agg(won=passed.sum(), tried=passed.count())
    low, high = success_interval(tasks["won"].to_list(), tasks["tried"].to_list())
    return {
        "agent": agent,
        "category": category,
        "verifiers": part.height,
        "tasks": tasks.height,
        "strict": int(part["passed_strict"].sum()) / part.height,
        "low": low,
        "high": high,
    }


def _draw(rows: list[dict[str, Any]], names: list[str]) -> Any:
    from eops_traj.report.drawing.dots import draw_dots

    counts: dict[str, int] = {}
    for row in rows:
        counts[row["category"]] = counts.get(row["category"], 0) + row["verifiers"]
    titles = {name: f"{name.replace('_', ' ')}\nn={count:,} verdicts" for name, count in counts.items()}
    return draw_dots(
        rows, names, titles, group="category", label="strict verifiers", marks={}, value="strict"
    )
