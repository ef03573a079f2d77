"""Verifiers: the share that pass, by category."""

from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent
from eops_traj.metrics.score import success_interval
from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import Figure, MissingFigure, count_noun
from eops_traj.report.group_scores import Parts
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
    counts = _counts(data.judged_parts)
    if counts.is_empty():
        return MissingFigure(
            NAME, TITLE, "No episode has a verdict, so there is nothing to count by category."
        )
    parts = counts.partition_by(["agent", "category"], as_dict=True)
    rows = [_row(str(agent), str(category), parts[agent, category]) for agent, category in sorted(parts)]
    verdicts = sum(row["verifiers"] for row in rows)
    names = [row["agent"] for row in data.ranked]
    worst = min(rows, key=lambda row: row["strict"])
    return Figure(
        name=NAME,
        title=TITLE,
        caption="The share of verifiers that passed strictly, by what they check; 95% intervals over tasks.",
        n=f"{count_noun(verdicts, 'verdict')} of {count_noun(data.judged_count, 'episode')}",
        alt=f"Dots with intervals, a panel for each category. The lowest share is "
        f"{percent(worst['strict'])}, {worst['agent']} at {worst['category']}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MAX_AGENTS]),
        cautions=("Where a task does not name a category, it is inferred from the verifier's query.",),
    )


def _counts(scored: Parts) -> "pl.DataFrame":
    """Count by agent and category the tasks with as many known verdicts (``tried``) that passed (``won``)."""
    import polars as pl

    alike = ("agent", "category", "won", "tried")
    parts = [
        _of_tasks(part).group_by(alike).agg(number=pl.len()).collect(engine="streaming") for part in scored
    ]
    return pl.concat(parts).group_by(alike).agg(pl.col("number").sum())


def _of_tasks(scored: "pl.LazyFrame") -> "pl.LazyFrame":
    """Count the known verdicts of each agent, category and task."""
    import polars as pl

    passed = pl.col("passed_strict")
    return (
        scored.select("agent", "task_hash", "verdicts")
        .explode("verdicts")
        .drop_nulls("verdicts")
        .unnest("verdicts")
        .drop_nulls(["category", "passed_strict"])
        .group_by("agent", "category", "task_hash")
        .agg(won=passed.sum(), tried=passed.count())
    )


def _row(agent: str, category: str, tasks: "pl.DataFrame") -> dict[str, Any]:
    won, tried, number = tasks["won"], tasks["tried"], tasks["number"]
    low, high = success_interval(won.to_list(), tried.to_list(), number.to_list())
    verifiers = int((tried * number).sum())
    return {
        "agent": agent,
        "category": category,
        "verifiers": verifiers,
        "tasks": int(number.sum()),
        "strict": int((won * number).sum()) / verifiers,
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
