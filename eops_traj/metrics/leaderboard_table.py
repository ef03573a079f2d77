"""The leaderboard as a table for people."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from eops_traj.metrics.leaderboard import LeaderboardRow, domains, published_figures
from eops_traj.metrics.percent import percent
from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    from rich.table import Table


def leaderboard_table(rows: Sequence[LeaderboardRow]) -> "Table":
    """Render a leaderboard in percent, our own rows above the published ones."""
    from rich import box
    from rich.table import Table

    table = Table(box=box.SIMPLE_HEAD, padding=(0, 1, 0, 0))
    table.add_column("mode", no_wrap=True)
    table.add_column("agent", no_wrap=True)
    for name in (*domains(), "average [95%]", "tasks"):
        table.add_column(name, justify="right", no_wrap=True)
    for index, row in enumerate(rows):
        table.add_row(
            *_cells(row), end_section=not row.published and all(r.published for r in rows[index + 1 :])
        )
    return table


def leaderboard_notes(rows: Sequence[LeaderboardRow]) -> list[str]:
    """Say where the published figures are from, and which rows may not stand beside them, and why."""
    source = published_figures()["source"]
    notes = [f"published: {source['what']}, {source['url']} at {source['commit'][:7]}, read {source['read']}"]
    apart = {", ".join(row.differs): None for row in rows if row.differs}
    return [*notes, *(f"not to be set beside them: rows with {reasons}" for reasons in apart)]


def _cells(row: LeaderboardRow) -> list[str]:
    shares = [_share(row, name) for name in domains()]
    how = ", ".join(filter(None, (row.orchestrator, row.settings)))
    agent = row.model if row.published else f"{row.model} ({how})"
    interval = (
        "" if row.low is None or row.high is None else f" [{percent(row.low, 0)}, {percent(row.high, 0)}]"
    )
    tasks = "published" if row.published else f"{sum(row.tasks.values()):,}"
    return [visible(row.mode), visible(agent), *shares, _percent(row.average) + interval, tasks]


def _share(row: LeaderboardRow, domain: str) -> str:
    """Say what share of a domain was solved; or that there are errors alone, which were left out."""
    alone = domain in row.errors and domain not in row.success
    return "errors" if alone else _percent(row.success.get(domain))


def _percent(share: float | None) -> str:
    return "" if share is None else percent(share)
