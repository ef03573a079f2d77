"""A small working folder, and an endpoint that calls the tool it is asked for and gives up on every task."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.endpoint import Answer, Endpoint, ReceivedRequest, completion, endpoint
from tests.made import made_workspace


@pytest.fixture(scope="session")
def made() -> Path:
    """A working folder with tasks of one domain; nobody writes there."""
    return made_workspace()


@pytest.fixture
def work(made: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A copy of it, which is the current folder."""
    folder = tmp_path / "work"
    shutil.copytree(made, folder)
    monkeypatch.chdir(folder)
    return folder


@pytest.fixture
def stub(monkeypatch: pytest.MonkeyPatch) -> Iterator[Endpoint]:
    """The endpoint, and a key for whoever asks for one."""
    for name in ("OPENAI_API_KEY", "ANTHROPIC_API_KEY"):
        monkeypatch.setitem(os.environ, name, "stub")
    with endpoint(reply) as served:
        yield served


def reply(received: ReceivedRequest) -> Answer:
    """Call find_user where the check before the start wants that; else decline."""
    if received.path.endswith("/messages"):  # Anthropic's own protocol
        return Answer(_anthropic(received))
    offered = {tool["function"]["name"] for tool in received.body.get("tools") or ()}
    asked = "find_user" in str(received.body["messages"][-1]["content"]) and len(offered) == 2
    if asked and received.body["messages"][-1]["role"] == "user":
        return Answer(completion(None, ("find_user", {"name": "Odile Prat"})))
    return Answer(completion("I am sorry, I cannot do that.\nOUTCOME: declined: no reason"))


def _anthropic(received: ReceivedRequest) -> dict[str, object]:
    last = received.body["messages"][-1]["content"]
    wants = "Look her up with find_user" in str(last)
    call = {"type": "tool_use", "id": "t1", "name": "find_user", "input": {"name": "Odile Prat"}}
    text = {"type": "text", "text": "I am sorry, I cannot do that."}
    return {
        "id": "msg_1", "type": "message", "role": "assistant", "model": "m-1",
        "content": [call if wants else text], "stop_reason": "tool_use" if wants else "end_turn",
        "usage": {"input_tokens": 100, "output_tokens": 10},
    }  # fmt: skip
