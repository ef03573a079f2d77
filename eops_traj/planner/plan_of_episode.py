"""Which plan an episode followed: one that its planner wrote, one that it was given, or one read off it."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Literal

from eops_traj.plan import render
from eops_traj.planner.infer import inferred
from eops_traj.schema import Episode

WRITTEN = frozenset({"plan", "planner_react"})
"""The orchestrators whose planner writes the plan that their details note."""
GIVEN = frozenset({"conditioned", "expert"})
"""Those that are given the plan that their details note."""


@dataclass(frozen=True)
class Followed:
    """The text of a plan, and where it is from; a text that a planner wrote need not be a plan at all."""

    text: str
    origin: Literal["written", "given", "inferred"]


def followed(
    episode: Episode, system_prompt: str = "", tools: Sequence[Mapping[str, Any]] = ()
) -> Followed | None:
    """The plan that an episode followed; None where there is none, as in one that failed to run.

    It is not proven: whether it passes is for `eops_traj.planner.plan_check.prove` to say. The system prompt and
    the tools (in the function format) help to tell what an episode has learnt from what it was told.
    """
    noted = json.loads(episode.details).get("plan")
    if isinstance(noted, str) and episode.orchestrator in WRITTEN | GIVEN:
        return Followed(noted, "written" if episode.orchestrator in WRITTEN else "given")
    plan = inferred(episode, system_prompt, tools)
    return None if plan is None else Followed(render(plan), "inferred")
