"""Importing through the command line: once each, durable, and honest about files that cannot be read."""

import json
import random
import shutil
import signal
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.files import find_files
from eops_traj.interchange.base import open_importer
from eops_traj.interchange.import_files import import_files
from eops_traj.store.store import Store
from tests.forks import CONTEXT


def copies(fixtures: Path, folder: Path, count: int) -> Path:
    """Result files of the project's own, many times under new task ids."""
    folder.mkdir()
    originals = sorted((fixtures / "results").iterdir())
    for i in range(count):
        source = originals[i % len(originals)]
        shutil.copy(source, folder / source.name.replace("demo_", f"copy_{i:04}_"))
    return folder


def test_importing_again_adds_nothing(cli: Callable, fixtures: Path, tmp_path: Path) -> None:
    arguments = ("import", "enterpriseops", fixtures / "results", "--store", tmp_path / "s", "--json")
    assert json.loads(cli(*arguments).out) == {"files": 3, "episodes": 5, "new": 5, "problems": []}
    assert json.loads(cli(*arguments).out)["new"] == 0
    moved = shutil.copytree(fixtures / "results", tmp_path / "elsewhere")
    assert (
        json.loads(cli("import", "enterpriseops", moved, "--store", tmp_path / "s", "--json").out)["new"] == 0
    )


def test_a_bad_file_is_named_and_the_rest_imported(cli: Callable, fixtures: Path, tmp_path: Path) -> None:
    folder = copies(fixtures, tmp_path / "in", 3)
    (folder / "broken.json").write_text('{"runs": [')
    ran = cli("import", "enterpriseops", folder, "--store", tmp_path / "s")
    assert ran.code == 1 and "5 new" in ran.out
    assert "broken.json: not JSON" in ran.err and "1 of 4 files could not be read" in ran.err
    assert "Traceback" not in ran.err


@pytest.mark.parametrize(
    ("field", "value", "problem"),
    [
        ("run_number", 2**63, "Episode attempt: "),
        ("conversation_flow.3.gym_server", {"a": 1}, "Episode turns.0.tool_calls.0.server: "),
        ("conversation_flow.2.usage_metadata.input_tokens", True, "Episode turns.0.input_tokens: "),
        ("conversation_flow.2.response_metadata.finish_reason", ["stop"], "Episode turns.0.finish_reason: "),
        ("verification_results.Case is in progress.comparison_type", 5, "Episode verdicts.0.comparison: "),
        ("verification_results.Case is in progress.details", {}, "Episode verdicts.0.details: "),
    ],
)
def test_a_file_with_a_field_that_cannot_be_is_one_line_and_nothing_of_it_is_stored(
    field: str, value: object, problem: str, cli: Callable, fixtures: Path, tmp_path: Path
) -> None:
    """Before, the store that took it could never be read again."""
    path = (
        shutil.copytree(fixtures / "results", tmp_path / "in")
        / "results_oracle__csm__task_20260302_demo_0001.json"
    )
    document = json.loads(path.read_text())
    *parents, last = field.split(".")
    holder = document["runs"][0]
    for key in parents:
        holder = holder[int(key) if isinstance(holder, list) else key]
    holder[last] = value
    path.write_text(json.dumps(document))
    ran = cli("import", "enterpriseops", tmp_path / "in", "--store", tmp_path / "s")
    assert ran.code == 1 and ran.err.count(f"demo_0001.json: {problem}") == 1
    with Store.open(tmp_path / "s") as store:
        tasks = [episode.task_id for episode in store.episodes()]
    assert tasks and not [task for task in tasks if task.endswith("0001")]


def test_a_missing_path_writes_nothing(cli: Callable, tmp_path: Path) -> None:
    ran = cli("import", "enterpriseops", tmp_path / "none", "--store", tmp_path / "s")
    assert ran.code == 2 and "none does not exist" in ran.err
    assert not (tmp_path / "s").exists()


def test_an_unknown_source_lists_the_choices(cli: Callable, fixtures: Path, tmp_path: Path) -> None:
    ran = cli("import", "nethack", fixtures / "results", "--store", tmp_path / "s")
    assert ran.code == 2 and "enterpriseops" in ran.err


def run_import(folder: Path, url: Path) -> None:
    with Store.open(url, create=True) as store:
        import_files(list(find_files([folder])), open_importer("enterpriseops"), store)


@pytest.mark.slow
def test_kill_9_at_any_moment_loses_and_doubles_nothing(fixtures: Path, tmp_path: Path) -> None:
    folder = copies(fixtures, tmp_path / "in", 60)
    run_import(folder, tmp_path / "whole")
    expected = sorted(Store.open(tmp_path / "whole").scan().select("episode_id").collect()["episode_id"])
    moments, interrupted = random.Random(7), 0
    for _ in range(50):
        url = tmp_path / "s"
        worker = CONTEXT.Process(target=run_import, args=(folder, url))
        worker.start()
        time.sleep(moments.uniform(0.01, 0.4))
        worker.kill()
        worker.join()
        interrupted += worker.exitcode == -signal.SIGKILL
        run_import(folder, url)
        with Store.open(url) as store:
            episodes = list(store.episodes())
        assert sorted(e.episode_id for e in episodes) == expected
        shutil.rmtree(url)
    assert interrupted > 20
