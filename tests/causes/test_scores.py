"""The tables of `benchmarks.causes`: shares with intervals, and the page that shows them as printed."""

import re
from pathlib import Path

import pytest

from benchmarks.cause_scores import Score, put_table, share, wilson
from tests.causes.test_find import LOOK, call, failed

PAGE = Path(__file__).parents[2] / "docs" / "causes.md"
ROW = re.compile(r"\| `?(\w+)`? \| (.+) \| (.+) \|")


def test_a_share_has_its_interval_and_its_counts() -> None:
    assert share(9, 10) == "0.900 (0.60 to 0.98; 9 of 10)"
    assert share(0, 0) == "-"
    assert wilson(5, 5)[1] == 1.0 and wilson(0, 5)[0] == 0.0
    assert wilson(50, 50)[0] > wilson(5, 5)[0]


def test_recall_counts_any_cause_that_is_true_and_precision_those_that_are_no_consequence() -> None:
    score = Score()
    lost = failed(LOOK, stop_reason="max_turns")
    score.add(frozenset({"out_of_budget"}), "stopped", lost)
    assert score.wrong == []
    score.add(frozenset({"missing_write"}), "told as a consequence", lost)
    wrong_value = failed(LOOK, call("update_case", {"case_id": 7, "state": "open"}))
    score.add(frozenset({"over_refusal"}), "not told", wrong_value)
    rows = {found[1]: found.groups()[1:] for found in map(ROW.match, score.table().splitlines()) if found}
    assert rows["missing_write"] == (share(1, 1), "-")
    assert rows["out_of_budget"] == (share(1, 1), share(1, 2))
    assert rows["over_refusal"] == (share(0, 1), "-")
    assert len(score.wrong) == 2


def test_a_table_goes_where_the_page_names_it_and_nowhere_else(tmp_path: Path) -> None:
    page = tmp_path / "page.md"
    block = "<!-- measured: {} -->\nold\n<!-- /measured -->\n"
    page.write_text(block.format("plans 1") + block.format("plans 12"), encoding="utf-8")
    put_table(page, "plans 12", "| new |")
    expected = block.format("plans 1") + block.format("plans 12").replace("old", "| new |")
    assert page.read_text(encoding="utf-8") == expected
    with pytest.raises(ValueError, match="'plans 2'"):
        put_table(page, "plans 2", "| new |")


def test_the_page_shows_tables_as_they_are_printed() -> None:
    text = PAGE.read_text("utf-8")
    blocks = re.findall(r"<!-- measured: .*? -->\n(.*?)<!-- /measured -->", text, re.DOTALL)
    rows = [found.groups() for block in blocks for found in map(ROW.match, block.splitlines()) if found]
    assert len(blocks) > 3 and len(rows) > 25
    for cell in (cell for _, *cells in rows if "recall" not in cells for cell in cells):
        found = re.search(r"(\d+) of (\d+)\)$", cell)
        assert cell == (share(int(found[1]), int(found[2])) if found else "-")
