import asyncio
import io
from dataclasses import replace
from typing import Any

import pytest
from rich.console import Console

from eops_traj.collect import progress
from eops_traj.collect.progress import progress_line, progress_panel, show_progress
from eops_traj.collect.stats import RunStats
from tests.episodes import EPISODE, episode


def counted() -> RunStats:
    stats = RunStats(attempts=10, running=2)
    for n, outcome in enumerate(("success", "failure", "safe_refusal", "over_refusal")):
        turns = (EPISODE.turns[0].__class__(text="", input_tokens=4000, output_tokens=100, cost=0.5),)
        stats.count(episode(str(n), outcome=outcome, turns=turns), again=False)
    stats.count(episode("e", outcome="error", error="server: no"), again=True)
    return stats


def test_it_says_what_there_is_to_know():
    stats = counted()
    stats.traffic.throttled_seconds = 187
    text = progress_line(stats)
    for part in ("4/10 done", "2 running", "50% passed", "2 refusals", "1 errors", "16k tokens in, 400 out"):
        assert part in text
    assert "$2.00" in text and "throttled 3:07 min" in text and text.endswith(" left")


def test_errors_are_not_the_models():
    stats = counted()
    assert stats.judged == 4 and stats.pass_rate == 0.5 and (stats.settled, stats.given_up) == (4, 0)
    stats.count(episode("f", outcome="error", error="context: no"), again=False)
    assert (stats.settled, stats.given_up, stats.pass_rate) == (5, 1, 0.5)


def test_parts_add_up_and_are_forgotten():
    total = RunStats(interrupted=True)
    total.add(counted())
    total.add(counted())
    assert (total.settled, total.cost, total.outcomes["success"]) == (8, 4.0, 2)
    total.clear()
    assert (total.settled, total.cost, total.interrupted) == (0, None, True)


@pytest.mark.parametrize(
    ("known", "reported", "shown"),
    [({}, (None, None, None), ""),
     ({"input_tokens": 0, "output_tokens": 0, "cost": 0.0}, (0, 0, 0.0), "0 tokens in, 0 out, $0.00"),
     ({"output_tokens": 40}, (None, 40, None), "unknown tokens in, 40 out")],
)  # fmt: skip
def test_what_no_turn_tells_is_not_known_and_no_zero(
    known: dict[str, Any], reported: tuple[float | None, ...], shown: str
) -> None:
    stats, total = RunStats(attempts=1), RunStats()
    unknown, told = (replace(EPISODE.turns[0], **facts) for facts in ({}, known))
    stats.count(episode("e", turns=(unknown, told)), again=False)
    total.add(stats)
    assert tuple(total.report()[name] for name in ("input_tokens", "output_tokens", "cost")) == reported
    line = progress_line(total)
    assert line.endswith(shown) and ("tokens" in line) == bool(shown)


def test_what_attempts_tell_is_added_up() -> None:
    stats, total = RunStats(attempts=2), RunStats()
    for name, tokens in (("e0", 5), ("e1", 7)):
        stats.count(
            episode(name, turns=(replace(EPISODE.turns[0], input_tokens=tokens, cost=0.5),)), again=False
        )
    total.add(stats)
    total.add(stats)
    assert (stats.input_tokens, stats.cost) == (12, 1.0)
    assert (total.input_tokens, total.cost) == (24, 2.0)


def test_a_branch_counts_from_where_it_left_its_parent() -> None:
    stats, turn = RunStats(attempts=1), replace(EPISODE.turns[0], input_tokens=100, cost=0.5)
    stats.count(episode("b", turns=(turn, turn, turn), parent="e", branch_turn=2), again=False)
    assert (stats.input_tokens, stats.cost) == (100, 0.5)


def test_nothing_done_says_nothing_it_does_not_know():
    assert "passed" not in progress_line(RunStats()) and "left" not in progress_line(RunStats())


def show(console: Console) -> str:
    """Show the counts until they are there a second time."""
    file = console.file
    assert isinstance(file, io.StringIO)

    async def run() -> None:
        async with asyncio.timeout(60), show_progress(counted(), console):
            while file.getvalue().count("4/10") < 2:
                await asyncio.sleep(0.01)

    asyncio.run(run())
    return file.getvalue()


def test_a_log_gets_plain_lines(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "LINE", 0.05)
    lines = show(Console(file=io.StringIO(), width=40)).splitlines()
    assert len(lines) >= 3 and all("4/10 done" in said and "\x1b" not in said for said in lines)


def test_a_terminal_gets_a_live_view_and_a_line_at_the_end(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(progress, "REFRESH", 0.02)
    said = show(Console(file=io.StringIO(), force_terminal=True, width=120))
    assert said.count("4/10") >= 3 and said.count("4/10 done") == 1 and "\x1b" in said


def test_a_terminal_of_80_columns_shows_every_figure():
    file = io.StringIO()
    console = Console(file=file, force_terminal=True, width=80)
    console.print(progress_panel(counted(), console)())
    said = " ".join(file.getvalue().split())
    for part in ("collecting", "4/10", "left", "50% passed", "$2.00"):
        assert part in said
