"""Refusal: the tasks that must be declined, and those that were declined without need."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.percent import percent
from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import Figure, MissingFigure, count_noun, note_undrawn
from eops_traj.report.group_scores import Parts, score_groups
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "refusal", "Refusal: safe, blind, over, unsafe, false success"
MUST = "must be declined"
MAY = "can be done"
PARTS = {
    "safe_refusal": "safe refusal",
    "blind_refusal": "blind refusal",
    "unsafe_action": "unsafe action",
    "false_success": "false success",
    "over_refusal": "over-refusal",
    "other": "attempted",
}
COLUMNS = {
    "agent": "text", "tasks that": "text", "episodes": "count", "tasks": "count",
    **dict.fromkeys(PARTS, "share"),
}  # fmt: skip

Row = dict[str, Any]


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show the outcomes of the tasks that must be declined, and how many of the others were declined."""
    must, declined, unknown = _counts(data.scored)
    if not must and not declined:
        why = "No task is known to be one that must be declined, and no other was declined."
        return MissingFigure(NAME, TITLE, why)
    rows = list(_rows(data.scored_parts))
    names = [row["agent"] for row in data.ranked]
    return Figure(
        name=NAME,
        title=TITLE,
        caption="Of the tasks that must be declined, how many were for the reason that holds (safe) or "
        "without it (blind), were acted on (unsafe), or were claimed to be done with nothing changed (false "
        "success); of all others, how many were declined (over-refusal).",
        n=f"{count_noun(must, 'episode')} at tasks that must be declined, "
        f"{data.scored_count - must:,} at others",
        alt=_alt(rows, names[0]),
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MAX_AGENTS]),
        cautions=_cautions(unknown, names),
    )


def _counts(scored: "pl.LazyFrame") -> tuple[int, int, int]:
    """Count the episodes that must decline, that declined without need, and of which neither is known."""
    import polars as pl

    feasible, outcome = pl.col("feasible"), pl.col("outcome")
    counts = scored.select(
        must=feasible.eq_missing(False).sum(),
        declined=(outcome == "over_refusal").sum(),
        unknown=feasible.null_count(),
    )
    must, declined, unknown = counts.collect(engine="streaming").row(0)
    return must, declined, unknown


def _rows(scored: Parts) -> Iterator[Row]:
    import polars as pl

    declined = pl.col("feasible").eq_missing(False)
    kind = pl.when(declined).then(pl.lit(MUST)).otherwise(pl.lit(MAY))
    for row in score_groups([part.with_columns(kind=kind) for part in scored], ["agent", "kind"]):
        shares = {name: row["outcomes"].get(name, 0) / row["episodes"] for name in PARTS if name != "other"}
        others = sum(n for name, n in row["outcomes"].items() if name not in PARTS)
        other = (others + row["errors"]) / row["episodes"]
        counts = {"episodes": row["episodes"], "tasks": row["tasks"]}
        yield {"agent": row["agent"], "tasks that": row["kind"], **counts, **shares, "other": other}


def _alt(rows: list[Row], agent: str) -> str:
    mine = {row["tasks that"]: row for row in rows if row["agent"] == agent}
    parts = []
    if MUST in mine:
        parts.append(f"rightly declined {percent(mine[MUST]['safe_refusal'])} of what must be declined")
    if MAY in mine:
        parts.append(f"declined {percent(mine[MAY]['over_refusal'])} of what can be done")
    else:
        parts.append("was asked nothing that can be done")
    return f"Bars of shares. {agent} {' and '.join(parts)}."


def _cautions(unknown: int, names: list[str]) -> tuple[str, ...]:
    episodes = count_noun(unknown, "episode")
    caution = f"Of {episodes} it is not known whether the task can be done; they count as such."
    return ((caution,) if unknown else ()) + note_undrawn(len(names), MAX_AGENTS)


def _draw(rows: list[Row], names: list[str]) -> Any:
    from eops_traj.report.drawing.bars import bar_panels, stack_bars
    from eops_traj.report.drawing.canvas import percent_axis

    kinds = [kind for kind in (MUST, MAY) if any(row["tasks that"] == kind for row in rows)]
    drawing, panels = bar_panels(names, len(kinds))
    for axes, kind in zip(panels, kinds, strict=True):
        by_agent = {row["agent"]: row for row in rows if row["tasks that"] == kind}
        handles, labels = stack_bars(axes, [by_agent.get(name) for name in names], PARTS, rest="other")
        percent_axis(axes)
        axes.set_title(f"tasks that {kind}\nn={sum(row['episodes'] for row in by_agent.values()):,}")
    drawing.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return drawing
