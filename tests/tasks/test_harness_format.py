"""A suite's files are read by the benchmark's harness; what it has no word for is read by us beside them."""

import json
import shutil
from pathlib import Path

import pytest

from eops_traj.errors import FormatError
from eops_traj.gym import registry
from eops_traj.gym.engine import templates
from eops_traj.schema import Task
from eops_traj.taskgen.save import save_suite
from eops_traj.tasks import dump_task, load_task, load_tasks
from eops_traj.tasks.hub import read_hub
from eops_traj.tasks.sidecar import SIDECAR
from tests.tasks.harness_format import document_of_row, read_as_harness, task_files
from tests.tasks.small_suite import small_suite


@pytest.fixture(scope="module")
def made() -> list[Task]:
    """A small suite: a task of each domain."""
    return list(small_suite())


@pytest.fixture(scope="module")
def suite(made: list[Task], tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The suite as `tasks make` writes it; nobody changes it."""
    folder = tmp_path_factory.mktemp("saved") / "suite"
    save_suite(made, folder, {}, modes=("oracle", "all"))
    return folder


def test_the_harness_reads_every_file_of_a_suite(suite: Path, made: list[Task]) -> None:
    files = task_files(suite / "tasks")
    assert len(files) == 2 * len(made) and {task.domain for task in made} >= {"email", "hybrid", "csm"}
    for path in files:
        read_as_harness(json.loads(path.read_text("utf-8")))


def test_the_harness_reads_every_row_of_the_dataset(suite: Path, made: list[Task]) -> None:
    from datasets import load_dataset

    rows = [row for t in made for row in load_dataset(str(suite / "hub"), "oracle", split=t.domain)]
    for row in rows:
        assert "_eops_traj" in row
        read_as_harness(document_of_row(row))


def test_nothing_is_lost_beside_the_files(suite: Path, made: list[Task]) -> None:
    assert any(verifier.category for task in made for verifier in task.verifiers)
    assert load_tasks(suite / "tasks") == {task.task_id: task for task in made}  # files of "all" come first
    assert {t.task_id: t for t in read_hub(suite / "hub", "oracle")} == {t.task_id: t for t in made}
    one = made[0]
    assert load_task(suite / "tasks" / f"oracle__{one.domain}__{one.task_id}.json") == one


def test_files_of_older_suites_still_read(made: list[Task], tmp_path: Path) -> None:
    """There, the key stood in the file, and each verifier had its category."""
    for task in made:
        document = dump_task(task)
        categories = document["eops_traj"].pop("categories", [])
        for verifier, category in zip(document["verifiers"], categories, strict=False):
            verifier["category"] = category
        with pytest.raises(TypeError, match="eops_traj"):
            read_as_harness(document)
        (tmp_path / f"oracle__{task.domain}__{task.task_id}.json").write_text(json.dumps(document))
    assert list(load_tasks(tmp_path).values()) == sorted(made, key=lambda t: (t.domain, t.task_id))


def test_a_dataset_of_older_suites_still_reads(suite: Path, made: list[Task], tmp_path: Path) -> None:
    """There, the column was one that the harness does not drop."""
    import pyarrow.parquet as pq

    hub = shutil.copytree(suite / "hub", tmp_path / "hub")
    for path in (hub / "oracle").glob("*.parquet"):
        table = pq.read_table(path)
        names = [name.removeprefix("_") for name in table.column_names]
        pq.write_table(table.rename_columns(names), path)
    assert {t.task_id: t for t in read_hub(hub, "oracle")} == {t.task_id: t for t in made}


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        ("{", "line 1: not JSON"),
        ('{"suite": "s"}', "line 1: no object with a task_id"),
        ('{"task_id": "%s", "suite": "s", "mood": 1}', "eops_traj.mood"),
        ('{"task_id": "%s", "suite": "s", "categories": ["goal"]}', "1 categories for"),
    ],
)
def test_a_bad_line_is_named(line: str, problem: str, suite: Path, made: list[Task], tmp_path: Path) -> None:
    tasks = shutil.copytree(suite / "tasks", tmp_path / "tasks")
    (tasks / SIDECAR).write_text(line.replace("%s", made[0].task_id) + "\n")
    with pytest.raises(FormatError, match=problem):
        load_tasks(tasks)


def test_seeds_survive_being_read_as_text(suite: Path) -> None:
    """The harness opens them in text mode, which makes line feeds of carriage returns."""
    seeds = sorted((suite / "seeds").glob("email-*.sql"))
    assert seeds
    for path in seeds:
        with path.open(encoding="utf-8") as file:
            text = file.read()
        email = registry.server("email")
        here = email.template(int(path.stem.partition("-")[2]))
        assert text.encode() == path.read_bytes()
        assert templates.from_sql(email.schema, text).image == here.image
