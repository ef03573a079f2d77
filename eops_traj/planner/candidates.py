"""The plans that an episode may have followed: written, given, or inferred from its calls."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Literal, NamedTuple

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.orchestrator import kind_of
from eops_traj.plan import Plan, PlanError, parse, render, without_reasons
from eops_traj.planner.deviation import deviated_plan
from eops_traj.planner.infer import infer_plan
from eops_traj.schema import PASSED, REFUSALS, Episode


class Candidate(NamedTuple):
    """The text of a plan that an episode may have followed; what a planner wrote may be no plan."""

    text: str
    origin: Literal["written", "given", "deviated", "inferred"]
    """Written by its planner, given to it, the given one as it was followed, or inferred from its calls."""


def candidate_plans(bundle: EpisodeBundle, root: Path | None = None) -> Iterator[Candidate]:
    """Yield the plans that an episode may have followed, the likeliest first; none of them is proven.

    ``root`` is the folder that seed files are named from. The plan that a failed episode was given is not
    what it followed: that is the plan as it departed from it.
    """
    for candidate in _candidates(bundle, root):
        if text := candidate.text.strip():
            yield candidate._replace(text=text)


def plan_was_cut(episode: Episode) -> bool:
    """Check whether an episode's planner was cut in its plan: what is there of it was not all."""
    return bool(json.loads(episode.details).get("plan_cut"))


def _candidates(bundle: EpisodeBundle, root: Path | None) -> Iterator[Candidate]:
    episode, kind = bundle.episode, kind_of(bundle.episode.orchestrator)
    plan = json.loads(episode.details).get("plan")
    if isinstance(plan, str) and kind and kind.writes_plan:
        yield Candidate(plan, "written")
        return
    if isinstance(plan, str) and kind and kind.given_plan:
        if episode.outcome in PASSED:
            yield Candidate(plan, "given")
        elif episode.outcome not in REFUSALS and (departed := _departed(plan, episode)):
            yield Candidate(render(departed), "deviated")
    if inferred := infer_plan(episode, bundle.system_prompt, bundle.tools(), root):
        yield Candidate(render(inferred), "inferred")


def _departed(plan: str, episode: Episode) -> Plan | None:
    """Return a plan as an episode followed it; None where it is not one."""
    try:
        return deviated_plan(parse(plan), episode)
    except PlanError:
        return None


def strip_reasons(text: str) -> str:
    """Render a plan without the reasons of its steps; return a text that is no plan as it is."""
    try:
        return render(without_reasons(parse(text)))
    except PlanError:
        return text
