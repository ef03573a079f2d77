"""Episodes made to order for tests."""

from dataclasses import replace
from typing import Any

from eops_traj.schema import Episode, Json, Prompt, ToolCall, ToolSet, Turn

PROMPT = Prompt.of("Look a record up before you change it.")
TOOLS = ToolSet.of(
    [
        {
            "name": "find_user",
            "description": "Find a user.",
            "inputSchema": {"type": "object", "properties": {}},
        }
    ]
)

EPISODE = Episode(
    episode_id="e0",
    task_hash="t0",
    agent_hash="a0",
    attempt=1,
    run_id="r0",
    source="tests",
    task_id="task_0",
    domain="csm",
    suite="tests",
    mode="oracle",
    prompt_hash=PROMPT.prompt_hash,
    user_prompt="Who is Odile?",
    toolset_hash=TOOLS.toolset_hash,
    servers=(),
    model="m",
    orchestrator="react",
    turns=(
        Turn(
            text="",
            tool_calls=(
                ToolCall(
                    id="c",
                    name="find_user",
                    arguments=Json('{"name":"Odile"}'),
                    result="[]",
                    envelope=Json("{}"),
                ),
            ),
        ),
        Turn(text="Nobody of that name."),
    ),
    stop_reason="completed",
    verdicts=(),
    success_parity=True,
    success_strict=True,
    verifier_pass_parity=1.0,
    verifier_pass_strict=1.0,
    outcome="success",
    n_turns=2,
    n_steps=1,
    n_tool_errors=0,
)


def episode(episode_id: str, **fields: Any) -> Episode:
    """Return an episode of this id, with some fields changed."""
    return replace(EPISODE, episode_id=episode_id, **fields)
