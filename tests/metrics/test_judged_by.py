"""Runs of one task that other verifiers judged are told from runs that the same ones did."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.metrics.compare import compare
from eops_traj.metrics.compare_table import comparison_summary
from eops_traj.schema import Episode, Json, Verdict
from eops_traj.store.store import Store
from tests.conftest import Ran
from tests.episodes import episode
from tests.metrics.test_compare import frame

CONFIG = '{"expected_value":1,"query":"select strict"}'
STRICT = Verdict(
    name="v", kind="database_state", query="select strict", comparison="equals", expected=Json("1"),
    passed_parity=True, passed_strict=True,
)  # fmt: skip


def verdict(**changes: Any) -> Verdict:
    return replace(STRICT, **changes)


def run(name: str, *verdicts: Verdict, tasks: int = 3, **fields: Any) -> list[Episode]:
    """Return an attempt at each of some tasks, judged by these."""
    return [
        episode(f"{name}{task}{verdicts}", task_hash=f"t{task}", run_id=name, verdicts=verdicts, **fields)
        for task in range(tasks)
    ]


@pytest.mark.parametrize(
    ("base", "new", "told"),
    [
        ([{}], [{"passed_strict": False, "actual": Json("0"), "details": "0 is not 1"}], 0),
        ([{}], [{"query": "select 1"}], 3),
        ([{}], [{"expected": Json("2")}], 3),
        ([{}], [{"comparison": "contains"}], 3),
        ([{}], [{}, {"name": "another"}], 3),
        ([{}], [{"kind": "answer_check"}], 3),
        ([{"config": CONFIG}], [{"config": CONFIG, "expected": None, "error": "no such table"}], 0),
        ([{"config": CONFIG}], [{"config": CONFIG.replace("1", "2")}], 3),
        ([{}, {"name": "w"}], [{"name": "w"}, {}], 0),
        ([{}], [], 0),  # imported without verdicts
        ([{}], [{"query": None, "comparison": None, "expected": None, "error": "not recorded"}], 0),
        ([{"config": CONFIG}], [{}], 0),  # imported without the task: its configuration is not known
        ([{"kind": "score", "config": CONFIG}], [{"kind": "score", "config": '{"judge":"said"}'}], 0),
    ],
)
def test_verifiers_are_told_apart_by_what_verdicts_hold(
    base: list[dict[str, Any]], new: list[dict[str, Any]], told: int
) -> None:
    sides = (run(name, *(verdict(**one) for one in side)) for name, side in (("a", base), ("b", new)))
    found = compare(frame(*next(sides), *next(sides)), "a", "b")
    assert found.other_verifiers == told
    assert any("not judged alike" in line for line in comparison_summary(found)) == bool(told)


def test_errors_and_tasks_of_one_side_alone_are_not_held_against_it() -> None:
    other = verdict(query="select 1")
    made = [*run("a", STRICT, tasks=4), *run("b", STRICT, tasks=2), *run("a", other, tasks=5)[4:]]
    erred = [*run("b", other, tasks=3)[2:], *run("b", tasks=4, outcome="error", success_strict=None)[3:]]
    assert compare(frame(*made, *erred), "a", "b", errors="zero").other_verifiers == 1
    assert compare(frame(*made), "a", "b").other_verifiers == 0


def test_the_command_tells_a_person_and_a_machine(tmp_path: Path, cli: Callable[..., Ran]) -> None:
    with Store.open(tmp_path / "store", create=True) as store:
        store.append([*run("a", STRICT, tasks=3), *run("b", verdict(query="select 1"), tasks=2)])
    ran = cli("compare", "a", "b", "--store", tmp_path / "store")
    assert "warning: not judged alike, 2 of the 2 tasks by other verifiers" in ran.out
    told = json.loads(cli("compare", "a", "b", "--store", tmp_path / "store", "--json").out)
    assert (told["other_verifiers"], told["warnings"]) == (2, [])
