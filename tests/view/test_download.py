import csv
import io
import json
from collections.abc import Callable

import httpx
import pytest

from eops_traj.store.store import Store
from tests.episodes import episode
from tests.view.conftest import web

View = Callable[[Callable[[Store], None]], str]


def rows(answer: httpx.Response) -> list[dict[str, str]]:
    return list(csv.DictReader(io.StringIO(answer.text, newline="")))


def test_the_rows_in_view_as_csv_and_jsonl(viewer: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("eops_traj.view.download.SLICE", 7)
    query = "domain=hr&sort=-n_steps&columns=outcome,n_steps"
    answer = web.get(f"{viewer}/episodes.csv?{query}")
    assert answer.headers["content-disposition"] == 'attachment; filename="episodes.csv"'
    table = rows(answer)
    assert len(table) == 76 and list(table[0]) == ["task_id", "episode_id", "outcome", "n_steps"]
    assert [row["n_steps"] for row in table[:2]] == ["226", "223"]
    lines = web.get(f"{viewer}/episodes.jsonl?{query}").text.splitlines()
    assert [json.loads(line)["n_steps"] for line in lines] == [int(row["n_steps"]) for row in table]


def test_no_cell_is_a_formula_and_none_is_lost(view: View) -> None:
    names = ["=1+1", "@x", "-2", 'a "b", c\nd', "plain"]
    address = view(lambda s: s.append([episode(f"e{n}", task_id=t) for n, t in enumerate(names)]) or None)
    assert [row["task_id"] for row in rows(web.get(f"{address}/episodes.csv"))] == [
        "'=1+1", "'@x", "'-2", 'a "b", c\nd', "plain",
    ]  # fmt: skip
    lines = web.get(f"{address}/episodes.jsonl").text.splitlines()
    assert [json.loads(line)["task_id"] for line in lines] == names


def test_no_row_is_a_file_with_its_head(viewer: str) -> None:
    assert web.get(f"{viewer}/episodes.csv?q=nothing&columns=cost").text == "task_id,episode_id,cost\n"
    assert web.get(f"{viewer}/episodes.jsonl?q=nothing").text == ""


def test_columns_are_chosen_in_the_address(viewer: str) -> None:
    page = web.get(f"{viewer}/episodes?columns=cost,run_id").text
    head = page[page.index("<thead>") : page.index("</thead>")]
    assert "sort=cost" in head and "sort=run_id" in head and "sort=outcome" not in head
    answer = web.get(f"{viewer}/episodes?column=run_id&column=cost&q=")
    assert answer.headers["location"] == "/episodes?columns=cost,run_id"
    assert web.get(f"{viewer}/episodes?columns=height").status_code == 400
