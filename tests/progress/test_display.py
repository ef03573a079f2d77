"""The bar of all long work fits 80 columns and says how fast and how long; a log gets a line now and then."""

import io
import re

import pytest
from rich.console import Console

from eops_traj.progress.display import LONGEST, make_bar, progress, rate, short


def test_a_log_gets_a_line_where_work_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    now, file = [1000.0], io.StringIO()
    monkeypatch.setattr("eops_traj.progress.display.time.monotonic", lambda: now[0])
    with progress("making \x1btasks", 12_000, Console(file=file)) as done:
        for seconds, steps in ((29, 1_000), (31, 500), (50, 500), (60.5, 0), (61.5, 1_000)):
            now[0] = 1000.0 + seconds
            done(steps)
    assert file.getvalue().splitlines() == [
        r"making \x1btasks: 1,500 of 12,000, 48.4/s, 3:37 min left",
        r"making \x1btasks: 3,000 of 12,000, 48.8/s, 3:04 min left",
    ]


@pytest.mark.parametrize("steps", [0, 2])
def test_a_log_of_short_work_gets_nothing(steps: int) -> None:
    file = io.StringIO()
    with progress("importing", 3, Console(file=file)) as done:
        done(steps)
    assert file.getvalue() == ""


def test_a_terminal_gets_how_many_of_how_many_and_is_left_clean() -> None:
    file = io.StringIO()
    with progress("importing", 3, Console(file=file, force_terminal=True, width=80)) as done:
        done(2)
    assert "importing" in file.getvalue() and "2/3" in file.getvalue() and file.getvalue().endswith("\x1b[2K")


def test_every_column_has_room_in_80() -> None:
    now = 0.0
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80)
    bar = make_bar(console)
    bar.get_time = lambda: now
    task = bar.add_task(short("a title that is longer than it may be"), total=12000)
    for now in (0.0, 100.0, 200.0):  # noqa: B007
        bar.update(task, advance=500)
    console.print(bar.get_renderable())
    (line,) = re.sub(r"\x1b\[[\d;]*m", "", file.getvalue()).splitlines()
    assert (
        len(line.rstrip()) <= 80
        and "1500/12000" in line
        and "5.0/s" in line
        and line.strip().endswith("left")
    )
    assert re.search(r"0:\d\d:\d\d", line)


@pytest.mark.parametrize(
    ("speed", "said"), [(None, ""), (0, ""), (12.5, "12.5/s"), (0.05, "3.0/min"), (0.01, "36.0/h")]
)
def test_a_rate_is_one_or_more(speed: float | None, said: str) -> None:
    assert rate(speed) == said


def test_a_title_is_cut_and_cannot_act() -> None:
    assert len(short("x" * 99)) == LONGEST and short("\x1b[2J") == r"\x1b[2J"
