"""Rewards of online training: 1 where the strict verifiers pass, right refusals included, and 0 elsewhere."""

from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from eops_traj.llm.reply_parser import parse_reply
from eops_traj.messages import Message
from eops_traj.planner.plan_check import prove
from eops_traj.train.rollout_env import Environment, task_of

Reward = Callable[..., list[float | None]]


def plan_reward(root: Path | None) -> Reward:
    """Scores plans, each run on its row's task; ``root`` is the folder that seed files are named from."""

    def verified(completions: Sequence[list[Message]], task: Sequence[str], **_: Any) -> list[float | None]:
        plans = [parse_reply(said[-1]["content"]).text.strip() for said in completions]
        return [
            float(prove(plan, task_of(text), root).passed) for plan, text in zip(plans, task, strict=True)
        ]

    return verified


def verified(
    completions: Sequence[list[Message]], environments: Sequence[Environment], **_: Any
) -> list[float | None]:
    """Scores rollouts: each environment knows what was done in it, and is told what was said last."""
    pairs = zip(environments, completions, strict=True)
    return [float(environment._passed(last_reply(said))) for environment, said in pairs]


def last_reply(said: Sequence[Message]) -> str:
    """What a model said in the end; nothing where its last message is a call that led on."""
    last = said[-1]
    answers = last["role"] == "assistant" and not last.get("tool_calls")
    return parse_reply(str(last["content"])).text.strip() if answers else ""
