"""One setting tells a chat template the same in every client, and each client's agent is known by it."""

import logging
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from eops_traj.llm.base import EndpointError, Request
from eops_traj.llm.local_model import LocalModel
from eops_traj.llm.options import client_options
from tests.adapters import tiny_base
from tests.collectors.clients.test_openai_api import REQUEST, ask
from tests.endpoint import Answer, completion, endpoint
from tests.tokenizers import row

OFF = {"enable_thinking": False}
KINDS = {
    "openai_api": {"base_url": "http://127.0.0.1:1/v1"},
    "vllm_server": {"path": "weights", "tool_parser": "hermes"},
    "transformers_local": {"path": "weights"},
}


@pytest.fixture(scope="module")
def base(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A model with random weights, whose template is SmolLM2's."""
    folder = tiny_base(tmp_path_factory.mktemp("base"))
    own = Path(__file__).parents[2] / "fixtures" / "templates" / "smollm2.jinja"
    (folder / "chat_template.jinja").write_bytes(own.read_bytes())
    return folder


@pytest.mark.parametrize("kind", KINDS)
def test_the_agent_is_known_by_what_the_template_is_told(kind: str, tmp_path: Path) -> None:
    def behaviour(**options: Any) -> dict[str, Any]:
        given = {"kind": kind, "model": "it", **KINDS[kind], **options}
        if "path" in given:
            given["path"] = str(tmp_path)
        return client_options(given).behaviour()

    assert behaviour() | {"chat_template_kwargs": OFF} == behaviour(chat_template_kwargs=OFF)
    assert "chat_template_kwargs" not in behaviour()


def test_a_server_is_told_with_every_request() -> None:
    with endpoint(Answer(completion("Hi."))) as server:
        ask(server.url, REQUEST, chat_template_kwargs=OFF)
        ask(server.url, REQUEST)
    bodies = [request.body for request in server.requests]
    assert bodies[0].pop("chat_template_kwargs") == OFF and bodies[0] == bodies[1]


def test_a_model_in_this_process_is_told_by_its_template(base: Path) -> None:
    qwen = Path(str(files("trl") / "chat_templates" / "qwen3.jinja"))
    request = Request(row()["messages"][:2], row()["tools"])
    texts = []
    for told in (None, OFF):
        local = LocalModel.load(str(base), qwen, "cpu", "auto", variables=told)
        local.positions = None
        texts.append(local.tokenizer.decode(local.prompt(request).ids))
    assert texts[0].endswith("<|im_start|>assistant\n")
    assert texts[1] == texts[0] + "<think>\n\n</think>\n\n"


def test_tools_that_a_models_own_template_drops_are_shown_all_the_same(
    base: Path, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.WARNING):
        local = LocalModel.load(str(base), None, "cpu", "auto")
    assert "its chat template leaves tools out" in caplog.text
    local.positions = None
    prompt = local.prompt(Request(row()["messages"][:2], row()["tools"]))
    assert '"name": "find_user"' in local.tokenizer.decode(prompt.ids)


def test_tools_that_no_template_shows_are_refused(base: Path, tmp_path: Path) -> None:
    gemma = Path(str(files("trl") / "chat_templates" / "gemma3.jinja"))
    local = LocalModel.load(str(base), gemma, "cpu", "auto")
    local.tokenizer.chat_template = gemma.read_text(encoding="utf-8")
    blind = LocalModel(local._model, local.tokenizer)
    assert blind.prompt(Request(row()["messages"][:2])).ids
    with pytest.raises(EndpointError, match="the chat template leaves out the list of tools"):
        blind.prompt(Request(row()["messages"][:2], row()["tools"]))
