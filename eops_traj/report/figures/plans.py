"""Plans: an executor's gain from having one, by the source of the plan."""

import json
from collections import defaultdict
from collections.abc import Iterator, Mapping
from typing import Any

from eops_traj.report.figure import Figure, MissingFigure, count_noun
from eops_traj.report.group_scores import paired_rows
from eops_traj.report.load import ReportData, distinct

NAME, TITLE = "plans", "Plan-conditioned lift"
NO_PLAN, OWN, OTHERS, GOLD = "no plan", "own plan", "another model's plan", "gold plan"
COLUMNS = {
    "executor": "text", "plan": "text", "tasks": "count", "without": "share", "with": "share",
    "difference": "points", "low": "points", "high": "points", "conclusion": "text",
}  # fmt: skip

Row = dict[str, Any]


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show the difference that a plan makes to an executor, at the tasks attempted with and without."""
    rows = list(_rows(data))
    if not rows:
        return MissingFigure(NAME, TITLE, _missing_reason(data))
    best = max(rows, key=lambda row: row["difference"])
    return Figure(
        name=NAME,
        title=TITLE,
        caption="How much more often an executor succeeds, strictly, when it is given a plan: its own, "
        "another model's, or the gold plan; points of a hundred, at the same tasks.",
        n=f"{count_noun(sum(row['tasks'] for row in rows), 'pair')} of results at the same task",
        alt=f"Differences with intervals. The largest is {best['executor']} with {best['plan']}: "
        f"{100 * best['difference']:+.1f} points over {count_noun(best['tasks'], 'task')}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows),
    )


def _missing_reason(data: ReportData) -> str:
    kinds = {row["plan"] for row in _kinds(data)}
    if not kinds - {NO_PLAN}:
        return "No executor was given a plan (orchestrators planner_react and conditioned)."
    if NO_PLAN not in kinds:
        return "No executor worked without a plan (orchestrator react) to hold those with one against."
    return "No executor attempted the same task with a plan and without."


def _kinds(data: ReportData) -> Iterator[Row]:
    """Yield each maker with its executor and the source of its plan; other makers are left out."""
    scored = set(distinct(data.scored_parts, "maker"))
    for maker in data.makers.iter_rows(named=True):
        plan = plan_source(maker["model"], maker["orchestrator"], json.loads(maker["settings"]))
        if plan and maker["maker"] in scored:
            yield {"maker": maker["maker"], "executor": maker["model"], "plan": plan}


def plan_source(model: str, orchestrator: str, settings: Mapping[str, Any]) -> str | None:
    """Return the source of an agent's plan, by its flat settings; None for an agent without such a role."""
    if orchestrator == "react":
        return NO_PLAN
    if orchestrator == "planner_react":
        return OWN if settings.get("models.planner.model", model) == model else OTHERS
    if orchestrator == "conditioned":
        return GOLD if settings.get("orchestrator.plans") == "gold" else OTHERS
    return None


def _rows(data: ReportData) -> Iterator[Row]:
    """Yield a comparison for each executor and kind of plan that it has."""
    import polars as pl

    makers: dict[tuple[str, str], list[int]] = defaultdict(list)
    for row in _kinds(data):
        makers[row["executor"], row["plan"]].append(row["maker"])
    for executor in sorted({executor for executor, _ in makers}):
        for plan in (OWN, OTHERS, GOLD):
            made_by = (pl.col("maker").is_in(makers[executor, kind]) for kind in (NO_PLAN, plan))
            without, given = map(data.scored_where, made_by)
            for row in paired_rows(without, given):
                own = {"executor": executor, "plan": plan, "without": row["base"], "with": row["new"]}
                yield own | {name: row[name] for name in COLUMNS if name in row}


def _draw(rows: list[Row]) -> Any:
    from eops_traj.report.drawing.forest import draw_forest

    names = [f"{row['executor']}: {row['plan']}" for row in rows]
    return draw_forest(rows, names, "difference in strict success from working without a plan, points")
