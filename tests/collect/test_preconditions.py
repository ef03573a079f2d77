"""Bad input is found before anything is written: one line, exit code 2."""

import json
import shutil
import threading
from collections import namedtuple
from collections.abc import Callable, Iterator
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any

import pytest

from eops_traj.store.store import Store
from tests.attacks.damage_kinds import trust_log
from tests.collect import case_tasks
from tests.conftest import Ran

Config = Callable[..., Path]
Cli = Callable[..., Ran]
CALL = {"name": "find_user", "arguments": '{"name": "Odile Prat"}'}


def completion(message: dict[str, Any]) -> dict[str, Any]:
    return {
        "choices": [{"message": {"role": "assistant", "content": "", **message}, "finish_reason": "stop"}]
    }


class Model(ThreadingHTTPServer):
    """An endpoint that answers every request as it is told."""

    def __init__(self) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.url = f"http://127.0.0.1:{self.server_port}/v1"
        self.answer: Callable[[dict[str, Any]], tuple[int, Any]] = well


class _Handler(BaseHTTPRequestHandler):
    def do_POST(self) -> None:
        asked = json.loads(self.rfile.read(int(self.headers["content-length"])))
        assert isinstance(self.server, Model)
        status, body = self.server.answer(asked)
        text = json.dumps(body).encode()
        self.send_response(status)
        self.send_header("content-type", "application/json")
        self.send_header("content-length", str(len(text)))
        self.end_headers()
        self.wfile.write(text)

    def log_message(self, *_: Any) -> None:
        pass


def well(asked: dict[str, Any]) -> tuple[int, Any]:
    """A model that calls tools and answers."""
    if asked["messages"][-1]["role"] == "tool":
        return 200, completion({"content": "odile.prat@example.com"})
    return 200, completion({"tool_calls": [{"id": "c", "type": "function", "function": CALL}]})


@pytest.fixture
def model() -> Iterator[Model]:
    server = Model()
    threading.Thread(target=server.serve_forever, args=(0.05,), daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


@pytest.fixture
def checked(config: Config, model: Model) -> Callable[..., Path]:
    """Writes a config of a collection with the model, checked beforehand."""
    executor = {"kind": "openai_api", "model": "m", "base_url": model.url}
    return lambda **settings: config(models={"executor": executor}, check="tools", **settings)


def test_doctor_shows_every_check(cli: Cli, checked: Config, tmp_path: Path):
    ran = cli("doctor", checked(), "--store", tmp_path / "s", "--json")
    checks = {row["check"]: row for row in json.loads(ran.out)["checks"]}
    assert ran.code == 0 and list(checks) == ["sandbox", "store", "disk", "model executor"]
    assert all(row["ok"] for row in checks.values())
    assert checks["model executor"]["detail"] == "m answers and calls tools"
    assert not (tmp_path / "s").exists()


def refused(cli: Cli, config: Path, store: Path, *overrides: str) -> str:
    """Both doctor and collect refuse with one line and exit code 2; the line."""
    lines = []
    for command in ("doctor", "collect"):
        ran = cli(command, config, "--store", store, *overrides)
        assert ran.code == 2 and "Traceback" not in ran.err, ran.err
        lines.append(ran.err.strip())
    assert lines[0] == lines[1] and "\n" not in lines[0]
    return lines[0]


def says(status: int, message: str) -> Callable[[dict[str, Any]], tuple[int, Any]]:
    return lambda asked: (status, {"error": {"message": message}})


@pytest.mark.parametrize(
    ("answer", "told"),
    [
        (says(404, "The model `m` does not exist"), "m: request: HTTP 404: The model `m` does not exist"),
        (says(401, "Incorrect API key"), "m: auth: HTTP 401"),
        (says(400, '"auto" tool choice requires --enable-auto-tool-choice'), "--enable-auto-tool-choice"),
        (lambda asked: (200, completion({"content": "I would call find_user."})), "without a parsed call"),
        (lambda asked: (200, "no reply"), "m: garbled: "),
    ],
    ids=["wrong model", "wrong key", "no tool calling", "no tool call", "no reply"],
)
def test_a_model_that_cannot_be_used(
    answer: Any, told: str, cli: Cli, checked: Config, model: Model, tmp_path: Path
):
    model.answer = answer
    line = refused(cli, checked(), tmp_path / "s")
    assert line.startswith("eops-traj: model executor: ") and told in line
    assert not (tmp_path / "s").exists()


@pytest.mark.parametrize(
    ("limits", "prices", "told"),
    [
        ({"cost": 1.0}, None, "m: request: limits.cost cannot be kept: a reply came with no cost;"),
        ({"cost": 1.0}, {"input": 1, "output": 2}, "m: request: limits.cost cannot be kept"),
        ({"tokens": 9}, None, "m: request: limits.tokens cannot be kept: a reply came with no count"),
    ],
)
def test_a_limit_on_what_the_endpoint_does_not_tell(
    limits: Any, prices: Any, told: str, cli: Cli, checked: Config, tmp_path: Path
):
    own = f"models.executor.prices={json.dumps(prices)}"
    assert told in refused(cli, checked(limits=limits), tmp_path / "s", own)
    assert not (tmp_path / "s").exists()


def test_an_endpoint_that_is_not_there(cli: Cli, checked: Config, tmp_path: Path):
    line = refused(cli, checked(), tmp_path / "s", "models.executor.base_url=http://127.0.0.1:9/v1")
    assert "m: connection: " in line and not (tmp_path / "s").exists()


def test_a_context_that_the_longest_task_overflows(cli: Cli, checked: Config, model: Model, tmp_path: Path):
    def short(asked: dict[str, Any]) -> tuple[int, Any]:
        fits = len(json.dumps(asked)) < 6000
        return well(asked) if fits else says(400, "maximum context length is 2048 tokens")(asked)

    model.answer = short
    assert "m: context: HTTP 400: maximum context length" in refused(cli, checked(), tmp_path / "s")


def test_an_endpoint_that_is_only_busy_is_there(cli: Cli, checked: Config, model: Model, tmp_path: Path):
    model.answer = says(429, "slow down")
    ran = cli("doctor", checked(), "--store", tmp_path / "s")
    assert ran.code == 0 and "m is there, and busy" in ran.out


def test_tools_that_the_sandbox_lacks(cli: Cli, config: Config, tmp_path: Path):
    from eops_traj.tasks import dump_task

    folder = case_tasks.write_tasks(tmp_path / "tasks", 2)
    lacking = case_tasks.task(7, tools=("find_user", "fly"))
    (folder / "oracle__csm__case_007.json").write_text(json.dumps(dump_task(lacking)))
    line = refused(cli, config(), tmp_path / "s", f"tasks.source={folder}")
    assert "sandbox: 1 of 3 tasks show tools that it lacks: case_007 shows fly" in line


def test_seeds_and_plans_that_are_missing(cli: Cli, config: Config, tmp_path: Path):
    from eops_traj.schema import Json, Server
    from eops_traj.tasks import dump_task

    seedless = Server(name=case_tasks.SERVER, seed="dbs/gone.sql", details=Json("{}"))
    (tmp_path / "tasks").mkdir()
    one = case_tasks.task(7, servers=(seedless,), plan=None)
    (tmp_path / "tasks" / "oracle__csm__case_007.json").write_text(json.dumps(dump_task(one)))
    line = refused(
        cli,
        config(models={}, orchestrator={"name": "expert"}),
        tmp_path / "s",
        f"tasks.source={tmp_path / 'tasks'}",
    )
    assert "no seed file" in line and "task case_007 has no gold plan" in line


def test_a_sandbox_that_is_not_there(
    cli: Cli, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    from eops_traj.sandbox import mcp_client

    monkeypatch.setattr(mcp_client, "_PAUSES", (0.0, None))
    remote = {"kind": "remote", "urls": {"csm": "http://127.0.0.1:9"}}
    assert "sandbox: csm: http://127.0.0.1:9" in refused(cli, config(sandbox=remote), tmp_path / "s")
    assert "no URL for the server 'sn-csm-server'" in refused(
        cli, config(sandbox={"kind": "remote"}), tmp_path / "s"
    )


def test_a_full_disk(cli: Cli, config: Config, tmp_path: Path, monkeypatch: pytest.MonkeyPatch):
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda path: usage(1e12, 1e12, 3e6))
    assert "disk: 3 MB free" in refused(cli, config(), tmp_path / "s")
    assert not (tmp_path / "s").exists()


def test_a_store_of_another_version(cli: Cli, config: Config, tmp_path: Path):
    Store.open(tmp_path / "s", create=True).close()
    log = tmp_path / "s" / "episodes" / "_delta_log" / f"{0:020}.json"
    log.write_text(log.read_text().replace("eops-traj schema 1", "eops-traj schema 99"))
    trust_log(tmp_path / "s")
    assert "store: " in refused(cli, config(), tmp_path / "s")


def test_a_folder_of_other_things_is_no_store(cli: Cli, config: Config, tmp_path: Path):
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    assert "neither a store nor an empty folder" in refused(cli, config(), tmp_path / "mine")
    assert [p.name for p in (tmp_path / "mine").iterdir()] == ["notes.txt"]


def test_no_tasks(cli: Cli, config: Config, tmp_path: Path):
    (tmp_path / "none").mkdir()
    line = refused(cli, config(), tmp_path / "s", f"tasks.source={tmp_path / 'none'}")
    assert "holds no tasks" in line


def test_several_problems_are_told_together(cli: Cli, checked: Config, model: Model, tmp_path: Path):
    model.answer = says(401, "Incorrect API key")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "notes.txt").write_text("x")
    line = refused(cli, checked(), tmp_path / "mine")
    assert "neither a store" in line and "Incorrect API key" in line


def test_given_replies_are_no_model_to_check(cli: Cli, config: Config, tmp_path: Path):
    models = {"executor": {"kind": "scripted", "replies": ["I cannot do this."]}}
    ran = cli(
        "collect", config(models=models, check="tools"), "--store", tmp_path / "s", "--json", "--limit", 2
    )
    report = json.loads(ran.out)
    assert ran.code == 0 and report["outcomes"] == [{"outcome": "over_refusal", "episodes": 2}]
    assert report["settled"] == 2 and report["refusals"] == 2
