"""vLLM as a process of ours: how it starts, fails and ends, with a stand-in for vLLM itself."""

import asyncio
import json
import shutil
import signal
import sys
import threading
from pathlib import Path
from typing import Any

import pytest

from eops_traj.collectors.clients.vllm_server import VllmServer, VllmServerOptions, command
from eops_traj.errors import InputError
from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.options import client_options
from eops_traj.llm.vllm_process import PYTHON, find_cause, free_port, launch_command
from eops_traj.provenance.checkpoint import checkpoint_hash
from tests.adapters import resettled, tiny_adapter, tiny_base

SAID = Request([{"role": "user", "content": "Hello."}])
STAND_IN = '''
"""What `python -m vllm.entrypoints.openai.api_server` is to the tests that start no vLLM."""
import json, os, sys, time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

print("INFO: loading", *sys.argv[1:], flush=True)
if os.environ["MODE"] == "broken":
    print("ERROR 11-22 [core.py:7] ValueError: no memory for the cache", flush=True)
    sys.exit("RuntimeError: Engine core initialization failed")
if os.environ["MODE"] == "slow":
    time.sleep(60)

class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_GET(self):
        served = [name.partition("=")[2] for name in sys.argv if name.startswith("--served-model-name=")]
        cards = [{"id": name, "parent": None} for name in served]
        for flag in sys.argv:
            if flag.startswith("--lora-modules=") and os.environ["MODE"] != "forgetful":
                module = json.loads(flag.partition("=")[2])
                cards.append({"id": module["name"], "parent": module["base_model_name"]})
        self.answer({"data": cards} if self.path == "/v1/models" else {})

    def do_POST(self):
        body = json.loads(self.rfile.read(int(self.headers["content-length"])))
        if "die" in body["messages"][-1]["content"]:
            os._exit(9)
        message = {"role": "assistant", "content": "Good day."}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        model = "another" if "other" in body["messages"][-1]["content"] else body["model"]
        usage = {"prompt_tokens": 3, "completion_tokens": 2}
        self.answer({"model": model, "choices": [choice], "usage": usage})

    def answer(self, value):
        content = json.dumps(value).encode()
        self.send_response(200)
        self.send_header("content-length", str(len(content)))
        self.end_headers()
        self.wfile.write(content)

port = next(int(flag.partition("=")[2]) for flag in sys.argv if flag.startswith("--port="))
ThreadingHTTPServer(("127.0.0.1", port), Handler).serve_forever()
'''


@pytest.fixture
def options(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    """Options for the stand-in in one of its modes; its logs are in ``tmp_path``."""
    monkeypatch.setattr("tempfile.tempdir", str(tmp_path))
    package = tmp_path / "path" / "vllm" / "entrypoints" / "openai"
    package.mkdir(parents=True)
    (package / "api_server.py").write_text(STAND_IN)

    def make(mode: str = "well", **more: Any) -> VllmServerOptions:
        env = {"MODE": mode, "PYTHONPATH": str(tmp_path / "path")}
        return VllmServerOptions(model="tiny", family="hermes", python=Path(sys.executable), env=env, **more)

    return make


def logs(tmp_path: Path) -> list[Path]:
    return sorted(tmp_path.glob("eops-traj-vllm-*.log"))


def runs(server: VllmServer) -> bool:
    return server._process is not None and server._process.code is None


def test_it_is_started_by_the_first_request_and_gone_after_closing(options: Any, tmp_path: Path) -> None:
    async def converse() -> None:
        server = options().open()
        assert not runs(server)
        assert (await server.reply(SAID)).text == "Good day." and server.model == "tiny"
        await server.start()
        assert runs(server) and len(logs(tmp_path)) == 1
        process = server._process
        await server.close()
        assert process.code == 128 + signal.SIGTERM and logs(tmp_path) == []
        await server.close()

    asyncio.run(converse())


def test_why_it_does_not_start_is_said_once_and_for_all(
    options: Any, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    async def converse() -> list[Any]:
        server = options("broken").open()
        replies = await asyncio.gather(*(server.reply(SAID) for _ in range(4)), return_exceptions=True)
        await server.close()
        return list(replies)

    [said] = {str(error) for error in asyncio.run(converse()) if isinstance(error, InputError)}
    [log] = logs(tmp_path)
    assert said == (
        "vLLM ended with code 1 before it was ready: ValueError: no memory for the cache; "
        f"the whole log: {log}"
    )
    assert "RuntimeError: Engine core initialization failed" in caplog.text


def test_one_that_is_not_ready_in_time_is_stopped(options: Any) -> None:
    async def converse() -> None:
        server = options("slow", ready_seconds=0.5).open()
        with pytest.raises(InputError, match=r"vLLM is not ready after 0\.5 s: "):
            await server.start()
        assert not runs(server)

    asyncio.run(converse())


def test_a_start_that_is_cancelled_leaves_nothing_running(options: Any) -> None:
    async def converse() -> None:
        server = options("slow").open()
        starting = asyncio.create_task(server.start())
        while not runs(server):
            await asyncio.sleep(0.02)
        starting.cancel()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert not runs(server)
        server._options.env["MODE"] = "well"
        assert (await server.reply(SAID)).text == "Good day." and server._restarts == 0
        await server.close()

    asyncio.run(converse())


def test_a_start_that_is_cancelled_twice_ends_when_nothing_runs(options: Any) -> None:
    async def converse() -> None:
        server, stopping, stop = options("slow").open(), threading.Event(), threading.Event()
        starting = asyncio.create_task(server.start())
        while not runs(server):
            await asyncio.sleep(0.02)
        process, end = server._process, server._process.stop
        process.stop = lambda: (stopping.set(), stop.wait(60), end())
        starting.cancel()
        await asyncio.to_thread(stopping.wait, 60)
        starting.cancel()
        await asyncio.sleep(0.1)
        waiting = not starting.done() and server._process is process
        stop.set()
        with pytest.raises(asyncio.CancelledError):
            await starting
        assert waiting and process.code is not None and server._process is None

    asyncio.run(converse())


def test_one_that_dies_is_started_again_twice(options: Any) -> None:
    async def converse() -> None:
        server = options().open()
        for _ in range(3):
            with pytest.raises(EndpointError, match="connection"):
                await server.reply(Request([{"role": "user", "content": "Now die."}]))
            while runs(server):
                await asyncio.sleep(0.02)
        with pytest.raises(InputError, match=r"vLLM ended by itself with code 9: .*; the whole log: "):
            await server.reply(SAID)
        await server.close()

    asyncio.run(converse())


def test_the_command_holds_what_the_family_needs_and_the_users_flags_last(options: Any) -> None:
    given = VllmServerOptions(
        model="Qwen/Qwen3-8B", python=Path(sys.executable), max_model_len=4096, args=("--seed=3",)
    )
    assert command(given, 8123) == [
        *(sys.executable, "-m", "vllm.entrypoints.openai.api_server", "--model", "Qwen/Qwen3-8B"),
        *(
            "--enable-auto-tool-choice",
            "--served-model-name=Qwen/Qwen3-8B",
            "--host=127.0.0.1",
            "--port=8123",
        ),
        *("--tool-call-parser=hermes", "--reasoning-parser=qwen3", "--max-model-len=4096", "--seed=3"),
    ]
    small = VllmServerOptions(model="HuggingFaceTB/SmolLM2-135M-Instruct", python=Path(sys.executable))
    [template] = [flag for flag in command(small, 1) if flag.startswith("--chat-template=")]
    assert "<tool_call>" in Path(template.partition("=")[2]).read_text()
    own = command(options(path="weights", tool_parser="xlam", reasoning_parser="qwen3"), 1)
    assert own[4] == "weights" and {"--tool-call-parser=xlam", "--served-model-name=tiny"} <= set(own)
    assert "--tool-call-parser=mine" in command(
        options(tool_parser="mine").model_copy(update={"family": None}), 1
    )


def test_the_agent_is_the_same_wherever_the_model_lies(options: Any, tmp_path: Path) -> None:
    template = tmp_path / "template.jinja"
    template.write_text("{{ messages }}")
    here, there = options(path="a", port=1), options(path="b", chat_template=template)
    assert here.behaviour() | {"chat_template": "…"} == there.behaviour() | {"chat_template": "…"}
    assert str(tmp_path) not in str(there.behaviour()) and "chat_template" in there.behaviour()


@pytest.fixture(scope="module")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a base and an adapter over it."""
    folder = tmp_path_factory.mktemp("trained")
    tiny_adapter(folder / "adapter", tiny_base(folder / "base"), rank_pattern={"q_proj": 20})
    return folder


def over(trained: Path) -> dict[str, str]:
    return {"path": str(trained / "base"), "lora": str(trained / "adapter")}


def test_base_and_adapter_are_served_under_names_of_their_own(options: Any, trained: Path) -> None:
    base, adapter = str(trained / "base"), str(trained / "adapter")
    flags = command(options(**over(trained), args=("--seed=3",)), 1)
    assert flags[3:5] == ["--model", base] and flags[-1] == "--seed=3"
    assert {f"--served-model-name={base}", "--enable-lora", "--max-lora-rank=32"} <= set(flags)
    [module] = [json.loads(flag.partition("=")[2]) for flag in flags if flag.startswith("--lora-modules=")]
    assert module == {"name": "tiny", "path": adapter, "base_model_name": base}
    assert f"--tokenizer={adapter}" in flags  # with the template that it was trained with
    assert command(options(path=adapter), 1) == command(options(**over(trained)), 1)
    assert not {flag for flag in command(options(path=base), 1) if "lora" in flag}


def test_the_adapter_is_asked_and_answers(options: Any, trained: Path) -> None:
    async def converse() -> None:
        server = options(**over(trained)).open()
        try:
            turn = await server.reply(SAID)
            assert turn.text == "Good day." and json.loads(turn.provider)["model"] == "tiny" == server.model
            with pytest.raises(InputError, match="'another' answered in the place of the adapter 'tiny'"):
                await server.reply(Request([{"role": "user", "content": "Any other?"}]))
        finally:
            await server.close()

    asyncio.run(converse())


def test_a_vllm_that_lists_no_adapter_is_stopped_and_never_asked(options: Any, trained: Path) -> None:
    async def converse() -> None:
        server = options("forgetful", **over(trained)).open()
        with pytest.raises(
            InputError, match=r"vLLM does not serve tiny as an adapter over .*base, but: .*base$"
        ):
            await server.reply(SAID)
        assert not runs(server)

    asyncio.run(converse())


def test_the_adapters_hash_is_in_the_agents_identity(options: Any, trained: Path, tmp_path: Path) -> None:
    base, adapter = trained / "base", trained / "adapter"
    told = options(**over(trained)).behaviour()
    assert (told["checkpoint"], told["base"]) == (checkpoint_hash(adapter), checkpoint_hash(base))
    assert options(path=str(base)).behaviour()["checkpoint"] == checkpoint_hash(base)
    another = tiny_adapter(tmp_path / "another", base, seed=1)
    assert options(path=str(base), lora=str(another)).behaviour()["checkpoint"] != told["checkpoint"]


@pytest.mark.parametrize(
    "flag", ["--served-model-name=x", "--lora_modules={}", "--model=y", "--no-enable-lora"]
)
def test_flags_that_change_what_is_served_are_refused(options: Any, trained: Path, flag: str) -> None:
    with pytest.raises(ValueError, match="would change what is served"):
        options(**over(trained), args=(flag,))
    with pytest.raises(ValueError, match="would change what is served"):
        options(path=over(trained)["lora"], args=(flag,))
    assert options(path="weights", args=(flag,)).args == (flag,)


def test_an_adapter_that_vllm_cannot_serve_is_to_be_merged(
    options: Any, trained: Path, tmp_path: Path
) -> None:
    for change, why in (({"use_dora": True}, "DoRA"), ({"r": 1000}, "up to rank 512, not 1000")):
        adapter = shutil.copytree(trained / "adapter", tmp_path / why[:4])
        with pytest.raises(InputError, match=rf"{why}.*merge"):
            options(path=str(trained / "base"), lora=str(resettled(adapter, **change))).open()


def test_vllm_is_found_by_the_variable_or_on_the_path(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv(PYTHON, raising=False)
    monkeypatch.setenv("PATH", str(tmp_path))
    with pytest.raises(InputError, match=f"no vLLM: install it .* in {PYTHON}, or have vllm on the PATH"):
        launch_command()
    (tmp_path / "vllm").touch(mode=0o755)
    assert launch_command() == [str(tmp_path / "vllm"), "serve"]
    monkeypatch.setenv(PYTHON, sys.executable)
    assert launch_command()[:2] == [sys.executable, "-m"]
    with pytest.raises(InputError, match=r"no Python at '.*nowhere', which is to have vLLM"):
        launch_command(tmp_path / "nowhere")


def test_a_port_that_somebody_has_is_refused(options: Any) -> None:
    import socket

    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        with pytest.raises(InputError, match=f"port {port}, which vLLM is to have: Address already in use"):
            options(port=port).open()
    assert free_port(port) == port


def test_the_cause_is_the_first_error_that_a_log_names() -> None:
    log = [
        "(EngineCore pid=7) ERROR 11-22 [core.py:1] torch.OutOfMemoryError: CUDA",
        "RuntimeError: see above",
    ]
    assert find_cause(["INFO", *log]) == "torch.OutOfMemoryError: CUDA"
    assert find_cause(["api_server.py: error: argument --x: bad"]) == "error: argument --x: bad"
    assert find_cause(["one", "two"]) == "two" and find_cause([]) == "it printed nothing"


def test_a_config_names_it_by_its_kind() -> None:
    found = client_options({"kind": "vllm_server", "model": "Qwen/Qwen3-8B"})
    assert isinstance(found, VllmServerOptions)
