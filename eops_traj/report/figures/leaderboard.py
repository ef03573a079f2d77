"""The leaderboard: who succeeds how often, in each domain."""

from collections.abc import Mapping
from typing import Any

from eops_traj.report.drawing.canvas import MOST
from eops_traj.report.figure import NONE_COUNTS, Figure, Missing, counted
from eops_traj.report.group_scores import most_k, over, scores
from eops_traj.report.load import Data

NAME, TITLE = "leaderboard", "Leaderboard by domain"
ALL = "all"
"""The group of every domain together."""


def figure(data: Data) -> Figure | Missing:
    """Mean success of each agent with its interval; over k attempts whether one, and whether all succeed."""
    scored = data.scored
    if scored.is_empty():
        return Missing(NAME, TITLE, NONE_COUNTS)
    best = data.ranked
    k = most_k(best)
    every = {row["agent"]: row for row in scores(scored, ["agent"], [k])}
    found = [{"domain": ALL, **every[row["agent"]]} for row in best] + scores(
        scored, ["domain", "agent"], [k]
    )
    rows = [_row(row, k) for row in found]
    names = [row["agent"] for row in best]
    cautions = _cautions(best)
    return Figure(
        name=NAME,
        title=TITLE,
        shows=_shows(k),
        n=over(scored),
        alt=_alt(best),
        columns=_columns(k),
        rows=rows,
        draw=lambda: _draw(rows, names, k),
        cautions=cautions,
    )


def _row(row: Mapping[str, Any], k: int) -> dict[str, Any]:
    told = {
        "domain": row["domain"],
        "agent": row["agent"],
        "episodes": row["episodes"],
        "tasks": row["tasks"],
        "success": row["success_parity"],
        "low": row["ci_low"],
        "high": row["ci_high"],
        "strict success": row["success_strict"],
        "verifiers passed": row["verifier_pass_parity"],
        f"mean@{k}": row[f"mean@{k}"],
    }
    return told | ({f"pass@{k}": row[f"pass@{k}"], f"pass^{k}": row[f"pass^{k}"]} if k > 1 else {})


def _columns(k: int) -> dict[str, str]:
    shares = ("success", "low", "high", "strict success", "verifiers passed", f"mean@{k}")
    at_k = (f"pass@{k}", f"pass^{k}") if k > 1 else ()
    columns = {"domain": "text", "agent": "text", "episodes": "count", "tasks": "count"}
    return columns | dict.fromkeys((*shares, *at_k), "share")


def _shows(k: int) -> str:
    told = "Mean success of each agent, as the benchmark scores, with its 95% interval over tasks"
    if k == 1:
        return f"{told}; with one attempt at a task, mean@1, pass@1 and pass^1 are the same."
    return (
        f"{told}; of {k} attempts at a task, where there are as many, pass@{k} is the chance that one "
        f"succeeds, pass^{k} that all do."
    )


def _alt(best: list[dict[str, Any]]) -> str:
    parts = [f"{row['agent']} with {_share(row)} of {counted(row['tasks'], 'task')}" for row in best]
    last = f"; last is {parts[-1]}" if len(parts) > 1 else ""
    return f"Dots with intervals, a panel for each domain. First is {parts[0]}{last}."


def _share(row: dict[str, Any]) -> str:
    return "unknown success" if row["success_parity"] is None else f"{row['success_parity']:.1%}"


def _cautions(best: list[dict[str, Any]]) -> tuple[str, ...]:
    told = []
    if len({row["tasks"] for row in best}) > 1:
        told.append("The agents attempted different tasks: only paired differences compare them fairly.")
    if len(best) > MOST:
        told.append(f"Drawn are the {MOST} best of {len(best)} agents; the table has all.")
    return tuple(told)


def _draw(rows: list[dict[str, Any]], names: list[str], k: int) -> Any:
    from eops_traj.report.drawing.dots import dots

    panels: dict[str, int] = {}
    for row in rows:
        panels[row["domain"]] = panels.get(row["domain"], 0) + row["episodes"]
    titles = {domain: f"{domain}\nn={episodes:,}" for domain, episodes in panels.items()}
    marks = {f"pass@{k}": ("^", f"pass@{k}"), f"pass^{k}": ("v", f"pass^{k}")} if k > 1 else {}
    return dots(rows, names[:MOST], titles, group="domain", label="mean success", marks=marks)
