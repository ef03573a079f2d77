"""Branching: from a turn of a stored episode, other ways are tried and run out to their ends.

A branch point is a turn. A session is brought to where the episode stood before it, by making its calls again
and seeing each come out as it did; every alternative gets a fork of that session, and the conversation as it
was, and goes on by itself. It is stored as an episode with ``parent`` and ``branch_turn``, the turns that it
shares with its parent included.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol, TypeVar, runtime_checkable

from eops_traj.collect.attempt import Workplace, make_attempt
from eops_traj.collect.branch_points import Point
from eops_traj.collect.contract import Desk, Orchestrator
from eops_traj.collect.episode_builder import Made, Owed
from eops_traj.collect.pending import Past
from eops_traj.collectors.agents.react import UnderWay, under_way
from eops_traj.errors import InputError, SandboxError
from eops_traj.hashing import canonical_json, digest
from eops_traj.sandbox.options import Sandbox
from eops_traj.sandbox.replay import replay
from eops_traj.sandbox.session import Session
from eops_traj.schema import Json, Task

T = TypeVar("T")
NOTES = ("plan", "subtasks", "conversations")
"""What orchestrators note that a branch has in common with its parent."""


@runtime_checkable
class Resumable(Protocol):
    """An orchestrator that can go on from the middle of an attempt."""

    async def go_on(self, desk: Desk, under_way: UnderWay) -> None:
        """Work to the end from the middle of a conversation, whose turns the desk has."""
        ...


@dataclass(frozen=True)
class Branch:
    """A branch point with its task, and what is stored of the alternatives tried there."""

    point: Point
    task: Task
    past: Sequence[Past] = ()

    def identity(self, agent_hash: str, attempt: int) -> str:
        """The id of an alternative's episode, by content."""
        return digest(self.task.task_hash, agent_hash, self.point.parent.episode_id, self.point.turn, attempt)


class Continued:
    """An orchestrator that goes on where a parent stood before the branch turn."""

    def __init__(self, orchestrator: Orchestrator, point: Point) -> None:
        """Raises InputError for an orchestrator that has no conversation to go on with."""
        if not isinstance(orchestrator, Resumable):
            raise InputError(f"{type(orchestrator).__name__} cannot go on from the middle of an attempt")
        self._orchestrator, self._resumable, self._point = orchestrator, orchestrator, point

    async def work(self, desk: Desk) -> None:
        """Give the desk the parent's turns, and work the rest of the task; at turn 0, all of it."""
        parent, turn = self._point
        if turn == 0:
            await self._orchestrator.work(desk)
            return
        noted = {k: v for k, v in json.loads(parent.details).items() if k in NOTES}
        going_on = under_way(desk.task, parent.turns, turn, noted)
        desk.note(**{name: going_on.notes[name] for name in noted})
        for shared in parent.turns[:turn]:
            desk.say(shared)
        await self._resumable.go_on(desk, going_on)


class Standing:
    """A sandbox whose sessions stand where a parent stood: forks of one that was brought there.

    Where the servers cannot fork, each session is brought there by itself.
    """

    def __init__(self, sandbox: Sandbox, point: Point) -> None:
        self._sandbox, self._turns = sandbox, point.parent.turns[: point.turn]
        self._origin: Session | None = None

    def open(self, task: Task) -> Session:
        """A session in the parent's state. Raises Diverged where the parent's calls come out otherwise."""
        if self._origin is None:
            self._origin = self._brought_there(task)
        try:
            return self._origin.fork()
        except SandboxError:
            return self._brought_there(task)

    def _brought_there(self, task: Task) -> Session:
        session = self._sandbox.open(task)
        try:
            replay(session, self._turns)
        except BaseException:
            session.close()
            raise
        return session

    async def do(self, work: Callable[[], T]) -> T:
        """As the sandbox does."""
        return await self._sandbox.do(work)

    def close(self) -> None:
        """Drop the session that was forked."""
        if self._origin is not None:
            self._origin.close()


async def make_branch(owed: Owed, branch: Branch, at: Workplace) -> Made:
    """Make one alternative at a branch point; ``at`` has the `Standing` sandbox. Raises as make_attempt."""
    parent, turn = branch.point
    seeds = {role: _seed(seed, branch.point) for role, seed in at.seeds.items()}
    there = replace(at, orchestrator=Continued(at.orchestrator, branch.point), seeds=seeds)
    made = await make_attempt(owed, there)
    episode = replace(
        made.episode,
        episode_id=branch.identity(at.agent.agent_hash, owed.attempt),
        parent=parent.episode_id,
        branch_turn=turn,
        details=_details(made.episode.details, branch.point),
    )
    return made._replace(episode=episode)


def _seed(seed: int, point: Point) -> int:
    """A seed of the point's own: an alternative would draw what the parent drew there."""
    return int(digest(seed, point.parent.episode_id, point.turn), 16) % 2**31


def _details(made: Json, point: Point) -> Json:
    """The details, in which the shared turns are given by those who gave them to the parent."""
    found: dict[str, Any] = json.loads(made)
    if "roles" in found:
        theirs = json.loads(point.parent.details).get("roles", ["executor"] * len(point.parent.turns))
        roles = [*theirs[: point.turn], *found.pop("roles")[point.turn :]]
        found |= {"roles": roles} if len(set(roles)) > 1 else {}
    return Json(canonical_json(found))
