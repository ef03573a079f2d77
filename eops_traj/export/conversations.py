"""The conversations of an episode: where each begins, who replied in it, and those in which somebody acts."""

import json
from collections.abc import Sequence
from dataclasses import replace
from itertools import pairwise

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.orchestrator import kind_of
from eops_traj.schema import Episode

ACTS = "executor"
"""The role of the model that acts."""
PLANS = "planner"
"""The role of the model that is asked for a plan or for subtasks, once, without tools."""
AS_ONE = "rows of several conversations, one after the other"
"""What a format counts that has no row for each."""


def roles_of(episode: Episode) -> list[str]:
    """Return the role that gave each turn; where none is noted, it was one role alone."""
    kind = kind_of(episode.orchestrator)
    alone = PLANS if kind and PLANS in kind.roles else ACTS
    roles: list[str] = json.loads(episode.details).get("roles") or [alone] * len(episode.turns)
    return roles


def starts_of(episode: Episode, roles: Sequence[str]) -> list[int]:
    """Return the turns at which a conversation begins: those noted, and what follows a planner's reply."""
    noted = json.loads(episode.details).get("conversations", ())
    starts = {0, *noted, *(n for n, role in enumerate(roles, 1) if role == PLANS)}
    return sorted(n for n in starts if n < len(roles))


def is_one(episode: Episode) -> bool:
    """Check whether an episode is a single conversation, so that all of it is one that took place."""
    return len(starts_of(episode, roles_of(episode))) < 2


def acting(bundle: EpisodeBundle) -> list[EpisodeBundle]:
    """Return an episode once for each conversation in which somebody acts, with the turns of that alone.

    Several that follow one another, as those of `planner_react` and `decomposing`, are no conversation that
    took place. A planner's replies are left out: `planner_sft` has the plans, each of them proven. Where
    nobody acts, the episode stays whole.
    """
    episode, roles = bundle.episode, roles_of(bundle.episode)
    bounds = pairwise([*starts_of(episode, roles), len(roles)])
    spans = [(begin, end) for begin, end in bounds if roles[begin] != PLANS]
    parts = [replace(bundle, episode=replace(episode, turns=episode.turns[b:e])) for b, e in spans]
    return parts or [bundle]
