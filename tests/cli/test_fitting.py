"""A table fits its terminal, and says which columns it had no room for."""

import io
import re
from typing import Any

import pytest
from rich.console import Console

from eops_traj.cli import console
from eops_traj.cli.fitting import fit_columns
from eops_traj.metrics.score_table import SPARE, score_table

ROW = {
    "domain": "hr",
    "episodes": 120,
    "tasks": 40,
    "errors": 1,
    "unverified": 0,
    "success_parity": 0.5,
    "ci_low": 0.4,
    "ci_high": 0.6,
    "success_strict": 0.4,
    "fewest_attempts": 3,
    "most_attempts": 3,
    "success_parity_by_task": 0.3,
    "success_strict_by_task": 0.2,
    "defective": 0,
    "verifier_pass_parity": 0.8,
    "verifier_pass_strict": 0.7,
    "pass@1": 0.5,
    "tasks@1": 40,
    "mean_steps": 7.25,
    "max_steps": 20,
    "input_tokens": 1234567,
    "output_tokens": 98765,
    "cost": 1.5,
}


UNEVEN = {**ROW, "most_attempts": 4}


@pytest.mark.parametrize("row", [ROW, UNEVEN], ids=["even", "uneven"])
@pytest.mark.parametrize("width", [60, 80, 190])
def test_a_score_is_a_line_a_row_whatever_the_width(width: int, row: dict[str, Any]) -> None:
    printed = io.StringIO()
    out = Console(width=width, file=printed, force_terminal=True, color_system=None)
    table = score_table([row], ["domain"], row)
    left_out = fit_columns(table, out, SPARE)
    out.print(table)
    lines = [line for line in printed.getvalue().splitlines() if re.search(r"\bhr\b", line)]
    assert (
        len(lines) == 1 and len(lines[0]) <= width and "50.0% [40%, 60%]" in lines[0] and "40.0%" in lines[0]
    )
    assert bool(left_out) == (width < 190)
    assert ("20.0%" in lines[0]) == (row is UNEVEN and width > 60)


def test_what_is_missed_least_goes_first_and_only_as_much_as_has_to() -> None:
    table = score_table([ROW], ["domain"], ROW)
    narrow = Console(width=console._console(10_000).measure(table).maximum - 1)
    assert fit_columns(table, narrow, SPARE) == [SPARE[0]]


def test_what_is_not_a_terminal_gets_every_column(capsys: pytest.CaptureFixture[str]) -> None:
    console.show_fitting(score_table([ROW], ["domain"], ROW), SPARE)
    printed = capsys.readouterr().out
    assert "tokens in" in printed and "cost" in printed and "no room" not in printed
