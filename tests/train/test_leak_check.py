"""A run refuses held-out rows by their split, and what leaks by what they hold, unless it is told by name."""

import json
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from eops_traj.errors import EopsError, InputError, WorkError
from eops_traj.train.config import RecipeConfig, TrainingConfig
from eops_traj.train.run_folder import open_data
from tests.certified import certify, write_rows
from tests.provenance.test_contamination import HELD, OOD, SUITE, TRAIN, folder, on, row

COLUMNS = ("episode_id", "task_id", "domain", "outcome", "messages", "tools")


def data(at: Path, *rows: dict[str, Any], split: str = "train") -> Path:
    names = dict.fromkeys(COLUMNS[:4], "x")
    write_rows(at, [{**names, "tools": [], **one} for one in rows])
    certify(at, "sft", split=split)
    return at


def checked(at: Path, **settings: Any):
    """Return what a run finds before its first step."""
    config = RecipeConfig(recipe="sft", data=at, output=at.parent / "out", **settings)
    with open_data(config, ("sft",), resume=False) as opened:
        return opened.leaks


def test_rows_of_other_splits_are_refused_with_their_number(tmp_path: Path) -> None:
    export = data(tmp_path / "data", row(TRAIN[0]), row(TRAIN[1]), split="test")
    with pytest.raises(InputError, match=r"held-out rows: 2 of test; .* splits=\[train,test\]"):
        checked(export)
    assert checked(export, splits=["test"]).tasks is None


def test_a_certificate_that_counts_no_splits_is_refused(tmp_path: Path) -> None:
    path = data(tmp_path / "data", row(TRAIN[0])) / "certificate.json"
    content = json.loads(path.read_text())
    path.write_text(json.dumps({k: v for k, v in content.items() if k != "rows_by"} | {"version": 2}))
    with pytest.raises(InputError, match="counts no splits; export it again"):
        checked(path.parent)


def test_a_leak_stops_the_run_unless_its_kind_is_allowed(tmp_path: Path) -> None:
    suite, export = folder(tmp_path / "suite", SUITE), data(tmp_path / "data", row(TRAIN[0]), row(HELD))
    held = {"tasks": suite}
    with pytest.raises(WorkError, match=r"1 of 2 rows leak .* held_out.allow=\[database,prompt,task\]"):
        checked(export, held_out=held)
    with pytest.raises(WorkError, match="1 of 2 rows leak"):
        checked(export, held_out=held | {"allow": ["database", "prompt"]})
    found = checked(export, held_out=held | {"allow": ["database", "prompt", "task"]})
    assert (found.tasks, found.splits, found.held_out) == (suite, ["test", "test_ood"], 2)
    assert found.leaks == {"task": 1, "prompt": 1, "database": 1}


def test_rows_of_a_kind_of_leak_are_left_out(tmp_path: Path) -> None:
    suite = folder(tmp_path / "suite", SUITE)
    export = data(tmp_path / "data", row(TRAIN[0]), row(HELD), row(TRAIN[1]))
    config = RecipeConfig(
        recipe="sft", data=export, output=tmp_path / "out", held_out={"tasks": suite, "leave_out": ["task"]}
    )
    with open_data(config, ("sft",), resume=False) as opened:
        assert opened.rows["task_id"] == [TRAIN[0].task_id, TRAIN[1].task_id]
    found = opened.leaks
    assert (found.rows, found.leaks, found.left_out) == (3, {}, [2])


def test_what_leaks_otherwise_still_stops_the_run(tmp_path: Path) -> None:
    suite = folder(tmp_path / "suite", SUITE)
    export = data(tmp_path / "data", row(TRAIN[0]), row(HELD))
    with pytest.raises(WorkError, match=r"1 of 2 rows leak .* held_out.leave_out=\[database,prompt,task\],"):
        checked(export, held_out={"tasks": suite, "leave_out": ["twin", "plan"]})
    with pytest.raises(InputError, match="each of the 1 rows is left out"):
        checked(data(tmp_path / "b", row(HELD)), held_out={"tasks": suite, "leave_out": ["prompt"]})


def test_clean_data_is_compared_and_says_so(tmp_path: Path) -> None:
    suite = folder(tmp_path / "suite", SUITE)
    found = checked(data(tmp_path / "data", *map(row, TRAIN)), held_out={"tasks": suite})
    assert (found.rows, found.leaks, found.unknown) == (4, {}, {})


EXAM = replace(
    HELD, task_id="exam", split="dev", user_prompt="Who owns the case of the mill?", servers=on(400),
    plan=None,
)  # fmt: skip


def examined(at: Path, exam: str, **settings: Any):
    """Return what a run with an exam finds before its first step."""
    needed = {"recipe": "sft", "data": at, "output": at.parent / "out", "max_length": 9, "learning_rate": 1}
    config = TrainingConfig(**needed, evaluate={"tasks": exam}, **settings)
    with open_data(config, ("sft",), resume=False) as opened:
        return opened.leaks


def test_the_exam_is_held_out_beside_the_tasks_that_are_named_and_of_its_place_its_split_alone(
    tmp_path: Path,
) -> None:
    named, exam = folder(tmp_path / "named", [*TRAIN, OOD]), folder(tmp_path / "exam", [*TRAIN, EXAM, HELD])
    export = data(tmp_path / "data", row(HELD), row(EXAM), row(TRAIN[0]))
    with pytest.raises(WorkError, match=r"1 of 3 rows leak held-out tasks: \S+:2 \(task, prompt, database\)"):
        examined(export, exam, held_out={"tasks": named})
    with pytest.raises(WorkError, match="2 of 3 rows leak"):
        examined(export, exam)
    found = examined(data(tmp_path / "b", row(HELD)), exam, held_out={"tasks": named})
    assert (found.tasks, found.splits, found.held_out) == (f"{named}, {exam}", ["dev", "test_ood"], 2)


def test_a_place_or_a_task_that_is_named_twice_counts_once(tmp_path: Path) -> None:
    exam, copy = folder(tmp_path / "exam", [EXAM, HELD]), folder(tmp_path / "copy", [EXAM])
    export = data(tmp_path / "data", row(TRAIN[0]))
    for named in (exam, copy):
        found = examined(export, exam, held_out={"tasks": named})
        assert (found.tasks, found.held_out) == ((exam, 2) if named == exam else (f"{copy}, {exam}", 1))


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize(
    ("exam", "said"), [("gone", "gone does not exist"), ("bare", "unknown split 'dev'; choose from test")]
)
def test_an_exam_without_tasks_is_refused_before_the_rows_are_read(
    exam: str, said: str, named: bool, tmp_path: Path
) -> None:
    folder(tmp_path / "bare", [HELD])
    held = {"held_out": {"tasks": folder(tmp_path / "suite", SUITE)}} if named else {}
    with pytest.raises(InputError, match=f"no tasks for the exam: .*{said}.* evaluate=null"):
        examined(data(tmp_path / "data", row(TRAIN[0])), str(tmp_path / exam), **held)
    assert not (tmp_path / "out").exists()


def test_a_split_that_was_asked_for_is_not_held_out(tmp_path: Path) -> None:
    suite = folder(tmp_path / "suite", [*TRAIN, HELD])
    export = data(tmp_path / "data", row(HELD), split="test")
    assert checked(export, splits=["train", "test"], held_out={"tasks": suite}).held_out == 0
    assert OOD.split not in ("train", "test")


def test_a_leak_is_one_line_of_the_command(tmp_path: Path, cli: Callable) -> None:
    suite, export = folder(tmp_path / "suite", SUITE), data(tmp_path / "data", row(HELD))
    settings = (f"data={export}", f"output={tmp_path / 'out'}", f"held_out.tasks={suite}")
    ran = cli("train", "train_tiny", *settings)
    assert ran.code == WorkError.exit_code and "leak held-out tasks" in ran.err
    assert issubclass(WorkError, EopsError) and not (tmp_path / "out").exists()
