"""Thinking: success by an agent's reasoning budget, or by the reasoning tokens that it spent."""

import json
from typing import Any

from eops_traj.metrics.percent import percent
from eops_traj.report.drawing.lines import MAX_PANELS
from eops_traj.report.figure import Figure, MissingFigure
from eops_traj.report.group_scores import (
    Parts,
    describe_sample,
    rank_agents,
    score_groups,
    success_row,
    value_at,
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
        alt=f"A panel for each agent, parity over {label}. {names[0]}: {percent(mine[0]['parity'])} at "
        f"{mine[0]['thinking']}, {percent(mine[-1]['parity'])} at {mine[-1]['thinking']}.",
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
    """Keep the episodes with known reasoning tokens, ``thinking`` their quarter among the agent's.

    Of those that spent as many, the first ids come first. No more is held than where quarters begin.
    """
    import polars as pl

    begins = _quarter_begins(data)
    if not begins[0]:
        return ()
    tokens, agent, quarter = pl.col("reasoning_tokens"), pl.col("agent"), pl.lit(0)
    for begin in begins:
        least, first = (
            agent.replace_strict({a: at[n] for a, at in begin.items()}, default=None) for n in (0, 1)
        )
        tied = (tokens == least) & (pl.col("episode_id") >= first)
        quarter += ((tokens > least) | tied).cast(pl.Int32)
    thinking = quarter.replace_strict(dict(enumerate(QUARTERS)), return_dtype=pl.String)
    known = tokens.is_not_null() & agent.is_in([*begins[0]])
    return [part.filter(known).with_columns(thinking=thinking) for part in data.scored_parts]


def _quarter_begins(data: ReportData) -> list[dict[str, tuple[int, Any]]]:
    """Return for each quarter after the first where it begins, by agent: at these tokens, at this id."""
    import polars as pl

    spent = data.scored.select("agent", "reasoning_tokens", "episode_id").drop_nulls("reasoning_tokens")
    counts = spent.group_by("agent", "reasoning_tokens").len().collect(engine="streaming")
    places = [
        (agent, n, *value_at(of, "reasoning_tokens", -(-n * count // len(QUARTERS))))  # rounded up
        for (agent,), of in counts.sort("reasoning_tokens").group_by("agent")
        if (count := int(of["len"].sum())) >= MIN_EPISODES and of["reasoning_tokens"][-1] > 0
        for n in range(1, len(QUARTERS))
    ]
    begins: list[dict[str, tuple[int, Any]]] = [{} for _ in QUARTERS[1:]]
    if places:
        wanted = pl.LazyFrame(places, ["agent", "n", "reasoning_tokens", "place"], orient="row")
        tied = spent.join(wanted, on=("agent", "reasoning_tokens")).group_by("agent", "n", "reasoning_tokens")
        found = tied.agg(pl.col("episode_id").sort().get(pl.col("place").first())).collect()
        for agent, n, tokens, first in found.iter_rows():
            begins[n - 1][agent] = tokens, first
    return begins


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
