"""One attempt at a task: a session is opened, the agent works, the verifiers run; it makes an episode."""

import asyncio
from collections.abc import Mapping
from contextlib import AsyncExitStack, suppress
from dataclasses import dataclass, field
from functools import cached_property, partial

from eops_traj.bundle import EpisodeBundle, check_bundle
from eops_traj.collect.episode_builder import (
    AttemptEnding,
    PendingAttempt,
    RunningAttempt,
    make_episode,
    tool_calls,
)
from eops_traj.collect.episode_recorder import AttemptEnvironment, EpisodeRecorder, Limits, gym_name
from eops_traj.collect.orchestrator import LimitReached, Orchestrator, ProgramFailed, UnknownToolCalled
from eops_traj.errors import FormatError, InputError, SandboxError
from eops_traj.gym.engine.changesets import pack_changesets
from eops_traj.llm.base import Chat, EndpointError
from eops_traj.protocol import ROBUST, RunProtocol
from eops_traj.sandbox.options import Sandbox
from eops_traj.sandbox.session import guarded, sandboxed
from eops_traj.schema import Agent, Task, Verdict, final_answer
from eops_traj.tasks.toolset import ToolsetCache
from eops_traj.verify.judge import Judge
from eops_traj.verify.verifiers import verify


@dataclass(frozen=True)
class RunContext:
    """All that the attempts of a run share: the agent, its models, the sandbox and the limits."""

    run_id: str
    agent: Agent
    orchestrator: Orchestrator
    models: Mapping[str, Chat]
    sandbox: Sandbox
    limits: Limits = field(default_factory=Limits)
    seeds: Mapping[str, int] = field(default_factory=dict)
    judge: Judge | None = None
    protocol: RunProtocol = ROBUST
    branch_point: tuple[str, int] | None = None
    """The parent and the turn at which attempts begin that are branches."""

    @cached_property
    def toolsets(self) -> ToolsetCache:
        """The tools that tasks show, as the protocol has them."""
        return ToolsetCache(self.protocol)


async def make_attempt(pending: PendingAttempt, context: RunContext) -> EpisodeBundle:
    """Make one attempt. A failure on the way that no input causes is in the episode as its error.

    Raises InputError where task, config or model cannot be used, and then nothing comes of the attempt.
    """
    attempt = RunningAttempt.start(pending, context.run_id, context.agent)
    async with AsyncExitStack() as stack:
        try:
            environment = await context.sandbox.do(partial(_open_environment, pending.task, context))
        except SandboxError as error:
            return _make_storable(attempt, None, AttemptEnding("error", f"sandbox: {error}"))
        stack.push_async_callback(_close, environment)
        recorder = EpisodeRecorder(
            pending.task, pending.attempt, environment, context.models, context.limits, context.seeds,
            context.protocol, context.branch_point,
        )  # fmt: skip
        ending = await _run_agent(recorder, context.orchestrator)
        if ending.error is None:
            await _run_verifiers(recorder, ending, context)
        return _make_storable(attempt, recorder, ending)


def _make_storable(
    attempt: RunningAttempt, recorder: EpisodeRecorder | None, ending: AttemptEnding
) -> EpisodeBundle:
    """Make the episode; where no store could hold it, one that says so and holds none of its turns.

    Raises FormatError where the task alone is what no store could hold.
    """
    try:
        bundle = make_episode(attempt, recorder, ending)
        check_bundle(bundle)
    except FormatError as error:
        bundle = make_episode(attempt, None, AttemptEnding("error", f"record: {error}"))
        check_bundle(bundle)
    return bundle


def _open_environment(task: Task, context: RunContext) -> AttemptEnvironment:
    session = guarded(sandboxed(context.sandbox.open, task))
    try:
        tools = context.toolsets.get(task, session.list_tools)
    except BaseException:
        session.close()
        raise
    return AttemptEnvironment(session, context.sandbox, tools)


async def _close(environment: AttemptEnvironment) -> None:
    """Close the session; one that cannot be closed has given all that it had to give."""
    with suppress(SandboxError):
        await environment.sandbox.do(environment.session.close)


async def _run_agent(recorder: EpisodeRecorder, orchestrator: Orchestrator) -> AttemptEnding:
    """Have the agent work, and return how that ended."""
    try:
        await orchestrator.work(recorder)
    except LimitReached as limit:
        return AttemptEnding(limit.reason)
    except EndpointError as error:
        if error.kind != "context" or not recorder.turns or recorder.protocol.overflow_fails:
            return AttemptEnding("error", str(error))
        recorder.annotate(context=str(error))  # its own talk filled it: a limit like any other
        return AttemptEnding("max_tokens")
    except InputError:
        raise
    except Exception as error:  # noqa: BLE001 - a bug, ours or an orchestrator's, is not the model's failure
        return AttemptEnding("error", _error_text(error))
    return AttemptEnding("completed")


def _error_text(error: Exception) -> str:
    """Format an error as episodes keep it: its kind, and what happened."""
    if isinstance(error, SandboxError):
        return f"sandbox: {error}"
    if isinstance(error, UnknownToolCalled):
        return f"model: {error}"
    if isinstance(error, ProgramFailed):
        return f"program: {error}"
    return f"internal: {type(error).__name__}: {error}"


async def _run_verifiers(recorder: EpisodeRecorder, ending: AttemptEnding, context: RunContext) -> None:
    """Put verdicts and changes into the ending, or the failure to come by them."""
    inspect = partial(_inspect, recorder, context.judge)
    try:
        if context.judge is None:
            ending.verdicts, ending.changeset = await context.sandbox.do(inspect)
        else:  # a judge is a model: its replies take seconds
            ending.verdicts, ending.changeset = await asyncio.to_thread(inspect)
    except Exception as error:  # noqa: BLE001 - as above
        ending.stop_reason, ending.error = "error", _error_text(error)


def _inspect(recorder: EpisodeRecorder, judge: Judge | None) -> tuple[tuple[Verdict, ...], bytes | None]:
    """Return the verdicts, and the changeset where every server reported its own."""
    task, session, turns = recorder.task, recorder.environment.session, recorder.turns
    servers = [server.name for server in task.servers]
    response = final_answer(turns, recorder.notes)
    verdicts = verify(
        task.verifiers, session, response, tool_calls(turns),
        servers=servers, request=task.user_prompt, judge=judge,
    )  # fmt: skip
    changesets = {str(gym_name(task, name)): changeset for name, changeset in session.changes().items()}
    return verdicts, pack_changesets(changesets) if changesets.keys() >= set(servers) else None
