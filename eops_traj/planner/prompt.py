"""What a planner is shown: one text, whether it is asked, trained or measured."""

from collections.abc import Mapping, Sequence
from typing import Any, Literal

from pydantic import Field

from eops_traj.config import Settings
from eops_traj.llm.prompts import render, signature
from eops_traj.messages import Message
from eops_traj.planner.policy_forms import shortened


class Shown(Settings):
    """How much of policy and tools a planner is shown, and in whose words it is asked."""

    policy: Literal["whole", "digest", "reference"] = Field(
        "whole", description="The policy whole, its binding sentences, or a line that names it by its hash."
    )
    tools: Literal["signatures", "names", "none"] = Field(
        "signatures", description="A line a tool, its name alone, or nothing."
    )
    prompt: str = Field("plan", description="The prompt that asks for the plan.")


def planner_messages(
    system_prompt: str, request: str, tools: Sequence[Mapping[str, Any]], shown: Shown
) -> list[Message]:
    """The conversation that a planner answers with a plan: the policy, where there is one, and the request.

    ``tools`` are those of the task, in the function format. Raises UnknownName for a prompt there is none of.
    """
    asked = render(shown.prompt, request=request, tools=_said(tools, shown))
    policy = shortened(system_prompt, shown.policy)
    system: list[Message] = [{"role": "system", "content": policy}] if policy else []
    return [*system, {"role": "user", "content": asked}]


def _said(tools: Sequence[Mapping[str, Any]], shown: Shown) -> list[str]:
    """The tools as lines of the prompt."""
    if shown.tools == "none":
        return []
    names = shown.tools == "names"
    return [str(tool["function"]["name"]) if names else signature(tool) for tool in tools]
