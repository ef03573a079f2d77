"""Which plans an episode may have followed, as texts to be proven, in the form in which a row gives them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

from eops_traj.export.base import Sample
from eops_traj.plan import Plan, PlanError, parse, render, without_reasons
from eops_traj.planner.deviation import deviated
from eops_traj.planner.infer import inferred
from eops_traj.planner.plan_check import PASSES
from eops_traj.planner.plan_of_episode import GIVEN, WRITTEN, followed
from eops_traj.schema import Episode


class Reading(NamedTuple):
    """A plan that an episode may have followed: its text, and how it is known."""

    text: str
    origin: str
    """written by its planner, given to it, deviated (the given one as it was followed), or inferred."""


def readings(sample: Sample, root: Path | None = None) -> Iterator[Reading]:
    """The plans that an episode may have followed, the likeliest first.

    ``root`` is the folder that seed files are named from. The plan that a failed episode was given is not
    what it followed: that is the plan as it departed from it.
    """
    for reading in _readings(sample, root):
        if text := reading.text.strip():
            yield reading._replace(text=text)


def _readings(sample: Sample, root: Path | None) -> Iterator[Reading]:
    episode, tools = sample.episode, sample.tools()
    if episode.outcome in PASSES or episode.orchestrator in WRITTEN:
        if plan := followed(episode, sample.system_prompt, tools):
            yield Reading(plan.text, plan.origin)
        if plan is None or plan.origin != "given":
            return
    elif episode.outcome != "over_refusal" and (other := _departed(episode)):
        yield Reading(render(other), "deviated")
    if told := inferred(episode, sample.system_prompt, tools, root):
        yield Reading(render(told), "inferred")


def _departed(episode: Episode) -> Plan | None:
    """The plan that an episode was given, as it followed it; None where it was given none that is a plan."""
    given = json.loads(episode.details).get("plan")
    if episode.orchestrator not in GIVEN or not isinstance(given, str):
        return None
    try:
        return deviated(parse(given), episode)
    except PlanError:
        return None


def bare(text: str) -> str:
    """A plan without the reasons of its steps; a text that is none as it is."""
    try:
        return render(without_reasons(parse(text)))
    except PlanError:
        return text
