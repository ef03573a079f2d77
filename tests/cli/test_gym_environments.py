"""The gym is served to other trainers, and its tasks are written as their rows, from the command line."""

import json
import re
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import httpx
import pytest

from eops_traj.cli.main import main
from eops_traj.tasks.json_files import dump_task
from tests.collectors.group_tasks import TASK, TWIN


@pytest.fixture
def tasks(tmp_path: Path) -> Path:
    folder = tmp_path / "tasks"
    folder.mkdir()
    for task, split in ((TASK, "train"), (TWIN, "test")):
        text = json.dumps(dump_task(replace(task, split=split)))
        (folder / f"oracle__csm__{task.task_id}.json").write_text(text)
    return folder


def rows(tasks: Path, *options: str) -> list[str]:
    out = tasks.parent / "rows.jsonl"
    main_ok(["gym", "rows", str(tasks), "--out", str(out), *options])
    return [json.loads(line)["task_id"] for line in out.read_text().splitlines()]


def main_ok(arguments: list[str]) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(arguments)
    assert not stopped.value.code


def test_rows_are_those_of_the_training_split_unless_others_are_named(tasks: Path) -> None:
    assert rows(tasks) == ["join_group"]
    assert rows(tasks, "--split", "test") == ["join_group_gone"]
    assert len(rows(tasks, "--split", "test", "--split", "train")) == 2


def test_a_mode_shows_more_tools(tasks: Path) -> None:
    rows(tasks, "--mode", "plus_5_tools", "--json")
    (line,) = (tasks.parent / "rows.jsonl").read_text().splitlines()
    assert len(json.loads(line)["responses_create_params"]["tools"]) == len(TASK.tools) + 5


@pytest.mark.parametrize("options", [["--split", "dev"], ["--mode", "some"], ["--domain", "itsm"]])
def test_what_there_is_none_of_is_one_line(
    tasks: Path, options: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit) as stopped:
        main(["gym", "env", str(tasks), "--kind", "openenv", *options])
    error = capsys.readouterr().err
    assert stopped.value.code == 2 and error.count("\n") == 1 and "choose from" in error


@pytest.mark.parametrize("kind", [pytest.param("openenv", marks=pytest.mark.slow), "nemo-gym"])
def test_it_serves_until_it_is_stopped(tasks: Path, kind: str) -> None:
    command = [sys.executable, "-m", "eops_traj.cli", "gym", "env", str(tasks), "--kind", kind, "--port", "0"]
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        line = process.stderr.readline()
        try:
            (url,) = re.findall(r"http://127\.0\.0\.1:\d+", line)
            assert line == f"1 tasks are served at {url} ({kind})\n"
            assert httpx.get(f"{url}/health", verify=False).json() == {"status": "healthy"}
        finally:
            process.send_signal(signal.SIGINT)
        assert process.wait(120) == 0 and process.stderr.read() == ""
