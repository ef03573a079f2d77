"""The bar that all long work shows on stderr: what is done, how many of how many, the rate, the time left.

It fits 80 columns. Where stderr is no terminal, a log gets a plain line now and then.
"""

import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING

from eops_traj.untrusted.terminal import visible

if TYPE_CHECKING:
    from rich.console import Console
    from rich.progress import Progress

LONGEST = 22
"""Characters of a title; a longer one is cut."""
WINDOW = 600.0
"""Seconds whose steps make the rate: long enough for steps of minutes."""
LINE = 30.0
"""Seconds between two lines of a log."""


def make_bar(console: "Console") -> "Progress":
    """Return the bar, to be entered or rendered; tasks are added to it."""
    from rich.progress import BarColumn, MofNCompleteColumn, Progress, ProgressColumn, Task, TextColumn
    from rich.progress import TimeRemainingColumn as TimeLeftColumn
    from rich.text import Text

    class RateColumn(ProgressColumn):
        """Steps a second, a minute or an hour."""

        def render(self, task: Task) -> Text:
            """Render the rate; nothing before there is one."""
            return Text(rate(task.finished_speed or task.speed))

    columns = (
        TextColumn("{task.description}", markup=False), BarColumn(bar_width=16), MofNCompleteColumn(),
        RateColumn(), TimeLeftColumn(), TextColumn("left"),
    )  # fmt: skip
    return Progress(*columns, console=console, transient=True, speed_estimate_period=WINDOW)


def rate(speed: float | None) -> str:
    """Format steps a second so that the number is 1 or more: 12.5/s, 3.0/min, 40.0/h."""
    if not speed:
        return ""
    for size, unit in ((1, "s"), (60, "min")):
        if speed * size >= 1:
            return f"{speed * size:.1f}/{unit}"
    return f"{speed * 3600:.1f}/h"


def short(title: str) -> str:
    """Return a title that fits, and cannot act on a terminal."""
    text = visible(title)
    return text if len(text) <= LONGEST else f"{text[: LONGEST - 1]}…"


def clock(seconds: float) -> str:
    """Format seconds as people write them: 42 s, 3:07 min, 2:45 h."""
    whole = round(seconds)
    if whole < 60:
        return f"{whole} s"
    minutes, rest = divmod(whole, 60)
    return f"{minutes}:{rest:02} min" if minutes < 60 else f"{minutes // 60}:{minutes % 60:02} h"


@contextmanager
def progress(title: str, total: int, console: "Console | None" = None) -> Iterator[Callable[[int], None]]:
    """Show the bar for as long as this context lasts; yield the function that moves it on by some steps."""
    from rich.console import Console

    console = console or Console(stderr=True, emoji=False)
    if not console.is_terminal:
        yield _lines(title, total, console)
        return
    with make_bar(console) as bar:
        task = bar.add_task(short(title), total=total)
        yield lambda steps: bar.advance(task, steps)


def _lines(title: str, total: int, console: "Console") -> Callable[[int], None]:
    """Return the function that counts steps, and prints a line where the last is long ago."""
    done, began = 0, time.monotonic()

    def tell() -> None:
        speed = done / (time.monotonic() - began)
        left = f", {rate(speed)}, {clock(max(total - done, 0) / speed)} left" if done else ""
        line = f"{visible(title)}: {done:,} of {total:,}{left}"
        console.print(line, markup=False, highlight=False, soft_wrap=True)

    look = now_and_then(tell)

    def advance(steps: int) -> None:
        nonlocal done
        done += steps
        look()

    return advance


def now_and_then(tell: Callable[[], None]) -> Callable[[], None]:
    """Return what may be called at every step, and tells where the last time is long ago."""
    told = time.monotonic()

    def look() -> None:
        nonlocal told
        if time.monotonic() - told >= LINE:
            told = time.monotonic()
            tell()

    return look
