"""Hostile SQL ends in a result or one error, in time, in little memory, and writes nothing."""

import subprocess
import sys
from pathlib import Path
from textwrap import dedent

import pytest

from tests.attacks import sql
from tests.attacks.sql_statements import QUERIES, SCRIPTS


@pytest.mark.slow
def test_no_statement_from_outside_gets_out_of_its_bounds(tmp_path: Path) -> None:
    tally = sql.attack(tmp_path, every=5)
    assert tally.fell() == []
    assert sum(map(len, tally.cases.values())) > (6 * len(QUERIES) + 2 * len(SCRIPTS) + 200) // 5


def test_a_file_that_appears_is_told_as_harm(tmp_path: Path) -> None:
    def write() -> None:
        (tmp_path / "out.txt").write_text("x")

    assert sql.run_alone([write], tmp_path) == "wrote"
    assert sql.run_alone([lambda: 1 / 0], tmp_path).startswith("traceback ZeroDivisionError")
    assert sql.run_alone([lambda: bytearray(500_000_000)], tmp_path).startswith("memory")


def test_what_was_freed_before_does_not_hide_what_a_case_takes(tmp_path: Path) -> None:
    """In a process whose heap keeps what is freed, as it does after a training."""
    code = """
        import sys
        from pathlib import Path
        from eops_traj.train.kept_memory import keep_freed_memory
        from tests.attacks import sql
        keep_freed_memory()
        freed = [bytearray(1_000_000) for _ in range(700)]
        del freed
        print(sql.run_alone([lambda: bytearray(500_000_000)], Path(sys.argv[1])))
    """
    run = [sys.executable, "-c", dedent(code), str(tmp_path)]
    assert subprocess.run(run, capture_output=True, text=True, check=True).stdout.startswith("memory")
