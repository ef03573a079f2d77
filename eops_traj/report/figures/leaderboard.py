"""The leaderboard: each agent's success in each domain."""

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from eops_traj.metrics.cut_replies import cut_share
from eops_traj.metrics.percent import percent
from eops_traj.metrics.uneven import is_uneven, success_by_task
from eops_traj.report.drawing.canvas import MAX_AGENTS
from eops_traj.report.figure import (
    NOTHING_SCORED,
    Figure,
    MissingFigure,
    count_noun,
    join_names,
    note_undrawn,
)
from eops_traj.report.group_scores import describe_sample, largest_k, score_groups, success_row
from eops_traj.report.load import ReportData

if TYPE_CHECKING:
    import polars as pl

NAME, TITLE = "leaderboard", "Leaderboard by domain"
ALL = "all"
"""The group of every domain together."""


def figure(data: ReportData) -> Figure | MissingFigure:
    """Show mean success of each agent with its interval, and the chances that one or all of k succeed."""
    scored = data.scored_parts
    if not data.scored_count:
        return MissingFigure(NAME, TITLE, NOTHING_SCORED)
    best = data.ranked
    k = largest_k(best)
    every = {row["agent"]: row for row in score_groups(scored, ["agent"], [k])}
    overall = [{"domain": ALL, **every[row["agent"]]} for row in best]
    cut = _cut_shares(data.scored)
    rows = [_row(row, k, cut) for row in (*overall, *score_groups(scored, ["domain", "agent"], [k]))]
    names = [row["agent"] for row in best]
    differ = len({row["tasks"] for row in best}) > 1
    caution = "The agents attempted different tasks: only paired differences compare them fairly."
    return Figure(
        name=NAME,
        title=TITLE,
        caption=_caption(k),
        n=describe_sample(scored),
        alt=_alt(best),
        columns=_columns(k),
        rows=rows,
        draw=lambda: _draw(rows, names, k),
        cautions=((caution,) if differ else ())
        + _uneven_note(best)
        + _cut_note(cut, names)
        + note_undrawn(len(best), MAX_AGENTS),
    )


def _cut_shares(scored: "pl.LazyFrame") -> dict[tuple[str, str], float | None]:
    """Return the share of replies that were cut, by domain and agent, and by agent for all domains."""
    import polars as pl

    replies = scored.group_by("domain", "agent").agg(pl.col("replies", "cut").sum())
    counts = replies.collect(engine="streaming")
    by_domain = counts.partition_by("domain", "agent", as_dict=True)
    whole = {(ALL, str(agent)): part for (agent,), part in counts.partition_by("agent", as_dict=True).items()}
    parts = {**{(str(domain), str(agent)): part for (domain, agent), part in by_domain.items()}, **whole}
    return {group: cut_share(part) for group, part in parts.items()}


def _uneven_note(best: Sequence[Mapping[str, Any]]) -> tuple[str, ...]:
    """Return the caution that some agents' means over episodes are none over tasks, or nothing."""
    by_task = [f"{success_by_task(dict(row))} for {row['agent']}" for row in best if is_uneven(dict(row))]
    start = (
        "Attempts at a task are uneven, and parity and strict are means over episodes; over tasks they are"
    )
    return (f"{start} {join_names(by_task)}.",) if by_task else ()


def _cut_note(cut: Mapping[tuple[str, str], float | None], agents: Sequence[str]) -> tuple[str, ...]:
    """Return the caution that some agents' replies were cut; none where all were whole."""
    shares = {agent: cut[ALL, agent] for agent in agents}
    named = [f"{percent(share)} of the replies of {agent}" for agent, share in shares.items() if share]
    return (f"Cut at their token limit: {join_names(named)}.",) if named else ()


def _row(row: Mapping[str, Any], k: int, cut: Mapping[tuple[str, str], float | None]) -> dict[str, Any]:
    at_k = (f"mean@{k}", f"pass@{k}", f"pass^{k}", f"tasks@{k}") if k > 1 else (f"mean@{k}",)
    return {
        **success_row(row, "domain", "agent", "episodes", "tasks", *at_k),
        "strict": row["success_strict"],
        "parity verifiers": row["verifier_pass_parity"],
        "replies cut": cut[row["domain"], row["agent"]],
    }


def _columns(k: int) -> dict[str, str]:
    shares = ("parity", "low", "high", "strict", "parity verifiers", "replies cut", f"mean@{k}")
    at_k = (f"pass@{k}", f"pass^{k}") if k > 1 else ()
    columns = {"domain": "text", "agent": "text", "episodes": "count", "tasks": "count"}
    of_tasks = {f"tasks@{k}": "count"} if k > 1 else {}
    return columns | dict.fromkeys((*shares, *at_k), "share") | of_tasks


def _caption(k: int) -> str:
    start = "Parity success of each agent, as the benchmark scores, with its 95% interval over tasks"
    if k == 1:
        return f"{start}; with one attempt at a task, mean@1, pass@1 and pass^1 are the same."
    return (
        f"{start}; of {k} attempts at a task, where there are as many (tasks@{k}), pass@{k} is the chance "
        f"that one succeeds, pass^{k} that all do."
    )


def _alt(best: list[dict[str, Any]]) -> str:
    parts = [f"{row['agent']} with {_share(row)} of {count_noun(row['tasks'], 'task')}" for row in best]
    last = f"; last is {parts[-1]}" if len(parts) > 1 else ""
    return f"Dots with intervals, a panel for each domain. First is {parts[0]}{last}."


def _share(row: dict[str, Any]) -> str:
    return "unknown success" if row["success_parity"] is None else percent(row["success_parity"])


def _draw(rows: list[dict[str, Any]], names: list[str], k: int) -> Any:
    from eops_traj.report.drawing.dots import draw_dots

    panels: dict[str, int] = {}
    for row in rows:
        panels[row["domain"]] = panels.get(row["domain"], 0) + row["episodes"]
    titles = {domain: f"{domain}\nn={episodes:,}" for domain, episodes in panels.items()}
    marks = {f"pass@{k}": ("^", f"pass@{k}"), f"pass^{k}": ("v", f"pass^{k}")} if k > 1 else {}
    return draw_dots(rows, names[:MAX_AGENTS], titles, group="domain", label="parity", marks=marks)
