"""What is ready is told, keys are not, and the next command is one that can be run."""

import json
import shlex
from collections.abc import Callable
from pathlib import Path

import pytest

from eops_traj.workspace import readiness
from eops_traj.workspace.readiness import Endpoint, endpoints, machine, next_command
from tests.models_endpoint import models_endpoint, models_page


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
    assert there[0] == Endpoint(url, ("mine", "other"), "OPENAI_API_KEY")
    rows, _ = endpoints({"OPENAI_BASE_URL": url})
    assert not rows[0].ready and "nothing answers" in rows[0].detail


def test_the_key_goes_to_the_endpoint_of_the_environment_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who else listens on this machine could be anyone; these endpoints list nothing without the key."""
    with models_endpoint("mine") as url, models_endpoint("theirs") as other:
        monkeypatch.setattr(readiness, "LOCAL", {"vLLM": other})
        rows, there = endpoints({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k"})
    assert there == [Endpoint(url, ("mine",), "OPENAI_API_KEY"), Endpoint(other, ())]
    assert rows[1].detail == f"{other} answers, and lists no models"


@pytest.mark.parametrize(
    ("status", "body", "detail"),
    [
        (500, '{"data": [{"id": "m"}]}', "{} answers 500"),
        (
            401,
            "{}",
            "{} answers 401: it wants a key, or another; OPENAI_BASE_URL and OPENAI_API_KEY hold both",
        ),
        (200, "<html>a page</html>", "{} answers, but with no list of models"),
        (200, '{"models": []}', "{} answers, but with no list of models"),
    ],
)
def test_what_answers_with_something_else_is_not_ready(status: int, body: str, detail: str) -> None:
    with models_page(status, body) as url:
        rows, there = endpoints({"OPENAI_BASE_URL": url})
    assert (rows[0].ready, rows[0].detail) == (False, detail.format(url)) and not there


@pytest.mark.parametrize(
    "address", ["http://me:pa55word@{}", "http://{}?key=pa55word", "http://pa55word@[{}"]
)
def test_an_address_that_no_client_takes_is_not_asked_and_its_password_not_shown(address: str) -> None:
    with models_endpoint("mine") as url:
        place = address.format(url.removeprefix("http://"))
        rows, there = endpoints({"OPENAI_BASE_URL": place, "OPENAI_API_KEY": "k"})
    assert not rows[0].ready and "address" in rows[0].detail
    assert "mine" not in str(there) and "pa55word" not in f"{rows}{there}"


def test_a_key_from_a_file_is_sent_without_the_end_of_its_line() -> None:
    with models_endpoint("mine") as url:
        _, there = endpoints({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": "k\n"})
    assert there[0] == Endpoint(url, ("mine",), "OPENAI_API_KEY")


@pytest.mark.parametrize("key", ["kü", "k\nk"])
def test_a_key_that_no_header_can_hold_is_said_to_be_one(key: str) -> None:
    with models_endpoint("mine") as url:
        rows, _ = endpoints({"OPENAI_BASE_URL": url, "OPENAI_API_KEY": key})
    assert rows[0].detail == "OPENAI_API_KEY is no key: it has characters that no header can hold"


def test_a_models_name_is_one_word_of_the_next_command(tmp_path: Path) -> None:
    """It is the endpoint's, and the command is there to be pasted into a shell."""
    for name in ("suite", "store"):
        (tmp_path / name).mkdir()
    words = shlex.split(next_command(tmp_path, [Endpoint("http://h/v1", ("m; touch pwned #",))]))
    assert "models.executor.model=m; touch pwned #" in words and words[-2:] == ["--limit", "5"]


def test_the_next_command_follows_from_the_folder(tmp_path: Path) -> None:
    there = [Endpoint("http://h/v1", ("m",))]
    assert next_command(tmp_path, there).startswith("eops-traj init")
    (tmp_path / "suite").mkdir()
    assert "collect_expert" in next_command(tmp_path, there)
    (tmp_path / "store").mkdir()
    assert "base_url=http://h/v1 models.executor.model=m" in next_command(tmp_path, there)
    assert "api_key_env" not in next_command(tmp_path, there)
    with_key = next_command(tmp_path, [there[0]._replace(key="OPENAI_API_KEY")])
    assert with_key.endswith(" models.executor.api_key_env=OPENAI_API_KEY --limit 5")
    assert next_command(tmp_path, [Endpoint("http://h/v1", ())]) == "eops-traj score --store store --by model"


def test_doctor_without_a_config_looks_at_the_machine(
    cli: Callable, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    ran = cli("doctor")
    assert ran.code == 0 and "free disk" in ran.out and "next: eops-traj init work" in ran.err
    assert json.loads(cli("doctor", "--json").out)["next"].startswith("eops-traj init")
