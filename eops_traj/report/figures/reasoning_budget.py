"""Thinking: what reasoning brings, by the budget that an agent has, or by what it spent."""

import json
from typing import TYPE_CHECKING, Any

from eops_traj.report.drawing.lines import PANELS
from eops_traj.report.figure import Figure, Missing
from eops_traj.report.group_scores import over, ranked, scores
from eops_traj.report.load import Data

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "thinking", "Thinking budget"
BUDGETS = ("reasoning_effort", "thinking_budget", "thinking.budget_tokens", "enable_thinking")
"""How the settings of agents end that say how much may be thought."""
EFFORTS = ("none", "false", "minimal", "low", "medium", "high", "xhigh", "max", "true")
LEAST = 8
"""Episodes that an agent must have for its quarters to be drawn."""
QUARTERS = ("least", "less", "more", "most")
COLUMNS = {
    "agent": "text", "thinking": "text", "episodes": "count", "tasks": "count",
    "reasoning tokens": "number", "success": "share", "low": "share", "high": "share",
}  # fmt: skip
QUARTERED = (
    "An agent thinks longer about what is hard, so that this shows what tasks ask for as much as what "
    "thinking brings."
)


def figure(data: Data) -> Figure | Missing:
    """Success by thinking budget where models were tried with several, else by the tokens they spent."""
    budgets, quarters = _by_budget(data.scored), _by_quarter(data.scored)
    if not budgets.is_empty():
        return _figure(budgets, "Success of a model with each thinking budget, all else alike", "budget", ())
    if not quarters.is_empty():
        told = "Success by how many reasoning tokens an attempt took, in quarters of each agent's attempts"
        return _figure(quarters, told, "reasoning tokens", (QUARTERED,))
    why = "No two agents differ in a thinking budget, and reasoning tokens are not known of"
    return Missing(NAME, TITLE, f"{why} {LEAST} episodes of any agent.")


def _figure(frame: "pl.DataFrame", told: str, label: str, cautions: tuple[str, ...]) -> Figure:
    rows = [_row(row) for row in scores(frame, ["agent", "thinking"])]
    rows.sort(key=lambda row: (row["agent"], _place(row["thinking"])))
    names = [row["agent"] for row in ranked(frame)]
    mine = [row for row in rows if row["agent"] == names[0]]
    return Figure(
        name=NAME,
        title=TITLE,
        shows=f"{told}, with 95% intervals over tasks.",
        n=over(frame),
        alt=f"A panel for each agent, success over {label}. {names[0]}: {mine[0]['success']:.1%} at "
        f"{mine[0]['thinking']}, {mine[-1]['success']:.1%} at {mine[-1]['thinking']}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:PANELS], label),
        cautions=cautions,
    )


def _by_budget(scored: "pl.DataFrame") -> "pl.DataFrame":
    """The episodes of agents that differ from another in nothing but the budget, which is ``thinking``."""
    import polars as pl

    told = {text: _budget(json.loads(text)) for text in scored["settings"].unique().sort()}
    frame = scored.with_columns(
        thinking=pl.col("settings").replace_strict(
            {t: b for t, (b, _) in told.items()}, return_dtype=pl.String
        ),
        rest=pl.col("settings").replace_strict({t: r for t, (_, r) in told.items()}, return_dtype=pl.String),
    ).drop_nulls("thinking")
    several = pl.col("thinking").n_unique().over("model", "orchestrator", "rest") > 1
    named = pl.concat_str("model", pl.lit(", "), "orchestrator")
    return frame.filter(several).with_columns(agent=named)


def _budget(settings: dict[str, Any]) -> tuple[str | None, str]:
    """The thinking budget of an agent, and all of its other settings."""
    found = {path: value for path, value in settings.items() if path.endswith(BUDGETS)}
    rest = json.dumps({p: v for p, v in settings.items() if p not in found}, sort_keys=True)
    values = list(dict.fromkeys(str(value).lower() for value in found.values()))
    return ("/".join(values) or "not set"), rest


def _by_quarter(scored: "pl.DataFrame") -> "pl.DataFrame":
    """The episodes with known reasoning tokens, ``thinking`` the quarter of the agent's that they are in."""
    import polars as pl

    known = scored.drop_nulls("reasoning_tokens")
    rank = pl.col("reasoning_tokens").rank("ordinal").over("agent", order_by="episode_id") - 1
    quarter = (4 * rank) // pl.len().over("agent")
    spent = known.filter(
        (pl.len().over("agent") >= LEAST) & (pl.col("reasoning_tokens").max().over("agent") > 0)
    )
    return spent.with_columns(
        thinking=quarter.replace_strict(dict(enumerate(QUARTERS)), return_dtype=pl.String)
    )


def _place(thinking: str) -> tuple[int, float, str]:
    if thinking in QUARTERS:
        return QUARTERS.index(thinking), 0, thinking
    if thinking in EFFORTS:
        return EFFORTS.index(thinking), 0, thinking
    return (-1, float(thinking), "") if thinking.isdigit() else (-2, 0, thinking)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    spent = row["reasoning_tokens"]
    return {
        **{name: row[name] for name in ("agent", "thinking", "episodes", "tasks")},
        "reasoning tokens": None if spent is None else spent / row["episodes"],
        "success": row["success_parity"],
        "low": row["ci_low"],
        "high": row["ci_high"],
    }


def _draw(rows: list[dict[str, Any]], names: list[str], label: str) -> Any:
    from eops_traj.report.drawing.canvas import wrapped
    from eops_traj.report.drawing.lines import lines

    classes = sorted({row["thinking"] for row in rows}, key=_place)
    return lines(rows, names, classes, group="thinking", label=label, short=lambda name: wrapped(name, 8))
