"""Thinking: success by an agent's reasoning budget, or by the reasoning tokens that it spent."""

import json
from typing import Any

from eops_traj.report.drawing.lines import MAX_PANELS
from eops_traj.report.figure import Figure, MissingFigure
from eops_traj.report.group_scores import (
    Parts,
    describe_sample,
    rank_agents,
    score_groups,
    success_row,
)
from eops_traj.report.load import ReportData, distinct

NAME, TITLE = "thinking", "Thinking budget"
BUDGET_SETTINGS = ("reasoning_effort", "thinking_budget", "thinking.budget_tokens", "enable_thinking")
"""The ends of agents' settings that limit how much may be thought."""
EFFORTS = ("none", "false", "minimal", "low", "medium", "high", "xhigh", "max", "true")
MIN_EPISODES = 8
"""Episodes that an agent must have for its quarters to be drawn."""
QUARTERS = ("least", "less", "more", "most")
COLUMNS = {
    "agent": "text", "thinking": "text", "episodes": "count", "tasks": "count",
    "reasoning tokens": "number", "parity": "share", "low": "share", "high": "share",
}  # fmt: skip
QUARTERED = (
    "An agent thinks longer about what is hard, so that this shows what tasks ask for as much as what "
    "thinking brings."
)


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show success by thinking budget where models were tried with several, else by the tokens they spent."""
    if budgets := _by_budget(data):
        return _figure(
            budgets, "Parity success of a model with each thinking budget, all else alike", "budget", ()
        )
    if quarters := _by_quarter(data):
        start = (
            "Parity success by how many reasoning tokens an attempt took, in quarters of an agent's attempts"
        )
        return _figure(quarters, start, "reasoning tokens", (QUARTERED,))
    why = "No two agents differ in a thinking budget, and reasoning tokens are not known of"
    return MissingFigure(NAME, TITLE, f"{why} {MIN_EPISODES} episodes of any agent.")


def _figure(frame: Parts, start: str, label: str, cautions: tuple[str, ...]) -> Figure:
    rows = [_row(row) for row in score_groups(frame, ["agent", "thinking"])]
    rows.sort(key=lambda row: (row["agent"], _budget_order(row["thinking"])))
    names = [row["agent"] for row in rank_agents(frame)]
    mine = [row for row in rows if row["agent"] == names[0]]
    return Figure(
        name=NAME,
        title=TITLE,
        caption=f"{start}, with 95% intervals over tasks.",
        n=describe_sample(frame),
        alt=f"A panel for each agent, parity over {label}. {names[0]}: {mine[0]['parity']:.1%} at "
        f"{mine[0]['thinking']}, {mine[-1]['parity']:.1%} at {mine[-1]['thinking']}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows, names[:MAX_PANELS], label),
        cautions=cautions,
    )


def _by_budget(data: ReportData) -> Parts:
    """Keep the episodes of agents that differ from another in the budget alone, which is ``thinking``."""
    import polars as pl

    makers = data.makers.filter(pl.col("maker").is_in(distinct(data.scored_parts, "maker")))
    split = [_split_budget(json.loads(text)) for text in makers["settings"]]
    thinking, rest = ([part[n] for part in split] for n in (0, 1))
    makers = makers.with_columns(
        pl.Series("thinking", thinking, pl.String), pl.Series("rest", rest, pl.String)
    )
    several = pl.col("thinking").n_unique().over("model", "orchestrator", "rest") > 1
    named = pl.concat_str("model", pl.lit(", "), "orchestrator")
    chosen = makers.drop_nulls("thinking").filter(several).select("maker", "thinking", agent=named)
    if chosen.is_empty():
        return ()
    return [part.drop("agent").join(chosen.lazy(), on="maker") for part in data.scored_parts]


def _split_budget(settings: dict[str, Any]) -> tuple[str | None, str]:
    """Return the thinking budget of an agent, and all of its other settings."""
    budgets = {path: value for path, value in settings.items() if path.endswith(BUDGET_SETTINGS)}
    rest = json.dumps({p: v for p, v in settings.items() if p not in budgets}, sort_keys=True)
    values = list(dict.fromkeys(str(value).lower() for value in budgets.values()))
    return ("/".join(values) or "not set"), rest


def _by_quarter(data: ReportData) -> Parts:
    """Keep the episodes with known reasoning tokens, ``thinking`` their quarter among the agent's."""
    import polars as pl

    spent = data.scored.select("agent", "reasoning_tokens", "episode_id").drop_nulls("reasoning_tokens")
    known = spent.collect(engine="streaming")
    enough = (pl.len().over("agent") >= MIN_EPISODES) & (pl.col("reasoning_tokens").max().over("agent") > 0)
    rank = pl.col("reasoning_tokens").rank("ordinal").over("agent", order_by="episode_id") - 1
    quarter = ((4 * rank) // pl.len().over("agent")).replace_strict(
        dict(enumerate(QUARTERS)), return_dtype=pl.String
    )
    chosen = known.filter(enough).select("episode_id", thinking=quarter)
    if chosen.is_empty():
        return ()
    return [part.join(chosen.lazy(), on="episode_id") for part in data.scored_parts]


def _budget_order(thinking: str) -> tuple[int, float, str]:
    if thinking in QUARTERS:
        return QUARTERS.index(thinking), 0, thinking
    if thinking in EFFORTS:
        return EFFORTS.index(thinking), 0, thinking
    return (-1, float(thinking), "") if thinking.isdigit() else (-2, 0, thinking)


def _row(row: dict[str, Any]) -> dict[str, Any]:
    spent = row["reasoning_tokens"]
    mean = None if spent is None else spent / row["episodes"]
    return success_row(row, "agent", "thinking", "episodes", "tasks") | {"reasoning tokens": mean}


def _draw(rows: list[dict[str, Any]], names: list[str], label: str) -> Any:
    from eops_traj.report.drawing.canvas import wrap_name
    from eops_traj.report.drawing.lines import draw_lines

    classes = sorted({row["thinking"] for row in rows}, key=_budget_order)
    return draw_lines(
        rows, names, classes, group="thinking", label=label, short=lambda name: wrap_name(name, 8)
    )
