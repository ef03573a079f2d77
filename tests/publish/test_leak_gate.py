"""Rows are held against the held-out tasks that are known, and by the split that theirs has."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any, cast

import pytest

from eops_traj.errors import InputError
from eops_traj.export.checks import Row
from eops_traj.provenance.held_out_index import HeldOutIndex
from eops_traj.provenance.row_sources import RowSources
from eops_traj.publish.leak_gate import HeldOutTasks, check_leaks
from eops_traj.publish.split_export import DatasetPart
from tests.planner_data import task_files
from tests.publish.publications import HELD, may_go, publication

ASKED = [{"role": "user", "content": HELD.user_prompt}]
OTHER = [{"role": "user", "content": "Please close the case of Ann."}]


def reasons(folder: Path, **fields: Any) -> list[str]:
    """Why an episode is kept in."""
    report = publication(folder, [may_go(**fields)], configs=("episodes",)).rehearse().report
    return [stop.why for stop in report.stops]


def leaks(*rows: Row) -> list[tuple[int, str]]:
    """The number and kind of each leak of rows that are said to be those of a part."""
    part = cast(DatasetPart, SimpleNamespace(config="any", rows=lambda: iter(rows)))
    tasks = HeldOutTasks(HeldOutIndex([HELD]), RowSources(), "tasks")
    found = check_leaks(tasks.compare(part))
    return [(number, kind) for number, kind, why in found if "unknown" not in why]


def test_a_split_that_is_held_out_is_told_from_one_that_nobody_knows(tmp_path: Path) -> None:
    assert reasons(tmp_path / "a", split="test") == ["its task is held out, of split test"]
    [why] = reasons(tmp_path / "b", split=None)
    assert why == "nobody knows of which split its task is, and it may be held out"


def test_messages_are_searched_whether_or_not_a_column_holds_them() -> None:
    by_column = Row("x:1", {"messages": ASKED}, [], [])
    prompted = Row("x:2", {"prompt": ASKED, "completion": []}, OTHER, [])
    rendered = Row("x:3", {"ids": [1, 2]}, ASKED, [])
    found = leaks(by_column, prompted, rendered, Row("x:4", {"ids": [1, 2]}, OTHER, []))
    assert {number for number, kind in found if kind == "prompt"} == {0, 1, 2}


def test_a_source_without_held_out_tasks_is_refused_by_its_name(tmp_path: Path) -> None:
    task_files(tmp_path / "tasks", [replace(HELD, split="train"), replace(HELD, task_id="t", split="dev")])
    with pytest.raises(InputError, match=f"no held-out task in {tmp_path}/tasks: there is nothing to hold"):
        publication(tmp_path, [may_go()]).rehearse()


def test_where_the_runs_name_no_tasks_that_is_said(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="no held-out task in what the runs name: there is nothing"):
        publication(tmp_path, [may_go()], tasks=None).rehearse()


def test_tasks_that_are_gone_are_named(tmp_path: Path) -> None:
    with pytest.raises(InputError, match=f"the tasks of the runs, '{tmp_path}/gone', are no longer there"):
        publication(tmp_path, [may_go()], tasks=str(tmp_path / "gone")).rehearse()
