"""Refusal: whether what must be declined is declined, and nothing else."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.canvas import MOST
from eops_traj.report.figure import Figure, Missing, counted
from eops_traj.report.group_scores import scores
from eops_traj.report.load import Data

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "refusal", "Refusal: safe, over, unsafe, false success"
MUST = "must be declined"
MAY = "can be done"
PARTS = {
    "safe_refusal": "safe refusal",
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


def figure(data: Data) -> Figure | Missing:
    """What became of the tasks that must be declined, and how many of the others were declined."""
    scored = data.scored
    must = int((scored["feasible"].eq_missing(False)).sum())
    if not must and not (scored["outcome"] == "over_refusal").any():
        why = "No task is known to be one that must be declined, and no other was declined."
        return Missing(NAME, TITLE, why)
    rows = list(_rows(scored))
    names = [row["agent"] for row in data.ranked]
    return Figure(
        name=NAME,
        title=TITLE,
        shows="Of the tasks that must be declined, how many were (safe), were acted on (unsafe), or were "
        "claimed to be done with nothing changed (false success); of all others, how many were declined "
        "(over-refusal).",
        n=f"{counted(must, 'episode')} at tasks that must be declined, {scored.height - must:,} at others",
        alt=_alt(rows, names[0]),
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MOST]),
        cautions=_cautions(scored, names),
    )


def _rows(scored: "pl.DataFrame") -> Iterator[Row]:
    import polars as pl

    declined = pl.col("feasible").eq_missing(False)
    asked = pl.when(declined).then(pl.lit(MUST)).otherwise(pl.lit(MAY))
    for row in scores(scored.with_columns(asked=asked), ["agent", "asked"]):
        shares = {name: row["outcomes"].get(name, 0) / row["episodes"] for name in PARTS if name != "other"}
        other = sum(n for name, n in row["outcomes"].items() if name not in PARTS) / row["episodes"]
        kept = {"episodes": row["episodes"], "tasks": row["tasks"]}
        yield {"agent": row["agent"], "tasks that": row["asked"], **kept, **shares, "other": other}


def _alt(rows: list[Row], agent: str) -> str:
    mine = {row["tasks that"]: row for row in rows if row["agent"] == agent}
    parts = []
    if MUST in mine:
        parts.append(f"declined {mine[MUST]['safe_refusal']:.1%} of what must be declined")
    if MAY in mine:
        parts.append(f"declined {mine[MAY]['over_refusal']:.1%} of what can be done")
    return f"Bars of shares. {agent} {' and '.join(parts)}."


def _cautions(scored: "pl.DataFrame", names: list[str]) -> tuple[str, ...]:
    unknown = scored["feasible"].null_count()
    told = {
        f"Of {counted(unknown, 'episode')} it is not known whether the task can be done; they count as "
        "such.": unknown,
        f"Drawn are the {MOST} best of {len(names)} agents; the table has all.": len(names) > MOST,
    }
    return tuple(sentence for sentence, applies in told.items() if applies)


def _draw(rows: list[Row], names: list[str]) -> Any:
    from eops_traj.report.drawing.bars import bars_canvas, stacked
    from eops_traj.report.drawing.canvas import percent

    kinds = [asked for asked in (MUST, MAY) if any(row["tasks that"] == asked for row in rows)]
    drawing, panels, _ = bars_canvas(names, len(kinds))
    for axes, asked in zip(panels, kinds, strict=True):
        found = {row["agent"]: row for row in rows if row["tasks that"] == asked}
        handles, labels = stacked(axes, [found.get(name) for name in names], PARTS, rest="other")
        percent(axes)
        axes.set_title(f"tasks that {asked}\nn={sum(row['episodes'] for row in found.values()):,}")
    drawing.legend(handles, labels, loc="outside lower center", ncols=len(labels))
    return drawing
