"""A fake model: it works the tasks of `tests.collect.case_tasks` by the letter, over the OpenAI API.

    python -m tests.collect.fake_endpoint [LOOKUPS]

serves on a free port, which it prints. What it replies depends on the conversation alone: so many look-ups
one by one, then the change, then the answer. A call that came back as unreadable it makes again.
"""

import asyncio
import contextlib
import json
import re
import subprocess
import sys
from collections.abc import Callable, Iterator
from typing import Any

from aiohttp import web

from tests.collect.case_tasks import COUNT, LOOK_UP

LOOKUPS = 8


def reply(messages: list[dict[str, Any]], lookups: int = LOOKUPS) -> dict[str, Any]:
    """Return the assistant's message that follows a conversation."""
    case = int(re.search(r"Case (\d+)", str(messages[1]["content"]))[1])  # type: ignore[index]
    results = [m["content"] for m in messages if m["role"] == "tool"]
    done = sum("nothing was called" not in result for result in results)
    if done > lookups:
        return {"role": "assistant", "content": f"The reopen count of case {case} is {COUNT} now."}
    name, arguments = ("update_case", {"case_id": case, "reopen_count": COUNT})
    if done < lookups:
        name, arguments = LOOK_UP, {"case_id": case + done}
    function = {"name": name, "arguments": json.dumps(arguments)}
    call = {"id": f"call_{len(messages)}", "type": "function", "function": function}
    return {"role": "assistant", "content": "", "tool_calls": [call]}


def completion(messages: list[dict[str, Any]], lookups: int = LOOKUPS) -> dict[str, Any]:
    """Return a whole chat completion."""
    message = reply(messages, lookups)
    reason = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": 900 + 60 * len(messages), "completion_tokens": 25}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 0,
        "model": "clerk",
        "choices": [{"index": 0, "message": message, "finish_reason": reason}],
        "usage": usage | {"total_tokens": sum(usage.values())},
    }


def app(lookups: int = LOOKUPS) -> web.Application:
    """Make the web application."""

    async def answer(request: web.Request) -> web.Response:
        return web.json_response(completion((await request.json())["messages"], lookups))

    application = web.Application(client_max_size=2**26)
    application.router.add_post("/v1/chat/completions", answer)
    return application


async def serve(application: web.Application, say: Callable[[int], None]) -> None:
    """Serve on a free port, and say which."""
    runner = web.AppRunner(application, access_log=None)
    await runner.setup()
    site = web.TCPSite(runner, "127.0.0.1", 0)
    await site.start()
    say(runner.addresses[0][1])
    await asyncio.Event().wait()


@contextlib.contextmanager
def run_endpoint(*arguments: str, module: str = "tests.collect.fake_endpoint") -> Iterator[str]:
    """Run the endpoint in a process of its own, and yield its address."""
    command = [sys.executable, "-m", module, *arguments]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as process:
        assert process.stdout
        try:
            yield f"http://127.0.0.1:{int(process.stdout.readline())}"
        finally:
            process.kill()


if __name__ == "__main__":
    lookups = int(sys.argv[1]) if len(sys.argv) > 1 else LOOKUPS
    asyncio.run(serve(app(lookups), lambda port: print(port, flush=True)))
