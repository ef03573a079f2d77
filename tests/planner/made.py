"""Episodes as a collection makes them, of a task and an orchestrator."""

import asyncio

from eops_traj.collect.attempt import Workplace, make_attempt
from eops_traj.collect.episode_builder import Made, Owed
from eops_traj.collectors.agents import make
from eops_traj.sandbox.options import EmbeddedOptions
from eops_traj.schema import Agent
from tests.collectors.desks import Role


def episode_of(task, orchestrator, replies=(), **options) -> Made:
    """One attempt by the engine's own hands, its models' replies given."""
    script, agent = iter(replies), Agent(model="scripted", orchestrator=orchestrator)
    models = {role: Role(role, script, []) for role in ("planner", "executor")}
    worker = make(orchestrator, options).orchestrator
    place = Workplace("r", agent, worker, models, EmbeddedOptions().open(None, 1))
    return asyncio.run(make_attempt(Owed(task, 1), place))
