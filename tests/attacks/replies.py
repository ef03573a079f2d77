"""Hostile replies of an endpoint: every field of a full one, with every hostile value.

The replies go over real HTTP to the real client, a turn each; a case holds where the client refuses it with
one line, or the episode of that turn comes back from a store as it was.
"""

import asyncio
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from eops_traj.bundle import EpisodeBundle, build_episode, build_run
from eops_traj.collectors.clients.openai_api import OpenAIChat, OpenAIOptions
from eops_traj.llm.base import EndpointError, Request
from eops_traj.schema import Agent, Prompt, Task, ToolSet, Turn
from tests.attacks.result_files import Accepted, unstorable
from tests.attacks.sampling import one_in
from tests.attacks.tally import HELD, Tally
from tests.endpoint import Answer, ReceivedRequest, endpoint
from tests.hostile import VALUES, paths, render, with_value

TOKENS: list[Any] = [{"token": "a", "logprob": -0.5, "bytes": [97], "top_logprobs": []}]
REPLY: dict[str, Any] = {
    "id": "chatcmpl-1",
    "object": "chat.completion",
    "created": 1,
    "model": "m-1",
    "provider": "P",
    "service_tier": "default",
    "system_fingerprint": "fp",
    "choices": [
        {
            "index": 0,
            "message": {
                "role": "assistant",
                "content": "I look.",
                "refusal": None,
                "reasoning_content": "Who?",
                "tool_calls": [
                    {
                        "id": "c0",
                        "type": "function",
                        "function": {"name": "find_user", "arguments": '{"name": "Odile"}'},
                    }
                ],
            },
            "logprobs": {"content": TOKENS, "refusal": None},
            "finish_reason": "tool_calls",
            "stop_reason": 7,
            "token_ids": [5, 6],
        }
    ],
    "usage": {
        "prompt_tokens": 100,
        "completion_tokens": 10,
        "total_tokens": 110,
        "cost": 0.01,
        "prompt_tokens_details": {"cached_tokens": 50, "audio_tokens": 0},
        "completion_tokens_details": {"reasoning_tokens": 4, "audio_tokens": 0},
    },
    "prompt_token_ids": [1, 2, 3],
}
"""A reply with every field that any server of ours sends."""

OTHERS: list[dict[str, Any]] = [
    {"error": {"message": "no", "code": 400, "type": "bad"}},
    {"choices": [{"message": {"content": [{"type": "text", "text": "a"}], "function_call": {"name": "f"}}}]},
]
"""Bodies with fields that exclude those."""

TASK = Task(
    task_id="t", domain="csm", mode="oracle", suite="attacks", system_prompt="s", user_prompt="u", servers=()
)
AGENT = Agent(model="m-1", orchestrator="react")
TOOLSET = ToolSet.of([])
RUN = build_run("collect", {})


def attack(folder: Path, every: int = 1) -> Tally:
    """Ask for every hostile reply, or one in so many; keep the episodes of the accepted in a store."""
    cases, tally = list(one_in(every, hostile_replies())), Tally("replies")
    accepted = asyncio.run(_ask_for_all(cases, tally))
    for case in unstorable(accepted, folder):
        tally.add("poisoned", case)
    return tally


def hostile_replies() -> Iterator[tuple[str, bytes]]:
    """Yield each case with its body."""
    for number, reply in enumerate([REPLY, *OTHERS]):
        for path in paths(reply):
            for name in VALUES:
                yield f"{number}: {render(path)} = {name}", with_value(reply, path, name).encode()


async def _ask_for_all(cases: list[tuple[str, bytes]], tally: Tally) -> Accepted:
    def answer(request: ReceivedRequest) -> Answer:
        return Answer(cases[int(request.body["messages"][0]["content"])][1])

    at_once = asyncio.Semaphore(32)
    with endpoint(answer) as server:
        chat = OpenAIChat(OpenAIOptions(model="m-1", base_url=server.url), server.url)

        async def ask(number: int) -> tuple[str, list[EpisodeBundle]] | None:
            async with at_once:
                return await _ask(chat, number, cases[number][0], tally)

        accepted = await asyncio.gather(*map(ask, range(len(cases))))
        await chat.close()
    return [one for one in accepted if one is not None]


async def _ask(
    chat: OpenAIChat, number: int, case: str, tally: Tally
) -> tuple[str, list[EpisodeBundle]] | None:
    """Ask for the reply of a case; return its episode, None where the client refuses the reply."""
    try:
        turn = await chat.reply(Request([{"role": "user", "content": str(number)}]))
    except EndpointError as error:
        tally.add(HELD if "\n" not in str(error) else "several lines", case)
        return None
    except Exception as error:  # noqa: BLE001 - whatever comes out is what is looked for
        tally.add("traceback", f"{case}: {type(error).__name__}: {error}"[:200])
        return None
    tally.add(HELD, case)
    return case, [_episode(case, turn)]


def _episode(case: str, turn: Turn) -> EpisodeBundle:
    episode = build_episode(
        TASK, AGENT, [turn], TOOLSET, episode_id=case, attempt=1, run_id=RUN.run_id, source="attacks",
        stop_reason="completed", verdicts=(), success_parity=True, success_strict=True,
        verifier_pass_parity=1.0, verifier_pass_strict=1.0, outcome="success",
    )  # fmt: skip
    return EpisodeBundle(episode, Prompt.of(TASK.system_prompt), TOOLSET, RUN)
