"""The progress of a run: a live panel on a terminal, now and then a plain line elsewhere."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from eops_traj.collect.stats import RunStats

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

REFRESH, LINE = 0.25, 30.0
"""Seconds between two looks of a terminal, and between two lines of a log."""


@asynccontextmanager
async def show_progress(stats: RunStats, console: "Console | None" = None) -> AsyncIterator[None]:
    """Show the counts on stderr for as long as this context lasts."""
    from rich.console import Console

    console = console or Console(stderr=True)
    show = _live if console.is_terminal else _lines
    showing = asyncio.create_task(show(stats, console))
    try:
        yield
    finally:
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)
        _print_line(stats, console)


async def _live(stats: RunStats, console: "Console") -> None:
    from rich.live import Live

    with Live(
        console=console, get_renderable=lambda: progress_panel(stats), auto_refresh=False, transient=True
    ) as live:
        while True:
            live.refresh()
            await asyncio.sleep(REFRESH)


async def _lines(stats: RunStats, console: "Console") -> None:
    while True:
        await asyncio.sleep(LINE)
        _print_line(stats, console)


def _print_line(stats: RunStats, console: "Console") -> None:
    console.print(progress_line(stats), markup=False, highlight=False, soft_wrap=True)


def progress_panel(stats: RunStats) -> "RenderableType":
    """Render the counts as a bar with the figures under it."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    return Group(ProgressBar(max(stats.attempts, 1), stats.settled, width=60), Text(progress_line(stats)))


def progress_line(stats: RunStats) -> str:
    """Format the counts in one line: done, running, passed, refusals, errors, tokens, cost, waits, ETA."""
    parts = [f"{stats.settled}/{stats.attempts} done", f"{stats.running} running"]
    if stats.pass_rate is not None:
        parts.append(f"{stats.pass_rate:.0%} passed")
    parts += [f"{stats.refusals} refusals", f"{stats.outcomes['error']} errors"]
    parts.append(f"{_short(stats.input_tokens)} tokens in, {_short(stats.output_tokens)} out")
    if stats.cost is not None:
        parts.append(f"${stats.cost:.2f}")
    if stats.traffic.throttled_seconds >= 1:
        parts.append(f"throttled {_clock(stats.traffic.throttled_seconds)}")
    if stats.seconds_left:
        parts.append(f"{_clock(stats.seconds_left)} left")
    return ", ".join(parts)


def _short(count: int) -> str:
    """Format a count in three digits or so: 950, 12.3k, 4.56M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def _clock(seconds: float) -> str:
    """Format seconds as people write them: 42 s, 3:07 min, 2:45 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"
