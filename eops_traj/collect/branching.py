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

from eops_traj.bundle import EpisodeBundle
from eops_traj.collect.attempt import RunContext, make_attempt
from eops_traj.collect.branch_points import BranchPoint
from eops_traj.collect.conversation import ConversationState, conversation_at
from eops_traj.collect.episode_builder import PendingAttempt
from eops_traj.collect.orchestrator import AgentContext, Orchestrator
from eops_traj.collect.pending import StoredAttempt
from eops_traj.errors import InputError, SandboxError
from eops_traj.hashing import canonical_json, digest
from eops_traj.sandbox.options import Sandbox
from eops_traj.sandbox.replay import replay
from eops_traj.sandbox.session import Session
from eops_traj.schema import Json, Task

T = TypeVar("T")
SHARED_NOTES = ("plan", "subtasks", "conversations")
"""Notes of orchestrators that a branch has in common with its parent."""


@runtime_checkable
class Resumable(Protocol):
    """An orchestrator that can go on from the middle of an attempt."""

    async def resume(self, context: AgentContext, state: ConversationState) -> None:
        """Work to the end from the middle of a conversation, whose turns the context has."""
        ...


@dataclass(frozen=True)
class Branch:
    """A branch point with its task, and the stored alternatives tried there."""

    point: BranchPoint
    task: Task
    stored: Sequence[StoredAttempt] = ()

    def identity(self, agent_hash: str, attempt: int) -> str:
        """Return the id of an alternative's episode, by content."""
        return digest(self.task.task_hash, agent_hash, self.point.parent.episode_id, self.point.turn, attempt)


class ResumedOrchestrator:
    """An orchestrator that goes on where a parent stood before the branch turn."""

    def __init__(self, orchestrator: Orchestrator, point: BranchPoint) -> None:
        """Raises InputError for an orchestrator that has no conversation to go on with."""
        if not isinstance(orchestrator, Resumable):
            raise InputError(f"{type(orchestrator).__name__} cannot go on from the middle of an attempt")
        self._orchestrator, self._resumable, self._point = orchestrator, orchestrator, point

    async def work(self, context: AgentContext) -> None:
        """Record the parent's turns, and work the rest of the task; at turn 0, all of it."""
        parent, turn = self._point
        if turn == 0:
            await self._orchestrator.work(context)
            return
        notes = {k: v for k, v in json.loads(parent.details).items() if k in SHARED_NOTES}
        state = conversation_at(context.task, parent.turns, turn, notes, context.protocol)
        context.annotate(**{name: state.notes[name] for name in notes})
        for shared in parent.turns[:turn]:
            context.record(shared)
        await self._resumable.resume(context, state)


class ForkingSandbox:
    """A sandbox whose sessions start where a parent stood: forks of one that was brought there.

    Where the servers cannot fork, each session is brought there by itself.
    """

    def __init__(self, sandbox: Sandbox, point: BranchPoint) -> None:
        self._sandbox, self._turns = sandbox, point.parent.turns[: point.turn]
        self._origin: Session | None = None

    def open(self, task: Task) -> Session:
        """Open a session in the parent's state. Raises Diverged where the parent's calls end differently."""
        if self._origin is None:
            self._origin = self._replayed(task)
        try:
            return self._origin.fork()
        except SandboxError:  # kept, it would have the room that another one waits for
            origin, self._origin = self._origin, None
            return origin

    def _replayed(self, task: Task) -> Session:
        session = self._sandbox.open(task)
        try:
            replay(session, self._turns)
        except BaseException:
            session.close()
            raise
        return session

    async def do(self, work: Callable[[], T]) -> T:
        """Run work as the sandbox does."""
        return await self._sandbox.do(work)

    def close(self) -> None:
        """Drop the session that was forked."""
        if self._origin is not None:
            self._origin.close()


async def make_branch(pending: PendingAttempt, branch: Branch, context: RunContext) -> EpisodeBundle:
    """Make one alternative at a point; ``context`` has the `ForkingSandbox`. Raises as make_attempt."""
    parent, turn = branch.point
    orchestrator = ResumedOrchestrator(context.orchestrator, branch.point)
    own = replace(context, orchestrator=orchestrator, branch_point=(parent.episode_id, turn))
    bundle = await make_attempt(pending, own)
    episode = replace(
        bundle.episode,
        episode_id=branch.identity(context.agent.agent_hash, pending.attempt),
        parent=parent.episode_id,
        branch_turn=turn,
        details=_details(bundle.episode.details, branch.point),
    )
    return replace(bundle, episode=episode)


def _details(branch_details: Json, point: BranchPoint) -> Json:
    """Return the details, in which the shared turns have the roles that they have in the parent."""
    details: dict[str, Any] = json.loads(branch_details)
    if "roles" in details:
        parent_roles = json.loads(point.parent.details).get("roles", ["executor"] * len(point.parent.turns))
        roles = [*parent_roles[: point.turn], *details.pop("roles")[point.turn :]]
        details |= {"roles": roles} if len(set(roles)) > 1 else {}
    return Json(canonical_json(details))
