"""Cost: what success is paid for, and who is beaten by a cheaper one."""

from collections.abc import Iterator, Sequence
from typing import Any

from eops_traj.report.drawing.canvas import MOST
from eops_traj.report.figure import Figure, Missing, listed
from eops_traj.report.group_scores import over
from eops_traj.report.load import Data

NAME, TITLE = "cost", "Cost against success"
COLUMNS = {
    "agent": "text", "episodes": "count", "tasks": "count", "cost an episode": "dollars",
    "success": "share", "low": "share", "high": "share", "on front": "text",
}  # fmt: skip

Row = dict[str, Any]


def figure(data: Data) -> Figure | Missing:
    """Mean cost of an episode and mean success of each agent, with the front of those that none beats."""
    best = data.ranked
    rows = [_row(row) for row in best if row["cost"] is not None and row["success_parity"] is not None]
    if not rows:
        why = "No agent has a price for each of its episodes, so there is no cost to hold success against."
        return Missing(NAME, TITLE, why)
    front = set(pareto(rows))
    rows = [row | {"on front": "yes" if row["agent"] in front else None} for row in rows]
    priced = data.scored.filter(data.scored["agent"].is_in([row["agent"] for row in rows]))
    return Figure(
        name=NAME,
        title=TITLE,
        shows="What an episode costs on average against mean success; nobody else is both cheaper and better "
        "than those on the Pareto front.",
        n=over(priced),
        alt=f"Points with intervals. On the front: {listed(r['agent'] for r in rows if r['on front'])}.",
        columns=COLUMNS,
        rows=rows,
        draw=lambda: _draw(rows[:MOST]),
        cautions=tuple(_cautions(best, rows)),
    )


def pareto(rows: Sequence[Row]) -> Iterator[str]:
    """The agents that no other beats: as cheap and better, or cheaper and as good."""
    reached = -1.0
    for row in sorted(rows, key=lambda row: (row["cost an episode"], -row["success"])):
        if row["success"] > reached:
            reached = row["success"]
            yield row["agent"]


def _row(row: Row) -> Row:
    return {
        "agent": row["agent"],
        "episodes": row["episodes"],
        "tasks": row["tasks"],
        "cost an episode": row["cost"] / row["episodes"],
        "success": row["success_parity"],
        "low": row["ci_low"],
        "high": row["ci_high"],
    }


def _cautions(best: Sequence[Row], rows: Sequence[Row]) -> Iterator[str]:
    if unpriced := [row["agent"] for row in best if row["cost"] is None]:
        yield f"Left out, since not every episode has a price: {listed(unpriced)}."
    if len({row["tasks"] for row in rows}) > 1:
        yield "The agents attempted different tasks: only paired differences compare them fairly."
    if len(rows) > MOST:
        yield f"Drawn are the {MOST} best of {len(rows)} agents; the table has all."


def _draw(rows: Sequence[Row]) -> Any:
    from eops_traj.report.drawing.scatter import scatter

    return scatter(rows, "cost an episode", "mean cost of an episode, US dollars")
