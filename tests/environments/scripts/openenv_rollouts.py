"""Play cases with OpenEnv's own clients, against a gym that is served elsewhere.

    python openenv_rollouts.py GYM_URL CASES

Runs in an environment that has openenv and nothing of ours. CASES is a JSON file: calls, a reply, and the
task of each. Prints one JSON object a line: which way, which case, reward and label.
"""

import asyncio
import json
import sys
from pathlib import Path

from openenv import GenericEnvClient
from openenv.cli._validation import validate_running_environment
from openenv.core import CallToolAction
from openenv.core.mcp_client import MCPToolClient


async def with_generic_client(url, cases):
    async with GenericEnvClient(base_url=url) as env:
        for case in cases:
            await env.reset(task_id=case["task_id"])
            for name, arguments in case["calls"]:
                step = await env.step({"type": "call_tool", "tool_name": name, "arguments": arguments})
                assert step.reward == 0 and not step.done, step
            end = await env.step({"type": "answer", "text": case["reply"]})
            state = await env.state()
            assert end.done and state["done"] and state["step_count"] == len(case["calls"]), state
            show("generic", case, end.reward, end.observation["label"])


async def with_tool_client(url, cases):
    for case in cases:
        async with MCPToolClient(base_url=url) as env:
            begun = await env.reset(task_id=case["task_id"])
            shown = [tool["function"] for tool in begun.observation.functions]
            listed = {tool.name: tool.input_schema for tool in await env.list_tools()}
            assert listed == {tool["name"]: tool["parameters"] for tool in shown}
            for name, arguments in case["calls"]:
                step = await env.step(CallToolAction(tool_name=name, arguments=arguments))
                assert step.observation.tool_name == name and step.observation.result, step
            end = await env.step(Answer(case["reply"]))
            show("tools", case, end.reward, end.metadata["label"])


class Answer:
    """The action that ends an episode, for a client that takes objects."""

    def __init__(self, text):
        self.text = text

    def model_dump(self):
        return {"type": "answer", "text": self.text}


def with_sync_client(url, case):
    with GenericEnvClient(base_url=url).sync() as env:
        env.reset(task_id=case["task_id"])
        for name, arguments in case["calls"]:
            env.step({"type": "call_tool", "tool_name": name, "arguments": arguments})
        end = env.step({"type": "answer", "text": case["reply"]})
        show("sync", case, end.reward, end.observation["label"])


async def over_the_limit(url):
    """Open sessions until one is refused, and print the reason."""
    clients = []
    try:
        while True:
            clients.append(GenericEnvClient(base_url=url))
            await clients[-1].reset(index=0)
    except RuntimeError as error:
        print(json.dumps({"way": "limit", "open": len(clients) - 1, "reason": str(error)}), flush=True)
    for client in clients:
        await client.close()


def show(way, case, reward, label):
    told = {"way": way, "case": case["name"], "reward": reward, "label": label}
    print(json.dumps(told), flush=True)


if __name__ == "__main__":
    address, every = sys.argv[1], json.loads(Path(sys.argv[2]).read_text(encoding="utf-8"))
    asyncio.run(with_generic_client(address, every))
    asyncio.run(with_tool_client(address, every))
    with_sync_client(address, every[0])
    asyncio.run(over_the_limit(address))
    report = validate_running_environment(address)
    failed = [one for one in report["criteria"] if not one["passed"]]
    print(json.dumps({"way": "validate", "passed": report["passed"], "failed": failed}), flush=True)
