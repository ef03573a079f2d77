"""Hostile SQL ends in a result or one error, in time, in little memory, and writes nothing."""

from pathlib import Path

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
