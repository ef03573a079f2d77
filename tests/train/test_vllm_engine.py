"""vLLM is looked for before anything is loaded, and what is missing is said in a line."""

import json
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path
from typing import Any

import pytest
from pydantic import ValidationError

from eops_traj.errors import InputError
from eops_traj.train.rollout_config import VllmOptions
from eops_traj.train.vllm_engine import check_vllm, vllm_arguments

MODELS = {"data": [{"id": "m", "max_model_len": 4096}]}


@contextmanager
def serving(answers: dict[str, Any]) -> Iterator[VllmOptions]:
    """Serve JSON by path; an int is the status of an error, and what is not there is not found."""

    class Handler(BaseHTTPRequestHandler):
        def do_GET(self) -> None:
            answer = answers.get(self.path.partition("?")[0], 404)
            self.send_response(answer if isinstance(answer, int) else 200)
            self.end_headers()
            self.wfile.write(json.dumps(answer).encode())

        def log_message(self, *_: Any) -> None:
            """Say nothing."""

    server = HTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    try:
        yield VllmOptions(url=f"http://127.0.0.1:{server.server_port}/", timeout=60)
    finally:
        server.shutdown()
        server.server_close()


@pytest.fixture
def installed(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Have a package of the name vllm on the path; it is looked for, not imported."""
    (tmp_path / "vllm").mkdir()
    (tmp_path / "vllm" / "__init__.py").write_text("raise AssertionError('imported')", encoding="utf-8")
    monkeypatch.syspath_prepend(str(tmp_path))


@pytest.mark.parametrize("mode", ["server", "colocate"])
def test_vllm_has_to_be_installed(mode: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "vllm", None)
    with pytest.raises(InputError, match=f"use_vllm={mode} needs vllm, which is not installed"):
        check_vllm(mode, VllmOptions(), 4096)
    check_vllm(None, VllmOptions(), 4096)


@pytest.mark.usefixtures("installed")
def test_a_server_that_takes_weights_and_has_the_room_will_do() -> None:
    with serving({"/v1/models": MODELS, "/server_info": {"vllm_config": {}}}) as options:
        check_vllm("server", options, 4096)
        with pytest.raises(InputError, match="takes 4096 tokens; max_length is 4097"):
            check_vllm("server", options, 4097)
    with pytest.raises(InputError, match=f"no vLLM server answers at {options.url}v1/models"):
        check_vllm("server", options, 4096)
    check_vllm("colocate", options, 4097)


@pytest.mark.usefixtures("installed")
@pytest.mark.parametrize(
    ("answers", "problem"),
    [
        ({}, "is no vLLM server: it has no /v1/models"),
        ({"/v1/models": MODELS}, "takes no weights: start it with VLLM_SERVER_DEV_MODE=1"),
        ({"/v1/models": 503}, "v1/models answers 503"),
        ({"/v1/models": {"data": []}}, "is no vLLM server: it serves no model"),
    ],
)
def test_a_server_that_will_not_do_is_refused(answers: dict[str, Any], problem: str) -> None:
    with serving(answers) as options, pytest.raises(InputError, match=problem):
        check_vllm("server", options, 4096)


def test_an_address_has_to_be_one() -> None:
    with pytest.raises(ValidationError, match="url"):
        VllmOptions(url="localhost:8000")


def test_trl_is_told_as_it_names_things() -> None:
    options = VllmOptions(url="http://other:9", timeout=7, group_port=5, memory=0.5, sleep=True)
    server, beside = (vllm_arguments(mode, options, 99) for mode in ("server", "colocate"))
    assert vllm_arguments(None, options, 99) == {}
    assert server["vllm_server_base_url"] == "http://other:9" and beside["vllm_server_base_url"] is None
    assert beside | {"vllm_server_base_url": None} == {
        **{"use_vllm": True, "vllm_mode": "colocate", "vllm_server_base_url": None},
        **{"vllm_server_timeout": 7, "vllm_group_port": 5, "vllm_gpu_memory_utilization": 0.5},
        **{"vllm_tensor_parallel_size": 1, "vllm_enable_sleep_mode": True, "vllm_max_model_length": 99},
    }
