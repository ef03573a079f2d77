"""What a collection shows while it runs: a live panel on a terminal, now and then a plain line elsewhere."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import TYPE_CHECKING

from eops_traj.collect.stats import Tally

if TYPE_CHECKING:
    from rich.console import Console, RenderableType

REFRESH, LINE = 0.25, 30.0
"""Seconds between two looks of a terminal, and between two lines of a log."""


@asynccontextmanager
async def watched(tally: Tally, console: "Console | None" = None) -> AsyncIterator[None]:
    """Show a tally on stderr for as long as this context lasts."""
    from rich.console import Console

    console = console or Console(stderr=True)
    show = _live if console.is_terminal else _lines
    showing = asyncio.create_task(show(tally, console))
    try:
        yield
    finally:
        showing.cancel()
        await asyncio.gather(showing, return_exceptions=True)
        _say(tally, console)


async def _live(tally: Tally, console: "Console") -> None:
    from rich.live import Live

    with Live(
        console=console, get_renderable=lambda: panel(tally), auto_refresh=False, transient=True
    ) as live:
        while True:
            live.refresh()
            await asyncio.sleep(REFRESH)


async def _lines(tally: Tally, console: "Console") -> None:
    while True:
        await asyncio.sleep(LINE)
        _say(tally, console)


def _say(tally: Tally, console: "Console") -> None:
    console.print(line(tally), markup=False, highlight=False, soft_wrap=True)


def panel(tally: Tally) -> "RenderableType":
    """The tally as a bar with the figures under it."""
    from rich.console import Group
    from rich.progress_bar import ProgressBar
    from rich.text import Text

    return Group(ProgressBar(max(tally.owed, 1), tally.settled, width=60), Text(line(tally)))


def line(tally: Tally) -> str:
    """The tally in one line: done, running, passed, refusals, errors, tokens, cost, time throttled, ETA."""
    parts = [f"{tally.settled}/{tally.owed} done", f"{tally.running} running"]
    if tally.pass_rate is not None:
        parts.append(f"{tally.pass_rate:.0%} passed")
    parts += [f"{tally.refusals} refusals", f"{tally.outcomes['error']} errors"]
    parts.append(f"{_short(tally.input_tokens)} tokens in, {_short(tally.output_tokens)} out")
    if tally.cost is not None:
        parts.append(f"${tally.cost:.2f}")
    if tally.traffic.throttled_seconds >= 1:
        parts.append(f"throttled {_clock(tally.traffic.throttled_seconds)}")
    if tally.seconds_left:
        parts.append(f"{_clock(tally.seconds_left)} left")
    return ", ".join(parts)


def _short(count: int) -> str:
    """A count in three digits or so: 950, 12.3k, 4.56M."""
    for size, unit in ((1_000_000_000, "G"), (1_000_000, "M"), (1_000, "k")):
        if count >= size:
            return f"{count / size:.3g}{unit}"
    return str(count)


def _clock(seconds: float) -> str:
    """Seconds as people say them: 42 s, 3:07 min, 2:45 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"
