"""The benchmark's own tasks and databases, from its zip to a row beside its leaderboard."""

import json
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.schema import Task
from eops_traj.tasks import load_tasks
from eops_traj.tasks.hub import write_hub
from eops_traj.tasks.toolset import in_mode

CSM, ITSM = "db_1762232091750_3ev7dns6b.sql", "db_1765301900121_3mwjj54xy.sql"
MODES = ("oracle", "plus_5_tools")


@pytest.fixture(scope="module")
def tasks(shared: Path) -> list[Task]:
    return list(load_tasks(shared / "eog" / "tasks").values())


@pytest.fixture
def place(shared: Path, tasks: list[Task], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder with the seven tasks as the dataset has them, in two modes, and the zip of their databases.

    The real CSM database stands for those that the six CSM tasks name, which are not at hand.
    """
    monkeypatch.chdir(tmp_path)
    write_hub([in_mode(task, mode) for task in tasks for mode in MODES], tmp_path / "dataset")
    named = {server.seed: server.name for task in tasks for server in task.servers}
    with zipfile.ZipFile(tmp_path / "gym_dbs.zip", "w", zipfile.ZIP_DEFLATED) as archive:
        for seed, server in named.items():
            archive.write(shared / "eog" / "seeds" / (ITSM if "itsm" in server else CSM), seed)
    (tmp_path / "model.yaml").write_text(
        """
tasks: {source: dataset, seeds: gym_dbs.zip}
protocol: benchmark
orchestrator: {name: react}
models: {executor: {kind: scripted, model: nobody, replies: ["It is done."]}}
attempts: 1
"""
    )
    return tmp_path


def test_seven_real_tasks_from_the_zip_to_the_leaderboard(place: Path, cli: Callable) -> None:
    for mode in MODES:
        assert cli("collect", "model.yaml", "--store", "store", f"tasks.mode={mode}").code == 0
    shown = json.loads(cli("score", "--store", "store", "--leaderboard", "--json").out)
    ours = [row for row in shown["rows"] if not row["published"]]
    assert [(row["mode"], row["tasks"]) for row in ours] == [(mode, {"csm": 6, "itsm": 1}) for mode in MODES]
    assert ours[0]["differs"] == [] and ours[1]["differs"] == ["mode plus_5_tools"]
    assert not list(place.glob("**/dbs")), "the zip is not unpacked"


def test_missing_databases_are_named_with_what_has_them(place: Path, cli: Callable) -> None:
    with zipfile.ZipFile(place / "few.zip", "w") as archive:
        archive.writestr("csm/dbs/other.sql", "SELECT 1;")
    ran = cli("collect", "model.yaml", "--store", "store", "tasks.seeds=few.zip")
    assert ran.code == 2 and ran.err.count("\n") == 1
    assert ITSM in ran.err and "tasks.seeds=gym_dbs.zip" in ran.err
    assert not (place / "store").exists()


def test_a_damaged_zip_is_one_line(place: Path, cli: Callable) -> None:
    whole = (place / "gym_dbs.zip").read_bytes()
    (place / "cut.zip").write_bytes(whole[: len(whole) // 2])
    ran = cli("collect", "model.yaml", "--store", "store", "tasks.seeds=cut.zip")
    assert ran.code == 2 and ran.err.count("\n") == 1 and "cut.zip" in ran.err


def test_suites_of_ones_own_get_no_hint_at_the_benchmark(
    place: Path, tasks: list[Task], cli: Callable
) -> None:
    from dataclasses import replace

    write_hub([replace(task, suite="house", split="test") for task in tasks], place / "house")
    ran = cli("collect", "model.yaml", "--store", "store", "tasks.source=house", "tasks.seeds=house")
    assert ran.code == 2 and "no seed file" in ran.err and "gym_dbs.zip" not in ran.err
