"""One attempt at a task: a session is opened, the agent works, the verifiers run; it makes an episode."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import partial

from eops_traj.collect.contract import Chat, EndpointError, LimitReached, Orchestrator
from eops_traj.collect.episode_builder import Ending, Made, Owed, Started, answer, calls, make_episode
from eops_traj.collect.episode_recorder import Limits, Place, RecordingDesk, gym_name
from eops_traj.errors import InputError, SandboxError
from eops_traj.sandbox.changesets import pack
from eops_traj.sandbox.guarded import guarded, sandboxed
from eops_traj.sandbox.options import Sandbox
from eops_traj.schema import Agent, Task, Verdict
from eops_traj.tasks.toolset import Showcase
from eops_traj.verify.judge import Judge
from eops_traj.verify.verifiers import verify


@dataclass(frozen=True)
class Workplace:
    """What every attempt of a collection shares: the agent, and where it works."""

    run_id: str
    agent: Agent
    orchestrator: Orchestrator
    models: Mapping[str, Chat]
    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)
    seeds: Mapping[str, int] = field(default_factory=dict)
    judge: Judge | None = None
    showcase: Showcase = field(default_factory=Showcase)


async def make_attempt(owed: Owed, at: Workplace) -> Made:
    """Make one attempt. What fails on the way, and is nobody's input, is in the episode as its error.

    Raises InputError where task, config or model cannot be used, and then nothing comes of the attempt.
    """
    started = Started.now(owed, at.run_id, at.agent)
    async with AsyncExitStack() as stack:
        try:
            place = await at.sandbox.do(partial(_opened, owed.task, at))
        except SandboxError as error:
            return make_episode(started, None, Ending("error", f"sandbox: {error}"))
        stack.push_async_callback(_close, place)
        desk = RecordingDesk(owed.task, owed.attempt, place, at.models, at.limits, at.seeds)
        ending = await _worked(desk, at.orchestrator)
        if ending.error is None:
            await _verified(desk, ending, at)
        return make_episode(started, desk, ending)


def _opened(task: Task, at: Workplace) -> Place:
    session = guarded(sandboxed(at.sandbox.open, task))
    try:
        shown = at.showcase.shown(task, session.list_tools)
    except BaseException:
        session.close()
        raise
    return Place(session, at.sandbox, shown)


async def _close(place: Place) -> None:
    """Close the session; one that cannot be closed has given all that it had to give."""
    with suppress(SandboxError):
        await place.sandbox.do(place.session.close)


async def _worked(desk: RecordingDesk, orchestrator: Orchestrator) -> Ending:
    """Have the agent work, and say how that ended."""
    try:
        await orchestrator.work(desk)
    except LimitReached as limit:
        return Ending(limit.reason)
    except EndpointError as error:
        if error.kind != "context" or not desk.turns:
            return Ending("error", str(error))
        desk.note(context=str(error))  # its own talk filled it: a limit like any other
        return Ending("max_tokens")
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug, ours or an orchestrator's, is not the model's failure
        return Ending("error", _told(error))
    return Ending("completed")


def _told(error: Exception) -> str:
    """An error as episodes keep it: its kind, and what happened."""
    if isinstance(error, SandboxError):
        return f"sandbox: {error}"
    return f"internal: {type(error).__name__}: {error}"


async def _verified(desk: RecordingDesk, ending: Ending, at: Workplace) -> None:
    """Put verdicts and changes into the ending, or the failure to come by them."""
    look = partial(_looked_at, desk, at.judge)
    try:
        if at.judge is None:
            ending.verdicts, ending.changeset = await at.sandbox.do(look)
        else:  # a judge is a model: its replies take seconds
            ending.verdicts, ending.changeset = await asyncio.to_thread(look)
    except Exception as error:  # noqa: BLE001 - as above
        ending.stop_reason, ending.error = "error", _told(error)


def _looked_at(desk: RecordingDesk, judge: Judge | None) -> tuple[tuple[Verdict, ...], bytes | None]:
    """The verdicts, and the changeset where every server told its own."""
    task, session, said, done = desk.task, desk.place.session, answer(desk.turns), calls(desk.turns)
    servers = [server.name for server in task.servers]
    verdicts = verify(task.verifiers, session, said, done, servers=servers, judge=judge)
    told = {str(gym_name(task, name)): changeset for name, changeset in session.changes().items()}
    return verdicts, pack(told) if told.keys() >= set(servers) else None
