"""A harness of verifiers that plays a gym task in this process: no program is started for a rollout.

The loop is a plain one of chat completions: reply, calls, results, until a reply has no call. Every request
goes to the endpoint that verifiers opens for the rollout, which records it.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import httpx
import verifiers.v1 as vf
from pydantic import PositiveInt

from eops_traj.environments.verifiers_rollout import GymRollout
from eops_traj.llm.tool_arguments import read_call_arguments
from eops_traj.messages import Message


class GymHarnessConfig(vf.HarnessConfig):
    """The knobs of the loop, under ``--env.agent.harness``."""

    max_turns: PositiveInt = 100
    """Replies of a rollout; one that is not done by then ends in a call, and so with no answer."""


class GymHarness(vf.Harness[GymHarnessConfig]):
    """The loop. Only a `GymTask` can be played with it."""

    APPENDS_SYSTEM_PROMPT = True
    EXECUTES_CODE = False
    NEEDS_CONTAINER = False

    async def launch(
        self, ctx: vf.ModelContext, trace: vf.Trace, runtime: vf.Runtime, endpoint: str, secret: str,
        mcp_urls: dict[str, str], data: vf.TaskData,
    ) -> vf.ProgramResult:  # fmt: skip
        """Play the task to its last reply."""
        rollout: GymRollout = trace.state.rollout
        system, prompt = self.resolve_text_prompt(data)
        messages: list[Message] = [{"role": "system", "content": system}] if system else []
        messages.append({"role": "user", "content": prompt})
        headers = {"authorization": f"Bearer {secret}"}
        async with httpx.AsyncClient(base_url=endpoint, headers=headers, timeout=None) as client:
            for _ in range(self.config.max_turns):
                reply, cut = await _complete(client, ctx.model, messages, rollout.tools)
                messages.append(reply)
                if not reply.get("tool_calls"):
                    break
                messages += [await _call(rollout, call, cut) for call in reply["tool_calls"]]
        return vf.ProgramResult(exit_code=0, stdout="", stderr="")

    async def cleanup(self, trace: vf.Trace, runtime: vf.Runtime) -> None:
        """Close the rollout's sandbox, whatever became of the rollout."""
        if trace.state.rollout is not None:
            await trace.state.rollout.close()


async def _complete(
    client: httpx.AsyncClient, model: str, messages: Sequence[Message], tools: Sequence[Mapping[str, Any]]
) -> tuple[Message, bool]:
    """Return the next reply, as it goes back with the next request, and whether it was cut short.

    Raises httpx's errors.
    """
    body = {"model": model, "messages": messages} | ({"tools": tools} if tools else {})
    response = await client.post("chat/completions", json=body)
    response.raise_for_status()
    choice = response.json()["choices"][0]
    reply = {key: value for key, value in choice["message"].items() if value is not None}
    return reply, choice.get("finish_reason") == "length"


async def _call(rollout: GymRollout, call: Mapping[str, Any], cut: bool) -> Message:
    """Make a call and return its result; arguments that cannot be read are answered as a collection does."""
    name, written = call["function"]["name"], call["function"].get("arguments")
    arguments = read_call_arguments(written, name, rollout.tools, cut=cut).value
    if arguments is None:
        text = f"The arguments of {name} are no JSON object; nothing was called."
    else:
        text = await rollout.call(name, arguments)
    return {"role": "tool", "tool_call_id": call["id"], "content": text}
