"""Episodes as a collection makes them, of a task and an orchestrator."""

import asyncio

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.attempt import RunContext, make_attempt
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.orchestrator import configure
from eops_traj.sandbox.options import EmbeddedOptions
from eops_traj.schema import Agent
from tests.collectors.scripted_context import ScriptedModel


def episode_of(task, orchestrator, replies=(), **options) -> EpisodeBundle:
    """Make one attempt with the engine; ``replies`` are those of its models."""
    script, agent = iter(replies), Agent(model="scripted", orchestrator=orchestrator)
    models = {role: ScriptedModel(role, script, []) for role in ("planner", "executor")}
    worker = configure(orchestrator, options).orchestrator
    place = RunContext("r", agent, worker, models, EmbeddedOptions().open(None, 1))
    return asyncio.run(make_attempt(PendingAttempt(task, 1), place))
