"""What is ready is told, keys are not, and the next command is one that can be run."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.workspace.readiness import Endpoint, endpoints, machine, next_command
from tests.models_endpoint import models_endpoint


def test_keys_are_said_to_be_set_and_never_shown() -> None:
    rows = {row.what: row for row in machine({"OPENAI_API_KEY": "sk-secret-1"})}
    assert rows["OPENAI_API_KEY"].ready and not rows["HF_TOKEN"].ready
    assert "secret" not in str(rows)
    assert rows["Python"].ready and "extra train" in rows


def test_a_python_of_vllm_that_is_not_there_is_named(tmp_path: Path) -> None:
    (row,) = [row for row in machine({"EOPS_TRAJ_VLLM": str(tmp_path / "python")}) if row.what == "vLLM"]
    assert not row.ready and "is no file" in row.detail


def test_an_endpoint_of_the_environment_is_asked_for_its_models() -> None:
    with models_endpoint("mine", "other") as url:
        rows, there = endpoints({"OPENAI_BASE_URL": url + "/", "OPENAI_API_KEY": "k"})
    assert (rows[0].what, rows[0].ready) == ("endpoint OPENAI_BASE_URL", True) and "mine" in rows[0].detail
    assert there[0] == Endpoint(url, ("mine", "other"))
    rows, _ = endpoints({"OPENAI_BASE_URL": url})
    assert not rows[0].ready and "nothing answers" in rows[0].detail


def test_the_next_command_follows_from_the_folder(tmp_path: Path) -> None:
    there = [Endpoint("http://h/v1", ("m",))]
    assert next_command(tmp_path, there).startswith("eops-traj init")
    (tmp_path / "suite").mkdir()
    assert "collect_expert" in next_command(tmp_path, there)
    (tmp_path / "store").mkdir()
    assert "base_url=http://h/v1 models.executor.model=m" in next_command(tmp_path, there)
    assert next_command(tmp_path, [Endpoint("http://h/v1", ())]) == "eops-traj score --store store"


def test_doctor_without_a_config_looks_at_the_machine(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("doctor")
    assert ran.code == 0 and "free disk" in ran.out and "next: eops-traj init work" in ran.err
    assert json.loads(cli("doctor", "--json").out)["next"].startswith("eops-traj init")
