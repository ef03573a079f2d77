"""The progress of a run: a live panel on a terminal, now and then a plain line elsewhere."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from contextlib import asynccontextmanager, contextmanager
from typing import TYPE_CHECKING

from eops_traj.collect.stats import RunStats
from eops_traj.progress.display import LINE, clock, make_bar, now_and_then

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

REFRESH = 0.25
"""Seconds between two looks of a terminal."""


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


@contextmanager
def looked_at(stats: RunStats, console: "Console | None" = None) -> Iterator[Callable[[], None]]:
    """Show the counts on stderr where no event loop runs; yield what is to be called again and again."""
    from rich.console import Console
    from rich.live import Live

    console = console or Console(stderr=True)
    if not console.is_terminal:
        yield now_and_then(lambda: _print_line(stats, console))
        return
    panel = progress_panel(stats, console)
    with Live(console=console, get_renderable=panel, auto_refresh=False, transient=True) as live:
        yield live.refresh


async def _live(stats: RunStats, console: "Console") -> None:
    from rich.live import Live

    panel = progress_panel(stats, console)
    with Live(console=console, get_renderable=panel, auto_refresh=False, transient=True) as live:
        while True:
            live.refresh()
            await asyncio.sleep(REFRESH)


async def _lines(stats: RunStats, console: "Console") -> None:
    while True:
        await asyncio.sleep(LINE)
        _print_line(stats, console)


def _print_line(stats: RunStats, console: "Console") -> None:
    console.print(progress_line(stats), markup=False, highlight=False, soft_wrap=True)


def progress_panel(stats: RunStats, console: "Console") -> Callable[[], "RenderableType"]:
    """Return the function that renders the counts: the bar of all long work, with the figures under it."""
    from rich.console import Group
    from rich.text import Text

    bar = make_bar(console)
    task = bar.add_task("collecting", total=stats.attempts)

    def render() -> "RenderableType":
        bar.update(task, total=stats.attempts, completed=stats.settled)
        return Group(bar.get_renderable(), Text(", ".join(_figures(stats))))

    return render


def progress_line(stats: RunStats) -> str:
    """Format the counts in one line: done, running, passed, refusals, errors, tokens, cost, waits, ETA."""
    left = [f"{clock(stats.seconds_left)} left"] if stats.seconds_left else []
    return ", ".join([f"{stats.settled}/{stats.attempts} done", *_figures(stats), *left])


def _figures(stats: RunStats) -> list[str]:
    """Format what a bar does not say."""
    parts = [f"{stats.running} running"]
    if stats.pass_rate is not None:
        parts.append(f"{stats.pass_rate:.0%} passed")
    parts += [f"{stats.refusals} refusals", f"{stats.outcomes['error']} errors"]
    if (stats.input_tokens, stats.output_tokens) != (None, None):
        parts.append(f"{_short(stats.input_tokens)} tokens in, {_short(stats.output_tokens)} out")
    if stats.cost is not None:
        parts.append(f"${stats.cost:.2f}")
    if stats.traffic.throttled_seconds >= 1:
        parts.append(f"throttled {clock(stats.traffic.throttled_seconds)}")
    return parts


def _short(count: int | None) -> str:
    """Format a count in three digits or so: 950, 12.3k, 4.56M; or say that it is not known."""
    if count is None:
        return "unknown"
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)
